// The host of the benchmarks: a watchdog whose clock, store and notifier cost nothing, and runs to watch.
#pragma once

#include <heeler/engine/watchdog.hpp>
#include <heeler/settings/presets.hpp>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// Always the same moment, without a lock.
struct StandingClock {
    heeler::Instant at{};
    [[nodiscard]] heeler::Instant now() const noexcept { return at; }
};

/// Takes everything and keeps nothing.
struct NoStore {
    [[nodiscard]] heeler::Result<heeler::Snapshot> load() { return heeler::Snapshot{}; }
    [[nodiscard]] heeler::Result<heeler::List<heeler::DecisionRow>> list() {
        return heeler::List<heeler::DecisionRow>{};
    }
    [[nodiscard]] heeler::Result<heeler::Conflicts> commit(const heeler::Batch&) { return heeler::Conflicts{}; }
    [[nodiscard]] heeler::Result<heeler::History> history(std::string_view) { return heeler::History{}; }
};

struct NoNotifier {
    static constexpr std::string_view name = "none";
    [[nodiscard]] heeler::Result<heeler::Receipt> send(const heeler::Alert&) { return heeler::Receipt{}; }
};

using Dog = heeler::Watchdog<StandingClock, NoStore, NoNotifier>;

[[nodiscard]] inline heeler::RunClass all_rules() {
    using namespace heeler;
    RunClass rules = presets::recommended();
    rules.name = "all";
    const BlockRule widest{1, 64, 3, 15, 256};
    rules.detectors.turn_on<LoopDetector<Line>>({widest, {}})
        .turn_on<LoopDetector<Call>>({widest, {}})
        .turn_on<HeartbeatContract<Intervals>>()
        .turn_on<HeartbeatContract<AliveAge>>()
        .turn_on<HeartbeatContract<ActivityAge>>();
    return rules;
}

[[nodiscard]] inline std::string id_of(std::size_t number) {
    return "agents/worker-" + std::to_string(100'000 + number);
}

/// A watchdog with `count` runs.
struct Kennel {
    explicit Kennel(std::size_t count, const heeler::RunClass& rules = all_rules(),
                    const heeler::EngineSettings& own = {})
        : dog{std::make_unique<Dog>(StandingClock{}, NoStore{}, NoNotifier{}, own)}, of{rules.name} {
        if (!dog->define(rules)) std::abort();
        add(count);
    }

    /// New runs, which are the last `count` of `runs` afterwards.
    void add(std::size_t count) {
        while (count-- > 0) {
            heeler::RunSpec spec;
            spec.id = id_of(runs.size());
            const auto run = dog->start(std::move(spec), of);
            if (!run) std::abort();
            runs.push_back(*run);
        }
    }

    std::unique_ptr<Dog> dog;
    std::string of;  ///< the class of its runs
    std::vector<heeler::RunHandle> runs;
};

/// `count` numbers below `limit` in no order, the same each time.
[[nodiscard]] inline std::vector<std::uint32_t> scattered(std::size_t count, std::size_t limit) {
    std::mt19937 random{17};
    std::vector<std::uint32_t> numbers(count);
    for (auto& number : numbers) number = static_cast<std::uint32_t>(random() % limit);
    return numbers;
}

}  // namespace bench
