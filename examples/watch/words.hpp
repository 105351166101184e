// What is to be said to agents that fetch it themselves, by their hooks.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/clock/system_clock.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/agent_control.hpp>
#include <heeler/core/result.hpp>

namespace watch {

/// An agent control with one verb: a word is left for the agent, and was heard when a hook of it has taken it.
/// Thread-safe.
class Words {
public:
    heeler::Result<heeler::ActionDone> inject(const heeler::ActionRequest& request) {
        const std::lock_guard guard{lock_};
        const heeler::Elapsed now = heeler::SystemClock{}.now().elapsed;
        Word& word = words_[std::string{request.run}];
        if (word.key != request.key) word = {std::string{request.key}, std::string{request.text}, now, {}};
        if (!word.heard_after.empty()) return heeler::ActionDone{.note = "heard after " + word.heard_after};
        if (now - word.left_at < longest_wait)
            return heeler::fail(heeler::ErrorCode::busy, "no hook of the agent has come to fetch it");
        words_.erase(std::string{request.run});
        return heeler::fail(heeler::ErrorCode::failed, "no hook of the agent has come to fetch it for 10 minutes");
    }

    heeler::Result<heeler::Found> find(std::string_view key) {
        const std::lock_guard guard{lock_};
        for (const auto& [run, word] : words_)
            if (word.key == key && !word.heard_after.empty()) return heeler::Found::found;
        return heeler::Found::absent;
    }

    /// What the agent of this run is to hear; empty: nothing, or it has.
    [[nodiscard]] std::string left_for(const std::string& run) const {
        const std::lock_guard guard{lock_};
        const auto word = words_.find(run);
        return word == words_.end() || !word->second.heard_after.empty() ? std::string{} : word->second.text;
    }

    void heard(const std::string& run, const std::string& event) {
        const std::lock_guard guard{lock_};
        if (const auto word = words_.find(run); word != words_.end()) word->second.heard_after = event;
    }

private:
    static constexpr heeler::Duration longest_wait = std::chrono::minutes{10};

    struct Word {
        std::string key{};  ///< of the action
        std::string text{};
        heeler::Elapsed left_at{};
        std::string heard_after{};  ///< the event; empty: not yet
    };

    mutable std::mutex lock_;
    std::map<std::string, Word> words_;  ///< the newest, by run
};

}  // namespace watch
