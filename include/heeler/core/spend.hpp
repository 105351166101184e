// What is asked of a store by who counts what runs spend. Nobody else includes this.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// A store that adds `RunBatch::spend` up, in the transaction of the run's other rows. `spent(day, lineages)` answers
/// what was spent on that day (negative: on none), and what these lineages spent on any. Each row that it kept counts
/// in one of those that it answers, which stand for one lineage, owner and day, or for several days if none of them is
/// `day`: then their own `day` is -1.
template <class T>
concept CountsSpend = requires(T& store, std::int64_t day, const std::vector<std::string>& lineages) {
    { store.spent(day, lineages) } -> std::same_as<Result<List<SpendRow>>>;
};

/// An amount that was spent.
struct Spent {
    std::int64_t tokens = 0;     ///< in and out together
    std::int64_t micro_usd = 0;  ///< millionths of a dollar

    friend bool operator==(const Spent&, const Spent&) = default;
};

namespace detail {

[[nodiscard]] inline std::int64_t spend_day(WallTime when) {
    return std::chrono::floor<std::chrono::days>(in_calendar(when)).time_since_epoch().count();
}

/// Nobody spends more than nine billion dollars.
[[nodiscard]] inline std::int64_t micros_of(double usd) noexcept {
    return static_cast<std::int64_t>((usd < 9e9 ? usd : 9e9) * 1e6 + 0.5);
}

[[nodiscard]] inline Spent spent_by(const UsageTotals& usage) noexcept {
    return {usage.tokens_in + usage.tokens_out, micros_of(usage.cost_usd)};
}

}  // namespace detail

}  // namespace heeler::inline HEELER_ABI
