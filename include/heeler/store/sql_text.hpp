// SQL text that is put together when it is compiled, and the lists of words in it; for adapters of databases.
#pragma once

#include <cstddef>
#include <string_view>

#include <heeler/core/action.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/last_value.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/store/stored_names.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Used as a literal is.
template <std::size_t Size>
struct SqlText {
    char text[Size + 1]{};

    constexpr operator const char*() const noexcept { return text; }  // NOLINT: as a literal
};

/// All parts, one after the other.
template <std::size_t... Sizes>
[[nodiscard]] constexpr auto sql_text(const char (&... parts)[Sizes]) {
    SqlText<(Sizes + ...) - sizeof...(Sizes)> all;
    std::size_t end = 0;
    const auto add = [&](const char* part) {
        while (*part != '\0') all.text[end++] = *part++;
    };
    (add(parts), ...);
    return all;
}

/// `'one', 'other'`: the words of those values of an enumeration that are kept.
template <class E, bool (*is_kept)(E)>
[[nodiscard]] constexpr auto words_in_sql() {
    constexpr auto write = [](char* to) {
        std::size_t end = 0;
        const auto add = [&](std::string_view part) {
            for (const char c : part) {
                if (to != nullptr) to[end] = c;
                ++end;
            }
        };
        for (std::size_t i = 0; i < count_names<E>(); ++i) {
            if (!is_kept(static_cast<E>(i))) continue;
            add(end == 0 ? "'" : ", '");
            add(stored_name(static_cast<E>(i)));
            add("'");
        }
        return end;
    };
    SqlText<write(nullptr)> words;
    write(words.text);
    return words;
}

[[nodiscard]] constexpr bool has_ended(RunState state) { return is_terminal(state); }
[[nodiscard]] constexpr bool is_any_outcome(ActionOutcome) { return true; }
[[nodiscard]] constexpr bool is_settled_outcome(ActionOutcome outcome) { return outcome != ActionOutcome::intended; }
[[nodiscard]] constexpr bool is_any_alert(AlertRow::State) { return true; }
[[nodiscard]] constexpr bool is_settled_alert(AlertRow::State state) { return state != AlertRow::State::pending; }
[[nodiscard]] constexpr bool needs_nobody(AlertRow::State state) {
    return state == AlertRow::State::delivered || state == AlertRow::State::skipped;
}

/// Of runs that are over.
inline constexpr auto ended_states = words_in_sql<RunState, has_ended>();
inline constexpr auto all_outcomes = words_in_sql<ActionOutcome, is_any_outcome>();
inline constexpr auto settled_outcomes = words_in_sql<ActionOutcome, is_settled_outcome>();
inline constexpr auto all_alert_states = words_in_sql<AlertRow::State, is_any_alert>();
inline constexpr auto settled_alert_states = words_in_sql<AlertRow::State, is_settled_alert>();
/// Of alerts that are not on the list of those that nobody has.
inline constexpr auto told_alert_states = words_in_sql<AlertRow::State, needs_nobody>();

}  // namespace heeler::inline HEELER_ABI::detail
