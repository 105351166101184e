// The engine's rooms without the engine: over a clock, a store and a notifier that do as they are told.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/cycle/loader.hpp>
#include <heeler/cycle/source_reader.hpp>
#include <heeler/effects/courier.hpp>
#include <heeler/effects/deliverer.hpp>
#include <heeler/engine/edge.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/storage/held_lease.hpp>
#include <heeler/storage/ledger.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

namespace rooms {

using namespace std::chrono_literals;

/// Counts tool calls and says how many, in each judgement: so it can be seen what a detector remembers.
template <char Name, std::uint32_t Layout = 1>
struct Counts {
    static constexpr char name[] = {Name, '\0'};
    static constexpr std::string_view kind{name, 1};
    static constexpr heeler::EventMask listens = heeler::events<heeler::ToolCall>;
    static constexpr std::uint32_t layout = Layout;
    struct Settings {
        heeler::Level level = heeler::Level::watch;
    };
    struct Memory {
        int calls = 0;
    };
    void learn(Memory& memory, const Settings&, const heeler::Observation&) const { ++memory.calls; }
    [[nodiscard]] std::optional<heeler::Finding> check(const Memory& memory, const Settings& settings,
                                                       const heeler::Run&, heeler::Instant) const {
        heeler::Finding finding{heeler::Condition::stalled, settings.level, kind, {.rule = "count"}};
        finding.evidence.add("calls", memory.calls);
        return finding;
    }
};

/// "a 2, b 0": what such detectors have counted, in their order.
[[nodiscard]] inline std::string counts_of(const heeler::List<heeler::Finding>& findings) {
    std::string text;
    for (const heeler::Finding& finding : findings) {
        if (finding.evidence.rule != "count") continue;
        if (!text.empty()) text += ", ";
        text += std::string{finding.kind} + " " + std::to_string(static_cast<int>(finding.evidence.fact("calls")));
    }
    return text;
}

/// `minute_class` with no detector.
[[nodiscard]] inline heeler::RunClass bare_class(std::string name = "bare") {
    heeler::RunClass rules = bench::minute_class(std::move(name));
    rules.detectors = {};
    return rules;
}

struct Process final : heeler::detail::ProcessPort {
    bool freeze = false;
    int tokens = 0;
    std::string name{};               ///< empty: it cannot tell
    std::vector<std::string> over{};  ///< these have ended

    [[nodiscard]] std::string token() override { return "process " + std::to_string(++tokens); }
    [[nodiscard]] bool frozen() override { return freeze; }
    [[nodiscard]] std::string identity() override { return name; }
    [[nodiscard]] bool is_over(std::string_view identity) override {
        return std::find(over.begin(), over.end(), identity) != over.end();
    }
};

/// What is saved of a run, as it is now.
/// What became of alerts since the run's last cycle.
[[nodiscard]] inline std::vector<heeler::detail::Fate> fates_of(const heeler::detail::RunMemory& watched) {
    std::vector<heeler::detail::Fate> fates;
    watched.rare->fates->each([&](const heeler::detail::Fate& fate) { fates.push_back(fate); });
    return fates;
}

/// The verdict as the run's next cycle begins with it: what became of its alerts is taken in.
[[nodiscard]] inline heeler::detail::Verdict told(heeler::detail::RunMemory& watched) {
    return watched.as_told([](const heeler::detail::RunMemory& run) { return *run.verdict; });
}

[[nodiscard]] inline std::string facts_of(heeler::detail::RunMemory& watched, heeler::Instant now) {
    heeler::ArchiveWriter to{now};
    watched.archive_facts(to);
    return to.take();
}

/// All rooms below the cycle, one thread.
struct House {
    using Store = heeler::FaultStore<heeler::MemoryStore>;

    heeler::ManualClock clock{bench::start};
    heeler::MemoryStore memory;
    Store store{memory};
    heeler::RecordingNotifier notifier;
    heeler::ScriptedControl control;
    Process process;
    heeler::EngineSettings settings;
    heeler::detail::ClockEdge<heeler::ManualClock> clock_port{clock};
    heeler::detail::StoreEdge<Store> store_port{store};
    heeler::detail::NotifierEdge<heeler::RecordingNotifier> notifier_port{notifier};
    heeler::detail::RunTable<heeler::detail::WatchedRun> table;
    heeler::detail::Registry registry{table};
    heeler::detail::HeldLease held_lease{settings, clock_port, process};
    heeler::detail::GroupSources sources;
    heeler::detail::SourceReader intake{sources, table, clock_port};
    heeler::detail::Ledger ledger{store_port, held_lease, process};
    heeler::detail::Courier courier{notifier_port, ledger, held_lease};
    heeler::detail::Deliverer deliverer{courier, clock_port, process, ledger, registry, held_lease};
    heeler::detail::Loader loader{ledger, registry, deliverer.queues(), settings, held_lease, sources, courier};

    House() {
        deliverer.effects().control(heeler::detail::ControlRef{control});
        deliverer.freeze(false);
    }

    [[nodiscard]] heeler::Instant now() { return clock.now(); }

    void define(const heeler::RunClass& rules) { REQUIRE(registry.define(rules, now())); }

    /// Registered, not stored.
    heeler::RunHandle run(const heeler::RunClass& rules, heeler::RunSpec spec = bench::spec_of("r")) {
        if (!registry.find_class(rules.name)) define(rules);
        const auto handle = registry.add(std::move(spec), rules.name, now());
        REQUIRE(handle);
        return *handle;
    }
    /// Registered and stored.
    heeler::RunHandle stored(const heeler::RunClass& rules, heeler::RunSpec spec = bench::spec_of("r")) {
        const heeler::RunHandle handle = run(rules, std::move(spec));
        REQUIRE_FALSE(ledger.commit_one(handle, at(handle), now()));
        return handle;
    }
    [[nodiscard]] heeler::detail::WatchedRun& at(heeler::RunHandle handle) {
        heeler::detail::WatchedRun* const watched = table.find(handle);
        REQUIRE(watched != nullptr);
        return *watched;
    }

    template <class What>
    void tell(heeler::RunHandle handle, const What& what) {
        heeler::detail::Folder{at(handle), now()}(what);
    }

    [[nodiscard]] heeler::History history(std::string_view id = "r") { return *memory.history(id); }
};

/// What all detectors of a run find now.
[[nodiscard]] inline heeler::List<heeler::Finding> found(const heeler::detail::WatchedRun& watched,
                                                         heeler::Instant now) {
    heeler::List<heeler::Finding> all;
    watched.detectors.check(watched.run, now, [&](const heeler::Finding& finding) { all.push_back(finding); });
    return all;
}

}  // namespace rooms
