// Of errors that go on, what a person needs to be told.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <heeler/core/events.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/shown_name.hpp>

namespace common {

/// An error that goes on is told once, then hourly. One thread at a time.
class ErrorNews {
public:
    static constexpr heeler::Duration again_after = std::chrono::hours{1};

    /// An error that was not seen for so long is a new one.
    explicit ErrorNews(heeler::Duration forgotten_after = std::chrono::minutes{1})
        : forgotten_after_{forgotten_after} {}

    /// What is to be told of an error that is seen now. Nothing: it was told.
    [[nodiscard]] std::optional<std::string> line_of(const heeler::ErrorEvent& event, heeler::Elapsed now) {
        std::erase_if(known_, [&](const auto& each) { return now - each.second.seen >= forgotten_after_; });
        const auto [known, is_new] = known_.try_emplace(key_of(event), Known{now, now, 0});
        Known& error = known->second;
        error.seen = now;
        const std::string where = "error in " + event.where +
                                  (event.run.empty() ? "" : " (" + heeler::text::shown_name(event.run, 160) + ")");
        if (is_new) return where + ": " + event.error.message;
        ++error.since;
        if (now - error.told < again_after) return std::nullopt;
        error.told = now;
        return where + ", still, " + std::to_string(std::exchange(error.since, 0)) +
               " times in the last hour: " + event.error.message;
    }

private:
    struct Known {
        heeler::Elapsed told;
        heeler::Elapsed seen;
        std::uint64_t since = 0;  ///< how often it was seen after it was told
    };

    /// The words of an error may change each time; where it happens and of what kind it is do not.
    [[nodiscard]] static std::string key_of(const heeler::ErrorEvent& event) {
        return event.where + '\n' + std::string{name_of(event.error.code)} + '\n' + event.run;
    }

    heeler::Duration forgotten_after_;
    std::map<std::string, Known> known_;
};

}  // namespace common
