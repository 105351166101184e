// Several notifiers as one: which of them an alert goes to is said by a table of routes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/doubts.hpp>
#include <heeler/text/setting_name.hpp>

namespace heeler::inline HEELER_ABI {

/// What an alert must be like. What is left out is not asked for; of a list, one entry must do.
struct Match {
    std::vector<std::string> to{};     ///< the route that it is addressed to (`Alert::to`)
    std::vector<std::string> kinds{};  ///< `escalation`, or all that begin like `worker.*`
    std::vector<std::string> tags{};   ///< of the run
    Severity at_least = Severity::none;

    [[nodiscard]] bool fits(const Alert& alert) const {
        if (alert.severity < at_least) return false;
        if (!to.empty() && !holds(to, alert.to)) return false;
        if (!kinds.empty() && !any(kinds, [&](const std::string& kind) { return is_kind(alert.kind, kind); }))
            return false;
        return tags.empty() || any(tags, [&](const std::string& tag) { return holds(alert.tags, tag); });
    }

    [[nodiscard]] bool names(std::string_view route) const { return holds(to, route); }

private:
    template <class Does>
    [[nodiscard]] static bool any(const std::vector<std::string>& list, Does&& does) {
        for (const std::string& each : list)
            if (does(each)) return true;
        return false;
    }
    [[nodiscard]] static bool holds(const std::vector<std::string>& list, std::string_view text) {
        return any(list, [&](const std::string& each) { return each == text; });
    }
    [[nodiscard]] static bool is_kind(std::string_view kind, std::string_view wanted) {
        if (wanted.empty() || wanted.back() != '*') return kind == wanted;
        return kind.starts_with(wanted.substr(0, wanted.size() - 1));
    }
};

/// One row of the table.
template <class Notifier>
struct Route {
    static_assert(check_notifier<Notifier>());

    Match match;
    Notifier notifier;
};
template <class Notifier>
Route(Match, Notifier) -> Route<Notifier>;

/// Sends each alert to the first row that it fits, and to the last resort if there is none; what that one answers is
/// the answer. Every route by name that a class uses must be listed in a row's `to`, or `define` refuses the class: a
/// row without `to` and the last resort take any alert, but are no recipient of a name that nobody has heard of. One
/// thread at a time.
template <class LastResort, class... Notifiers>
class RoutedNotifier {
    static_assert(check_notifier<LastResort>());

public:
    static constexpr std::string_view name = "routed";

    explicit RoutedNotifier(LastResort last_resort, Route<Notifiers>... routes)
        : last_resort_{std::move(last_resort)}, routes_{std::move(routes)...} {}

    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        Result<Receipt> answer = Receipt{0};
        const auto takes = [&](auto& route) {
            if (!route.match.fits(alert)) return false;
            answer = route.notifier.send(alert);
            return true;
        };
        const bool taken = std::apply([&](auto&... routes) { return (takes(routes) || ...); }, routes_);
        return taken ? answer : last_resort_.send(alert);
    }

    [[nodiscard]] Result<void> serves(std::string_view route) const {
        if (route.empty()) return ask(last_resort_, route);
        Result<void> answer = fail(ErrorCode::no_recipient, "the routes that are known are " + known() + meant(route));
        bool served = false;
        const auto look = [&](const auto& row) {
            if (served || !row.match.names(route)) return;
            answer = ask(row.notifier, route);
            served = answer.has_value();
        };
        std::apply([&](const auto&... routes) { (look(routes), ...); }, routes_);
        return answer;
    }

    /// Kinds that rows ask for and that are most likely misspelt: heeler makes none of that name, but one that is very
    /// like it. Empty: none is. `define` puts it on record.
    [[nodiscard]] std::string doubts() const {
        std::string text;
        const auto look = [&](const auto& row) {
            for (const std::string& kind : row.match.kinds)
                if (const std::string meant = meant_kind(kind); !meant.empty())
                    text += (text.empty() ? "no alert has the kind `" : "; none has the kind `") + kind +
                            "`, the nearest is `" + meant + "`";
        };
        std::apply([&](const auto&... routes) { (look(routes), ...); }, routes_);
        const std::string inner = std::apply(
            [&](const auto&... routes) { return detail::doubts_of(routes.notifier..., last_resort_); }, routes_);
        if (!inner.empty()) text += (text.empty() ? "" : "; ") + inner;
        return text;
    }

    /// The tags of runs that rows ask for. One that is most likely misspelt is put on record when people are told of a
    /// run that has one very like it, unless a run had this one before.
    [[nodiscard]] detail::RouteTags tags() const {
        std::vector<std::string> asked;
        const auto add = [&](const auto& row) { detail::append_all(asked, row.match.tags); };
        const auto add_all = [&](const auto&... routes) {
            (add(routes), ...);
            detail::append_all(asked, detail::tags_of(routes.notifier..., last_resort_).asked());
        };
        std::apply(add_all, routes_);
        return detail::RouteTags{std::move(asked)};
    }

    /// The notifier of a row, counted from 0.
    template <std::size_t Place>
    [[nodiscard]] auto& get() noexcept {
        return std::get<Place>(routes_).notifier;
    }
    [[nodiscard]] LastResort& last_resort() noexcept { return last_resort_; }

private:
    template <class Notifier>
    [[nodiscard]] static Result<void> ask(const Notifier& notifier, std::string_view route) {
        if constexpr (TellsRoutes<Notifier>) return notifier.serves(route);
        return {};
    }

    /// Of heeler's own kinds, or of what they begin with; empty: it is one of them, or like none.
    [[nodiscard]] static std::string meant_kind(const std::string& kind) {
        const bool is_part = kind.ends_with('*');
        std::vector<std::string_view> known;
        for (const std::string_view each : alert_kind_names)
            known.push_back(is_part ? each.substr(0, each.find('.') + 1) : each);
        const std::string_view wanted = std::string_view{kind}.substr(0, kind.size() - (is_part ? 1 : 0));
        for (const std::string_view each : alert_kind_names)
            if (is_part ? each.starts_with(wanted) : each == wanted) return {};
        const auto nearest = text::nearest_name(wanted, known);
        return nearest ? std::string{*nearest} + (is_part ? "*" : "") : std::string{};
    }

    [[nodiscard]] std::string known() const {
        std::string text;
        const auto add = [&](const auto& row) {
            for (const std::string& route : row.match.to) text.append(text.empty() ? "`" : ", `").append(route) += '`';
        };
        std::apply([&](const auto&... routes) { (add(routes), ...); }, routes_);
        return text.empty() ? "none" : text;
    }

    [[nodiscard]] std::string meant(std::string_view route) const {
        std::vector<std::string_view> all;
        const auto add = [&](const auto& row) { all.insert(all.end(), row.match.to.begin(), row.match.to.end()); };
        std::apply([&](const auto&... routes) { (add(routes), ...); }, routes_);
        const auto nearest = text::nearest_name(route, all);
        return nearest ? "; the nearest is `" + std::string{*nearest} + "`" : std::string{};
    }

    LastResort last_resort_;
    std::tuple<Route<Notifiers>...> routes_;
};

}  // namespace heeler::inline HEELER_ABI
