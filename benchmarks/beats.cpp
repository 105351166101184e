// A sign of life: through a handle and through an id.
#include <array>
#include <atomic>
#include <barrier>
#include <thread>
#include <unordered_map>

#include "compare.hpp"
#include "host.hpp"

namespace bench {
namespace {

struct Slot {
    std::atomic<std::int64_t> at{0};
    std::int64_t other = 0;
};

/// Runs `work(first index)` on so many threads at once; nanoseconds per operation of the slowest.
template <class Work>
double on_threads(std::size_t threads, std::size_t count, const Work& work) {
    if (threads == 1) return time_one(count, [&] { work(0); });
    std::barrier ready{static_cast<std::ptrdiff_t>(threads)};
    std::vector<double> took(threads);
    std::vector<std::thread> pool;
    for (std::size_t t = 0; t < threads; ++t)
        pool.emplace_back([&, t] {
            ready.arrive_and_wait();
            took[t] = time_one(count, [&] { work(t * count / threads); });
        });
    for (std::thread& thread : pool) thread.join();
    return *std::max_element(took.begin(), took.end());
}

}  // namespace

void add_beats(Effort effort, Rows& rows) {
    using namespace heeler;
    const std::size_t runs = effort.of(10'000, 500);
    const std::size_t count = effort.of(50'000, 2'000);
    Kennel kennel{runs};
    Dog& dog = *kennel.dog;
    const auto order = scattered(2 * count, runs);
    std::vector<RunHandle> handles;
    for (const std::uint32_t number : order) handles.push_back(kennel.runs[number]);
    std::vector<Slot> slots(runs);
    const Instant now{Elapsed{Duration{opaque(5)}}, {}};

    for (const std::size_t threads : {std::size_t{1}, std::size_t{2}}) {
        const auto beat = [&](std::size_t from) {
            for (std::size_t i = from; i < from + count; ++i)
                benchmark::DoNotOptimize(dog.observe(handles[i], Heartbeat{}, now));
        };
        const auto store = [&](std::size_t from) {
            for (std::size_t i = from; i < from + count; ++i)
                slots[handles[i].index].at.store(now.elapsed.time_since_epoch().count(), std::memory_order_relaxed);
        };
        rows.push_back(compare(
            effort, "heartbeat by handle, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
            threads == 1 ? 2.0 : 3.0, [&] { return on_threads(threads, count, beat); },
            [&] { return on_threads(threads, count, store); }));
    }

    std::vector<std::string> ids;
    std::unordered_map<std::string, RunHandle> map;
    for (std::size_t i = 0; i < runs; ++i) {
        ids.push_back(id_of(i));
        map.emplace(ids.back(), kennel.runs[i]);
    }
    rows.push_back(compare(
        effort, "heartbeat by id", 1.0,
        [&] {
            return time_one(count, [&] {
                for (std::size_t i = 0; i < count; ++i)
                    benchmark::DoNotOptimize(dog.observe(std::string_view{ids[order[i]]}, Heartbeat{}));
            });
        },
        [&] {
            return time_one(count, [&] {
                for (std::size_t i = 0; i < count; ++i) benchmark::DoNotOptimize(map.find(ids[order[i]])->second);
            });
        }));
}

}  // namespace bench
