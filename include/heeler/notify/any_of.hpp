// Several notifiers as one: an alert goes to all of them, and counts as delivered if anybody got it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <heeler/core/alert.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/doubts.hpp>

namespace heeler::inline HEELER_ABI {

/// Sends each alert to every notifier, in order. One receipt is enough, its recipients summed over all that answered
/// with one, and named; without any, the first error is answered, or that one is still
/// being sent. A notifier that throws has failed and stops nobody. A
/// retry goes to all of them again, also those that had it: an alert of which one channel is known to work and another
/// is down is lost to the second. Where each must have it, use `AllOf`. One thread at a time.
template <class... Notifiers>
class AnyOf {
    static_assert(sizeof...(Notifiers) > 0, "heeler: an AnyOf needs at least one notifier");
    static_assert((check_notifier<Notifiers>() && ...));

public:
    static constexpr std::string_view name = "any_of";

    explicit AnyOf(Notifiers... notifiers) : notifiers_{std::move(notifiers)...} {}

    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        Receipt receipt{0};
        bool delivered = false;
        std::optional<Error> first_error;
        const auto send_one = [&](auto& notifier) {
            auto answer =
                detail::guarded(ErrorCode::delivery_failed, notifier.name, [&] { return notifier.send(alert); });
            if (answer) {
                delivered = true;
                receipt.add(*std::move(answer), notifier.name);
            } else if (!first_error ||
                       (answer.error().code == ErrorCode::under_way && first_error->code != ErrorCode::under_way)) {
                first_error = std::move(answer.error());
            }
        };
        std::apply([&](auto&... notifiers) { (send_one(notifiers), ...); }, notifiers_);
        if (delivered) return receipt;
        return tl::unexpected<Error>(std::move(*first_error));
    }

    /// One that tells no routes takes any; if none of them serves this one, the first says why.
    [[nodiscard]] Result<void> serves(std::string_view route) const {
        Result<void> refused;
        bool served = false;
        const auto ask = [&](const auto& notifier) {
            Result<void> answer;
            if constexpr (TellsRoutes<std::remove_cvref_t<decltype(notifier)>>) answer = notifier.serves(route);
            served |= answer.has_value();
            if (!answer && refused) refused = std::move(answer);
        };
        std::apply([&](const auto&... notifiers) { (ask(notifiers), ...); }, notifiers_);
        if (served) return {};
        return refused;
    }

    /// What is doubtful in the settings of its notifiers, and the tags that they ask for (`NotifierLike`).
    [[nodiscard]] std::string doubts() const {
        return std::apply([](const auto&... notifiers) { return detail::doubts_of(notifiers...); }, notifiers_);
    }
    [[nodiscard]] detail::RouteTags tags() const {
        return std::apply([](const auto&... notifiers) { return detail::tags_of(notifiers...); }, notifiers_);
    }

    /// The notifier at a place, counted from 0.
    template <std::size_t Place>
    [[nodiscard]] auto& get() noexcept {
        return std::get<Place>(notifiers_);
    }

private:
    std::tuple<Notifiers...> notifiers_;
};

}  // namespace heeler::inline HEELER_ABI
