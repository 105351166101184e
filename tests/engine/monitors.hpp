// Monitors of many workers: what their tests have in common.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "support/bench.hpp"

namespace monitors {

using namespace heeler;
using namespace std::chrono_literals;

inline constexpr Duration poll_every = 30s;
inline constexpr StateChange asking{RunState::waiting_human, "waiting", {}, "Approve?"};
inline constexpr StateChange working{RunState::running, "working"};

/// Counts its clears, which always fail if they are to.
struct Counter {
    bool fails = false;
    std::uint64_t clears = 0;

    Result<void> clear() {
        ++clears;
        if (fails) return fail(ErrorCode::failed, "never");
        return {};
    }
};

/// With a notifier and a store that do as they are told.
struct Told : bench::Bench {
    Counter context;

    Told() {
        classes = {bench::all_workers()};
        boot();
        dog->attach(context);
    }
    std::vector<RunHandle> workers(int count) {
        std::vector<RunHandle> all;
        for (int i = 0; i < count; ++i) all.push_back(run("w" + std::to_string(i)));
        return all;
    }
    [[nodiscard]] std::size_t keys() const {
        std::set<std::string> all;
        for (const auto& each : notifier.sent()) all.insert(each.alert.key);
        return all.size();
    }
};

}  // namespace monitors
