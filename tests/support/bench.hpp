// A watchdog with a clock, a store, a notifier and an agent control that do as they are told, and short words for
// tests.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/engine/watchdog.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/settings/worker_monitor.hpp>
#include <heeler/store/memory_store.hpp>
#include <heeler/testing/fault_store.hpp>
#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/recording_notifier.hpp>
#include <heeler/testing/scripted_control.hpp>

namespace bench {

using namespace std::chrono_literals;

inline constexpr heeler::Instant start{heeler::Elapsed{1000s}, heeler::WallTime{1'800'000'000s}};

/// Ids, keys and outcomes of what a cycle reported, by kind.
template <class Event>
[[nodiscard]] std::vector<Event> all_of(const heeler::CycleReport& report) {
    std::vector<Event> found;
    for (const heeler::Event& event : report.events)
        if (const auto* one = std::get_if<Event>(&event)) found.push_back(*one);
    return found;
}

/// What was done in a cycle, in order: "inject:nudge done, snapshot failed".
[[nodiscard]] inline std::string acts_of(const heeler::CycleReport& report) {
    std::string text;
    for (const auto& event : all_of<heeler::ActionEvent>(report)) {
        if (!text.empty()) text += ", ";
        text += std::string{name_of(event.action.kind)} + " " + std::string{name_of(event.action.outcome)};
    }
    return text;
}

[[nodiscard]] inline std::string errors_of(const heeler::CycleReport& report) {
    std::string text;
    for (const auto& event : all_of<heeler::ErrorEvent>(report))
        text += event.where + " " + event.run + ": " + event.error.message + "\n";
    return text;
}

/// `long_run` with an interval of 60 s whatever the run expects.
[[nodiscard]] inline heeler::RunClass minute_class(std::string name = "minute") {
    heeler::RunClass rules = heeler::presets::long_run();
    rules.name = std::move(name);
    rules.interval.fixed = 60s;
    return rules;
}

/// `worker_monitor` of a host that registers only what is to be watched.
[[nodiscard]] inline heeler::RunClass all_workers() {
    heeler::RunClass rules = heeler::presets::worker_monitor();
    rules.applicability.filter->untagged = true;
    return rules;
}

[[nodiscard]] inline heeler::RunSpec spec_of(std::string id) {
    heeler::RunSpec spec;
    spec.id = std::move(id);
    spec.task = "Port the parser";
    spec.metric = heeler::MetricKind::reported;
    spec.metric_name = "files";
    return spec;
}

/// One watchdog over a store that outlives it.
struct Bench {
    using Store = heeler::FaultStore<heeler::MemoryStore>;
    using Dog = heeler::Watchdog<heeler::ManualClock, Store, heeler::RecordingNotifier>;

    heeler::ManualClock clock{start};
    heeler::MemoryStore memory;
    Store store{memory};
    heeler::RecordingNotifier notifier;
    heeler::ScriptedControl control;
    heeler::EngineSettings settings;
    std::vector<heeler::RunClass> classes{minute_class()};
    std::unique_ptr<Dog> dog;
    std::string acts;  ///< everything that was done so far

    Bench() { boot(); }

    /// A new watchdog, as after a restart; what the old one had in memory only is gone.
    void boot() {
        store = Store{memory};
        dog = std::make_unique<Dog>(clock, store, notifier, settings);
        dog->attach(control);
        for (const heeler::RunClass& rules : classes) (void)dog->define(rules);
    }

    heeler::RunHandle run(heeler::RunSpec spec) {
        auto handle = dog->start(std::move(spec), std::string_view{classes.front().name});
        if (!handle) throw std::runtime_error{handle.error().message};
        return *handle;
    }
    heeler::RunHandle run(std::string id = "r") { return run(spec_of(std::move(id))); }

    void progress(heeler::RunHandle handle, std::int64_t value) { (void)dog->observe(handle, heeler::Progress{value}); }

    heeler::CycleReport cycle(heeler::TickCause cause = heeler::TickCause::period) {
        heeler::CycleReport report = dog->cycle(cause);
        if (const std::string now = acts_of(report); !now.empty()) acts += (acts.empty() ? "" : "; ") + now;
        return report;
    }
    heeler::CycleReport after(heeler::Duration length) {
        clock.advance(length);
        return cycle();
    }

    /// Cycles each minute, with the metric standing still.
    void minutes(int count) {
        for (int i = 0; i < count; ++i) (void)after(60s);
    }
    /// A run that is nudged with the last of these cycles.
    heeler::RunHandle stalled(std::string id = "r") { return stalled(spec_of(std::move(id))); }
    heeler::RunHandle stalled(heeler::RunSpec spec) {
        const heeler::RunHandle handle = run(std::move(spec));
        progress(handle, 1);
        minutes(2);
        return handle;
    }

    [[nodiscard]] heeler::History history(std::string_view id = "r") { return *memory.history(id); }

    [[nodiscard]] std::string outcomes(std::string_view id = "r") {
        std::string text;
        for (const auto& record : history(id).interventions) {
            if (!text.empty()) text += ", ";
            text += std::string{name_of(record.action)} + " " + std::string{name_of(record.outcome)};
        }
        return text;
    }

    [[nodiscard]] std::vector<std::string> sent_kinds() const {
        std::vector<std::string> kinds;
        for (const auto& each : notifier.sent()) kinds.push_back(each.alert.kind);
        return kinds;
    }

    [[nodiscard]] std::size_t asked(heeler::ControlVerb verb) const {
        std::size_t count = 0;
        for (const auto& request : control.requests()) count += request.verb == verb ? 1 : 0;
        return count;
    }
};

}  // namespace bench
