// A cycle in which no run is due.
#include "compare.hpp"
#include "host.hpp"

namespace bench {

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
}

}  // namespace bench
