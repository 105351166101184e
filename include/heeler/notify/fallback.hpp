// Two notifiers as one: what the first cannot deliver is said at the second, usually a log.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/notify/any_of.hpp>
#include <heeler/notify/doubts.hpp>

namespace heeler::inline HEELER_ABI {

struct FallbackSettings {
    /// Whether it is enough that the second has the alert. False: the alert stays undelivered, so that the outbox tries
    /// again until the first has it or it is given up. True: the second is the delivery, and nothing is tried again.
    bool counts_as_delivered = false;
    /// The second hears only of what was made so long ago, by the system's clock, and of what the first refuses for
    /// good. Less than what the outbox tries for (`give_up_after`), or it never hears of anything.
    Duration after{};
};

/// Sends through the first notifier. If that fails, throws or reaches nobody, the second gets the alert, at least as a
/// warning, with a further issue that says why. While it is tried again, the second is told at the attempts 1, 2, 4, 8
/// and so on of which it is to hear, so that a long outage does not flood it. One thread at a time.
template <class First, class Second>
class FallbackNotifier {
public:
    static constexpr std::string_view name = "fallback";

    FallbackNotifier(First first, Second second, FallbackSettings settings = {})
        : first_{std::move(first)}, second_{std::move(second)}, settings_{settings} {}

    /// What the first notifier answered; with `counts_as_delivered`, what the second did, and if both fail, both
    /// reasons under the first one's code.
    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        auto answer = first_.send(alert);
        if (answer && answer->recipients > 0) {
            heard_from_.erase(alert.key);
            return answer;
        }
        if (!answer && answer.error().code == ErrorCode::under_way) return answer;
        if (is_early(alert) && (answer || answer.error().code != ErrorCode::permanent)) return answer;
        const std::string reason = answer ? "nobody listens on this route" : answer.error().message;
        if (!settings_.counts_as_delivered) {
            if (is_power_of_two(heard(alert))) static_cast<void>(second_.send(with_reason(alert, reason)));
            return answer;
        }
        auto fallback = second_.send(with_reason(alert, reason));
        if (fallback) return fallback;
        return fail(answer ? ErrorCode::no_recipient : answer.error().code,
                    reason + "; " + std::string{Second::name} + ": " + fallback.error().message);
    }

    /// Whether the first serves the route, or the second, where it counts.
    [[nodiscard]] Result<void> serves(std::string_view route) const {
        auto answer = first_.serves(route);
        if (answer || !settings_.counts_as_delivered) return answer;
        if (second_.serves(route)) return {};
        return answer;
    }

    /// What is doubtful in the settings of both, and the tags that they ask for (`NotifierLike`).
    [[nodiscard]] std::string doubts() const { return detail::doubts_of(first_, second_); }
    [[nodiscard]] detail::RouteTags tags() const { return detail::tags_of(first_, second_); }

    [[nodiscard]] First& first() noexcept { return first_.template get<0>(); }
    [[nodiscard]] Second& second() noexcept { return second_.template get<0>(); }

private:
    [[nodiscard]] static bool is_power_of_two(std::uint32_t attempt) noexcept { return (attempt & (attempt - 1)) == 0; }

    [[nodiscard]] bool is_early(const Alert& alert) const {
        return settings_.after > Duration{} && std::chrono::system_clock::now() - alert.at < settings_.after;
    }

    /// How many attempts of this alert the second was to hear of. What is forgotten is told once more.
    [[nodiscard]] std::uint32_t heard(const Alert& alert) {
        if (settings_.after <= Duration{}) return alert.attempt;
        if (heard_from_.size() >= most_heard) heard_from_.clear();
        const std::uint32_t from = heard_from_.try_emplace(alert.key, alert.attempt).first->second;
        return alert.attempt < from ? 1 : alert.attempt - from + 1;
    }

    [[nodiscard]] static Alert with_reason(Alert alert, const std::string& reason) {
        alert.severity = std::max(alert.severity, Severity::warning);
        alert.issues.push_back("not delivered by " + std::string{std::string_view{First::name}} + ": " + reason);
        return alert;
    }

    // One of a kind turns what a notifier throws into an error.
    AnyOf<First> first_;
    AnyOf<Second> second_;
    FallbackSettings settings_;
    static constexpr std::size_t most_heard = 10'000;
    std::map<std::string, std::uint32_t, std::less<>> heard_from_;  ///< by key: the first attempt of which it was
};

}  // namespace heeler::inline HEELER_ABI
