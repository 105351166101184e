// What is to be said to agents that show later that they have heard it.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/clock/system_clock.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/agent_control.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/result.hpp>

namespace common {

/// Whether an action waits for its agent to hear it, which is nothing that a person needs to know.
[[nodiscard]] inline bool waits_for_agent(const heeler::ErrorEvent& event) {
    return event.where == "control" && event.error.code == heeler::ErrorCode::busy;
}

/// An agent control with one verb: a word is left for the agent, and done when it was heard. Thread-safe.
class Words {
public:
    struct Left {
        std::string key{};  ///< of the action; empty: nothing is left
        std::string text{};
    };

    /// `still`: what is the matter as long as a word was not heard.
    explicit Words(std::string still) : still_{std::move(still)} {}

    heeler::Result<heeler::ActionDone> inject(const heeler::ActionRequest& request) {
        const std::lock_guard guard{lock_};
        const heeler::Elapsed now = heeler::SystemClock{}.now().elapsed;
        Word& word = words_[std::string{request.run}];
        if (word.key != request.key) word = {std::string{request.key}, std::string{request.text}, now, {}};
        if (!word.heard_after.empty()) return heeler::ActionDone{.note = "heard after " + word.heard_after};
        if (now - word.left_at < longest_wait) return heeler::fail(heeler::ErrorCode::busy, still_);
        words_.erase(std::string{request.run});
        return heeler::fail(heeler::ErrorCode::failed, still_ + ", for 10 minutes");
    }

    heeler::Result<heeler::Found> find(std::string_view key) {
        const std::lock_guard guard{lock_};
        for (const auto& [run, word] : words_)
            if (word.key == key && !word.heard_after.empty()) return heeler::Found::found;
        return heeler::Found::absent;
    }

    /// What the agent of this run is to hear; nothing if it has.
    [[nodiscard]] Left left_for(const std::string& run) const {
        const std::lock_guard guard{lock_};
        const auto word = words_.find(run);
        if (word == words_.end() || !word->second.heard_after.empty()) return {};
        return {word->second.key, word->second.text};
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

    std::string still_;
    mutable std::mutex lock_;
    std::map<std::string, Word> words_;  ///< the newest, by run
};

}  // namespace common
