// What a judge said of each run, and how that compares with what people say.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "judge.hpp"

namespace detection {

/// What one judge said of one run.
struct Verdict {
    std::optional<std::size_t> nudge{};  ///< line of the first alarm
    std::optional<std::size_t> stop{};   ///< of the first one that is worth stopping the run
    std::size_t alarms = 0;              ///< how often one began
    std::string rule{};                  ///< of the first alarm
};

[[nodiscard]] Verdict judge(const Candidate& candidate, const Recording& run);

/// A share of a count, with the interval in which the true share lies at 95 % (Wilson).
struct Share {
    std::size_t part = 0;
    std::size_t of = 0;

    [[nodiscard]] double value() const noexcept { return of == 0 ? 0 : double(part) / double(of); }
    /// "0.93 [0.85, 0.97]", or "-" of nothing.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] double low() const noexcept;
    [[nodiscard]] double high() const noexcept;
};

/// Over the runs that are labelled with certainty, but for `lines` and `alarms`.
struct Score {
    std::size_t loops = 0, healthy = 0;
    std::size_t found = 0, false_alarms = 0;
    std::size_t stopped = 0, falsely_stopped = 0;
    std::size_t premature = 0;           ///< of those found: more than a call too early
    std::vector<std::ptrdiff_t> delays;  ///< of those found, in calls
    std::size_t lines = 0, alarms = 0;   ///< of all runs

    void add(const Recording& run, const Verdict& verdict);

    [[nodiscard]] Share precision() const { return {found, found + false_alarms}; }
    [[nodiscard]] Share recall() const { return {found, loops}; }
    [[nodiscard]] Share stop_precision() const { return {stopped, stopped + falsely_stopped}; }
    [[nodiscard]] Share stop_recall() const { return {stopped, loops}; }
    /// The delay below which so many hundredths of those found lie.
    [[nodiscard]] std::ptrdiff_t delay(int hundredths) const;
};

}  // namespace detection
