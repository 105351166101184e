// Which calls of which sessions are not to be made any more: those that a loop repeats that is at its worst.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include <heeler/core/events.hpp>

namespace watch {

/// Asked before each call of an agent whose hooks were installed with `--guard`. Thread-safe.
class Guard {
public:
    /// What the watchdog says of its runs.
    void hear(const heeler::CycleReport& cycle) {
        const std::lock_guard guard{lock_};
        for (const heeler::Event& event : cycle.events)
            if (const auto* status = std::get_if<heeler::StatusEvent>(&event)) {
                if (status->status == heeler::Status::loop_detected && status->level == heeler::Level::stop)
                    looping_.insert(status->run);
                else
                    looping_.erase(status->run);
            }
    }

    /// A call was made; `call` is the same for the same tool with the same input.
    void made(const std::string& run, const std::string& call) {
        const std::lock_guard guard{lock_};
        if (calls_.size() >= most_runs && !calls_.contains(run)) calls_.clear();
        auto& calls = calls_[run];
        calls.push_back(call);
        if (calls.size() > known_calls) calls.pop_front();
    }

    /// Why the call is not to be made; empty: it may be.
    [[nodiscard]] std::string refusal(const std::string& run, const std::string& call) const {
        const std::lock_guard guard{lock_};
        const auto calls = calls_.find(run);
        if (!looping_.contains(run) || calls == calls_.end()) return {};
        if (std::count(calls->second.begin(), calls->second.end(), call) < repeated) return {};
        return "[watchdog] This call is blocked: you have made it again and again, and nothing came of it. Do "
               "something "
               "else, or say what you need.";
    }

private:
    static constexpr std::size_t known_calls = 16;  ///< of a run, the newest: twice the longest cycle of a loop
    static constexpr std::ptrdiff_t repeated = 2;
    static constexpr std::size_t most_runs = 1000;

    mutable std::mutex lock_;
    std::set<std::string> looping_;
    std::map<std::string, std::deque<std::string>> calls_;
};

}  // namespace watch
