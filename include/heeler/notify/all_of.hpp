// Several notifiers as one: an alert goes to all of them, and each has it or is asked again.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/doubts.hpp>

namespace heeler::inline HEELER_ABI {

/// Asks channels one after the other for one alert, and makes one answer of theirs: a receipt when each has it, or can
/// never get it and somebody else has it; else an error that names who has it. What is not over yet outweighs what
/// failed, and what may be mended by trying again outweighs what may not. For notifiers that hold several.
class EachOf {
public:
    explicit EachOf(const Alert& alert) : alert_{alert} {}

    /// `channel` is its name for good, different for each; `name` is shown. Answers its error, if it was asked.
    template <class Send>
    [[nodiscard]] std::optional<Error> ask(const std::string& channel, std::string_view name, Send&& send) {
        if (has(channel)) {
            take({1, {std::string{name}}}, channel, name);
            return std::nullopt;
        }
        Result<Receipt> answer = detail::guarded(ErrorCode::delivery_failed, name, [&] { return send(alert_); });
        if (answer && answer->recipients == 0)
            answer = fail(ErrorCode::no_recipient, std::string{name} + ": nobody listens on this route");
        if (answer) {
            take(*std::move(answer), channel, name);
            return std::nullopt;
        }
        Error error = std::move(answer.error());
        for (std::string& inner : error.taken) taken_.push_back(std::move(inner));  // of one that holds several itself
        error.taken.clear();
        if (!worst_ || weight(error) > weight(*worst_)) worst_ = error;
        return error;
    }

    /// Whether it has the alert already.
    [[nodiscard]] bool has(const std::string& channel) const { return detail::contains(alert_.taken, channel); }

    [[nodiscard]] Result<Receipt> answer() && {
        if (!worst_ || (receipt_.recipients > 0 && worst_->code == ErrorCode::permanent)) return std::move(receipt_);
        worst_->taken = std::move(taken_);
        return tl::unexpected<Error>(*std::move(worst_));
    }

private:
    [[nodiscard]] static int weight(const Error& error) noexcept {
        return error.code == ErrorCode::under_way ? 2 : error.code == ErrorCode::permanent ? 0 : 1;
    }

    void take(Receipt receipt, const std::string& channel, std::string_view name) {
        receipt_.add(std::move(receipt), name);
        taken_.push_back(channel);
    }

    const Alert& alert_;
    Receipt receipt_{0};
    std::vector<std::string> taken_;
    std::optional<Error> worst_;
};

/// Sends each alert to every notifier, in order, and counts as delivered when each has it: whoever failed is asked
/// again, and nobody who has it, also after a restart (`Alert::taken`; they are told apart by name and place among
/// those of one name; one that holds several itself needs other names in it). One that can never get it holds up
/// nobody, if another has it. A notifier that throws has failed. One thread at a time; it takes as long as all of them
/// together, unless they are `InBackground`.
template <class... Notifiers>
class AllOf {
    static_assert(sizeof...(Notifiers) > 0, "heeler: an AllOf needs at least one notifier");
    static_assert((check_notifier<Notifiers>() && ...));

public:
    static constexpr std::string_view name = "all_of";

    explicit AllOf(Notifiers... notifiers) : notifiers_{std::move(notifiers)...} {}

    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        EachOf each{alert};
        const auto begin_one = [&](auto& notifier, const std::string& channel) {
            if constexpr (requires { notifier.begin(alert); })
                if (!each.has(channel)) notifier.begin(alert);
        };
        const auto send_one = [&](auto& notifier, const std::string& channel) {
            static_cast<void>(each.ask(channel, notifier.name, [&](const Alert& a) { return notifier.send(a); }));
        };
        for_each(begin_one);
        for_each(send_one);
        return std::move(each).answer();
    }

    /// One that tells no routes takes any; each must serve the route.
    [[nodiscard]] Result<void> serves(std::string_view route) const {
        Result<void> answer;
        const auto ask = [&](const auto& notifier) {
            if constexpr (TellsRoutes<std::remove_cvref_t<decltype(notifier)>>)
                if (answer) answer = notifier.serves(route);
        };
        std::apply([&](const auto&... notifiers) { (ask(notifiers), ...); }, notifiers_);
        return answer;
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
    /// With the name that each has among these, for good.
    template <class Does>
    void for_each(Does&& does) {
        std::array<std::string_view, sizeof...(Notifiers)> names{};
        std::size_t place = 0;
        const auto one = [&](auto& notifier) {
            std::size_t same = 0;
            for (std::size_t i = 0; i < place; ++i) same += names[i] == std::string_view{notifier.name} ? 1 : 0;
            names[place++] = notifier.name;
            std::string channel{notifier.name};
            if (same > 0) channel += '#' + std::to_string(same + 1);
            does(notifier, channel);
        };
        std::apply([&](auto&... notifiers) { (one(notifiers), ...); }, notifiers_);
    }

    std::tuple<Notifiers...> notifiers_;
};

}  // namespace heeler::inline HEELER_ABI
