// A cycle in which no run is due, and one in which very many are.
#include "compare.hpp"
#include "host.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

/// Runs that are all due each second, and well.
class Flood {
public:
    Flood(std::size_t runs, std::uint32_t due_per_tick) : kennel_{runs, rules(), own(due_per_tick)} {}

    /// Until the first verdicts of a flood are stored.
    [[nodiscard]] double first_verdict() {
        heeler::Instant& now = kennel_.dog->clock().at;
        now.elapsed += 1s;
        now.wall += 1s;
        return time_one(1, [&] { benchmark::DoNotOptimize(kennel_.dog->tick()); });
    }

private:
    [[nodiscard]] static heeler::RunClass rules() {
        heeler::RunClass rules = all_rules();
        rules.schedule.aligned = true;
        return rules;
    }
    [[nodiscard]] static heeler::EngineSettings own(std::uint32_t due_per_tick) {
        heeler::EngineSettings own;
        own.due_per_tick = due_per_tick;
        return own;
    }

    Kennel kennel_;
};

}  // namespace

void add_ticks(Effort effort, Rows& rows) {
    using namespace heeler;
    for (const std::size_t runs : {effort.of(100'000, 2'000), effort.of(1'000'000, 5'000)}) {
        Kennel kennel{runs};
        const std::vector<std::int64_t> deadlines(runs, 1'000'000);
        rows.push_back(compare(
            effort, "tick, nothing due, " + std::to_string(runs) + " runs", 1.2,
            [&] { return time_one(1, [&] { benchmark::DoNotOptimize(kennel.dog->tick()); }); },
            [&] {
                const std::int64_t now = opaque(0);
                return time_one(1, [&] {
                    std::size_t due = 0;
                    for (const std::int64_t deadline : deadlines) due += deadline <= now ? 1 : 0;
                    benchmark::DoNotOptimize(due);
                });
            }));
    }
    const std::size_t runs = effort.of(100'000, 12'000);
    Flood parts{runs, heeler::EngineSettings{}.due_per_tick};
    Flood whole{runs, static_cast<std::uint32_t>(runs)};
    rows.push_back(compare(
        effort, "first verdict beside " + std::to_string(runs) + " due, all at once", 0.2,
        [&] { return parts.first_verdict(); }, [&] { return whole.first_verdict(); }));
}

}  // namespace bench
