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

/// Where a text is written, or only its length counted.
struct SqlWriter {
    char* to = nullptr;
    std::size_t size = 0;

    constexpr void add(std::string_view part) {
        for (const char c : part) {
            if (to != nullptr) to[size] = c;
            ++size;
        }
    }
};

template <void (*write)(SqlWriter&)>
[[nodiscard]] constexpr auto written_sql() {
    constexpr std::size_t size = [] {
        SqlWriter counted;
        write(counted);
        return counted.size;
    }();
    SqlText<size> all;
    SqlWriter writer{all.text};
    write(writer);
    return all;
}

template <class E, bool (*is_kept)(E)>
constexpr void write_words(SqlWriter& to) {
    for (std::size_t i = 0; i < count_names<E>(); ++i) {
        if (!is_kept(static_cast<E>(i))) continue;
        to.add(to.size == 0 ? "'" : ", '");
        to.add(stored_name(static_cast<E>(i)));
        to.add("'");
    }
}

/// `'one', 'other'`: the words of those values of an enumeration that are kept.
template <class E, bool (*is_kept)(E)>
[[nodiscard]] constexpr auto words_in_sql() {
    return written_sql<write_words<E, is_kept>>();
}

[[nodiscard]] constexpr bool has_ended(RunState state) { return is_terminal(state); }
[[nodiscard]] constexpr bool is_any_outcome(ActionOutcome) { return true; }
[[nodiscard]] constexpr bool is_settled_outcome(ActionOutcome outcome) { return outcome != ActionOutcome::intended; }
[[nodiscard]] constexpr bool is_any_alert(AlertRow::State) { return true; }
[[nodiscard]] constexpr bool is_settled_alert(AlertRow::State state) { return state != AlertRow::State::pending; }
[[nodiscard]] constexpr bool needs_nobody(AlertRow::State state) {
    return state == AlertRow::State::delivered || state == AlertRow::State::skipped;
}

template <auto value>
[[nodiscard]] constexpr bool is_value(decltype(value) other) {
    return other == value;
}

/// The word of one value, as a literal of SQL.
template <auto value>
inline constexpr auto word_of = words_in_sql<decltype(value), is_value<value>>();

/// Of runs that are over.
inline constexpr auto ended_states = words_in_sql<RunState, has_ended>();
inline constexpr auto all_outcomes = words_in_sql<ActionOutcome, is_any_outcome>();
inline constexpr auto settled_outcomes = words_in_sql<ActionOutcome, is_settled_outcome>();
inline constexpr auto all_alert_states = words_in_sql<AlertRow::State, is_any_alert>();
inline constexpr auto settled_alert_states = words_in_sql<AlertRow::State, is_settled_alert>();
/// Of alerts that are not on the list of those that nobody has.
inline constexpr auto told_alert_states = words_in_sql<AlertRow::State, needs_nobody>();

/// The runs of which something may be left to be done, by the indices of what is, and of what nobody can read.
inline constexpr auto unfinished_runs =
    sql_text("SELECT run FROM actions WHERE outcome = ", word_of<ActionOutcome::intended>.text,
             " UNION SELECT run FROM alerts WHERE state = ", word_of<AlertRow::State::pending>.text,
             " UNION SELECT run FROM actions WHERE (outcome IN (", all_outcomes.text,
             ")) IS NOT TRUE UNION SELECT run FROM alerts WHERE (state IN (", all_alert_states.text, ")) IS NOT TRUE");

}  // namespace heeler::inline HEELER_ABI::detail
