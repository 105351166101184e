// So many runs at once, whoever has waited longest first.
#include <heeler/cycle/due_runs.hpp>

#include <memory>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::DueRuns;
using Table = detail::RunTable<detail::WatchedRun>;

namespace {

/// A table in which each run is due at a moment of its own, in no order.
struct Flood {
    explicit Flood(std::uint32_t runs) {
        for (std::uint32_t i = 0; i < runs; ++i) {
            const auto handle = table.add([](detail::WatchedRun&, RunHandle) {});
            table.look_at(handle->index, since(i, runs));
        }
    }
    [[nodiscard]] static Elapsed since(std::uint32_t index, std::uint32_t runs) {
        return Elapsed{std::chrono::seconds{(index * 7919u) % runs}};
    }

    Table table;
    DueRuns due{table};
};

std::vector<std::uint32_t> indices(const std::vector<RunHandle>& handles) {
    std::vector<std::uint32_t> all;
    for (const RunHandle handle : handles) all.push_back(handle.index);
    return all;
}

}  // namespace

TEST_CASE("of 12,000 due runs those that have waited longest come first, each once") {
    constexpr std::uint32_t runs = 12'000;
    Flood flood{runs};
    const Elapsed now{1h * 10};
    std::vector<int> seen(runs, 0);
    Elapsed longest{};  // no later one may be older
    for (const std::size_t expected : {5000u, 5000u, 2000u}) {
        const auto taken = indices(flood.due.take(5000, now));
        REQUIRE(taken.size() == expected);
        Elapsed youngest{};
        for (const std::uint32_t index : taken) {
            ++seen[index];
            CHECK(Flood::since(index, runs) >= longest);
            youngest = std::max(youngest, Flood::since(index, runs));
            flood.table.look_at(index, now + 1min);
        }
        longest = youngest;
        CHECK(flood.table.next_deadline() == (flood.due.left() > 0 ? std::optional{longest + 1s} : now + 1min));
    }
    CHECK(flood.due.left() == 0);
    CHECK(std::count(seen.begin(), seen.end(), 1) == runs);
    CHECK(flood.due.take(5000, now).empty());
}

TEST_CASE("whoever became due again waits for those who were due before it") {
    Flood flood{3};
    flood.table.look_at(0, Elapsed{1s});
    flood.table.look_at(1, Elapsed{1s});
    flood.table.look_at(2, Elapsed{1s});
    CHECK(indices(flood.due.take(1, Elapsed{10s})) == std::vector<std::uint32_t>{0});
    flood.table.look_at(0, Elapsed{10s});  // at once again
    CHECK(indices(flood.due.take(1, Elapsed{10s})) == std::vector<std::uint32_t>{1});
    CHECK(flood.due.left() == 2);
    flood.table.look_at(1, Elapsed{10s});
    CHECK(indices(flood.due.take(1, Elapsed{10s})) == std::vector<std::uint32_t>{2});
    flood.table.look_at(2, Elapsed{11s});
    CHECK(indices(flood.due.take(1, Elapsed{10s})) == std::vector<std::uint32_t>{0});
}

TEST_CASE("who is over before it was its turn is not waited for") {
    Flood flood{3};
    const auto first = flood.due.take(1, Elapsed{10s});
    CHECK(flood.due.left() == 2);
    flood.table.look_at(first[0].index, std::nullopt);
    for (const RunHandle handle : flood.table.all()) flood.table.remove(handle);
    CHECK(flood.due.take(5, Elapsed{10s}).empty());
    CHECK(flood.due.left() == 0);
    CHECK_FALSE(flood.table.next_deadline());
}
