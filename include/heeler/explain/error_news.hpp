// Of errors that go on, what is worth a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/core/events.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// An error that goes on is said once, and then again and again after a while. One thread at a time.
class ErrorNews {
public:
    /// An error that was not met for `forgotten_after` is a new one.
    struct Times {
        Duration again_after, forgotten_after;
    };
    explicit ErrorNews(Times times = {std::chrono::minutes{1}, std::chrono::minutes{1}}) : times_{times} {}

    /// How often an error that is met now was met since it was said, 0 if it is new; absent: it was said a short while
    /// ago.
    [[nodiscard]] std::optional<std::uint64_t> meet(const ErrorEvent& event, Elapsed now) {
        forget(now);
        const std::string key = key_of(event);
        const bool is_new = known_.emplace(key, Known{now, now, 0});
        Known& error = known_[key];
        error.met = now;
        if (is_new) return 0;
        ++error.since;
        if (now - error.said < times_.again_after) return std::nullopt;
        error.said = now;
        return std::exchange(error.since, 0);
    }

    /// What is news of a cycle: without the errors that were said a short while ago.
    [[nodiscard]] CycleReport of(CycleReport cycle, Elapsed now) {
        if (cycle.errors == 0) return cycle;
        detail::drop_if(cycle.events, [&](Event& event) {
            auto* const error = std::get_if<ErrorEvent>(&event);
            if (error == nullptr) return false;
            const auto times = meet(*error, now);
            if (!times && cycle.errors > 0) --cycle.errors;
            if (times && *times > 0)
                error->error.message += " (" + std::to_string(*times) + " times since this was said)";
            return !times;
        });
        return cycle;
    }

private:
    struct Known {
        Elapsed said;
        Elapsed met;
        std::uint64_t since = 0;  ///< how often it was met after it was said
    };

    void forget(Elapsed now) {
        for (auto next = known_.begin(); next != known_.end();) {
            const auto each = next;
            ++next;
            if (now - each->second.met >= times_.forgotten_after) known_.erase(each);
        }
    }

    /// Some errors are met only once, and their words are all that tells them apart. What is busy says for how long,
    /// which is another number each time.
    [[nodiscard]] static std::string key_of(const ErrorEvent& event) {
        std::string words = event.error.message;
        if (event.error.code == ErrorCode::busy) detail::drop_if(words, [](char c) { return c >= '0' && c <= '9'; });
        return event.where + '\n' + std::string{name_of(event.error.code)} + '\n' + event.run + '\n' + words;
    }

    Times times_;
    detail::NameMap<Known> known_;
};

}  // namespace heeler::inline HEELER_ABI
