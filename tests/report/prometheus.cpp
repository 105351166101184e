#include <heeler/report/prometheus.hpp>

#include <charconv>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// Reads the exposition format as strictly as its definition is; every sample by its name and labels.
class Exposition {
public:
    explicit Exposition(std::string_view text) {
        REQUIRE((text.empty() || text.back() == '\n'));
        while (!text.empty()) {
            line(text.substr(0, text.find('\n')));
            text.remove_prefix(text.find('\n') + 1);
        }
    }

    [[nodiscard]] double value(const std::string& series) const {
        INFO(series);
        const auto found = samples_.find(series);
        REQUIRE(found != samples_.end());
        return found->second;
    }
    [[nodiscard]] bool has(const std::string& series) const { return samples_.count(series) != 0; }
    [[nodiscard]] const std::set<std::string>& families() const { return families_; }

private:
    void line(std::string_view text) {
        INFO(std::string{text});
        if (text.starts_with("# HELP ")) {
            text.remove_prefix(7);
            family_ = name(text);
            REQUIRE(families_.insert(family_).second);  // a family stands in one place
            REQUIRE(text.size() > 1);
            type_.clear();
        } else if (text.starts_with("# TYPE ")) {
            text.remove_prefix(7);
            REQUIRE(name(text) == family_);
            type_ = text.substr(1);
            REQUIRE((type_ == "counter" || type_ == "gauge" || type_ == "histogram" || type_ == "summary"));
            REQUIRE((type_ == "counter") == family_.ends_with("_total"));
        } else {
            sample(text);
        }
    }

    void sample(std::string_view text) {
        const std::string_view whole = text;
        const std::string of = name(text);
        const bool many = type_ == "histogram" || type_ == "summary";
        const std::string suffix = of.starts_with(family_) ? of.substr(family_.size()) : "another family";
        REQUIRE((many ? suffix == "_sum" || suffix == "_count" || (suffix == "_bucket" && type_ == "histogram")
                      : suffix.empty()));
        if (!text.empty() && text.front() == '{') labels(text);
        const std::string series{whole.substr(0, whole.size() - text.size())};
        REQUIRE(text.starts_with(" "));
        text.remove_prefix(1);
        double value = 0;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        REQUIRE((read.ec == std::errc{} && read.ptr == text.data() + text.size()));
        REQUIRE(samples_.emplace(series, value).second);  // once
    }

    void labels(std::string_view& text) {
        std::set<std::string> names;
        do {
            text.remove_prefix(1);
            REQUIRE(names.insert(name(text)).second);
            REQUIRE(text.starts_with("=\""));
            for (text.remove_prefix(2); !text.starts_with("\""); text.remove_prefix(1)) {
                REQUIRE_FALSE(text.empty());
                if (text.front() != '\\') continue;
                text.remove_prefix(1);
                REQUIRE((text.starts_with("\\") || text.starts_with("\"") || text.starts_with("n")));
            }
            text.remove_prefix(1);
        } while (text.starts_with(","));
        REQUIRE(text.starts_with("}"));
        text.remove_prefix(1);
    }

    static std::string name(std::string_view& text) {
        std::size_t size = 0;
        while (size < text.size() && (std::isalnum(static_cast<unsigned char>(text[size])) != 0 || text[size] == '_'))
            ++size;
        REQUIRE(size > 0);
        REQUIRE(std::isdigit(static_cast<unsigned char>(text[0])) == 0);
        const std::string found{text.substr(0, size)};
        text.remove_prefix(size);
        return found;
    }

    std::string family_, type_;
    std::set<std::string> families_;
    std::map<std::string, double> samples_;
};

constexpr WallTime noon{1'800'000'000s};

ActionEvent acted_on(std::string run, ActionKind kind, ActionOutcome outcome, OutcomeFrom from = OutcomeFrom::answer) {
    ActionEvent event;
    event.run = std::move(run);
    event.action.kind = kind;
    event.action.outcome = outcome;
    event.action.outcome_from = from;
    return event;
}

AlertEvent alert_that_is(AlertRow::State state, AlertRow::How how = AlertRow::How::plain) {
    AlertEvent event;
    event.row.state = state;
    event.row.how = how;
    return event;
}

CycleReport with_event(Event event) {
    CycleReport report;
    report.events.push_back(std::move(event));
    return report;
}

Exposition shown(const Telemetry& telemetry, const Vitals& seen = {}) {
    return Exposition{prometheus_text(seen, telemetry.counts())};
}

}  // namespace

TEST_CASE("the metrics of a watchdog that did nothing are good text, and say so") {
    const Exposition text = shown(Telemetry{});
    CHECK(text.value("heeler_runs{state=\"running\"}") == 0);
    CHECK(text.value("heeler_outbox_oldest_seconds") == 0);
    CHECK_FALSE(text.has("heeler_progress_age_seconds"));
    CHECK_FALSE(text.has("heeler_last_healthy_tick_timestamp_seconds"));
    CHECK_FALSE(text.has("heeler_lease_held"));        // there is none
    CHECK_FALSE(text.has("heeler_heartbeats_total"));  // nobody counts them
}

TEST_CASE("what a watchdog holds, owes and asked of its store is in the metrics") {
    Vitals seen;
    seen.runs[static_cast<std::size_t>(RunState::running)] = 3;
    seen.progress_age = 90s;
    seen.open_incidents = 2;
    seen.held_by_clock = 4;
    seen.held_by_start = 5;
    seen.held_by_gap = 6;
    seen.unobservable = 8;
    seen.poisoned = 11;
    seen.called_every = 10s;
    seen.source_ahead = 2500ms;
    seen.slow_classes = 2;
    seen.left = 11;
    seen.alerts_pending = 7;
    seen.oldest_alert = 2500ms;
    seen.shares = seen.may_act = true;
    seen.epoch = 9;
    StoreCalls& commits = seen.store[static_cast<std::size_t>(StoreOp::commit)];
    commits.count = 10;
    commits.spent = 1500ms;
    commits.errors[static_cast<std::size_t>(ErrorCode::fenced)] = 2;
    commits.errors[static_cast<std::size_t>(ErrorCode::busy)] = 1;
    seen.store[static_cast<std::size_t>(StoreOp::claim_runs)].errors[static_cast<std::size_t>(ErrorCode::fenced)] = 1;
    const Exposition text = shown(Telemetry{}, seen);
    CHECK(text.value("heeler_runs{state=\"running\"}") == 3);
    CHECK(text.value("heeler_runs{state=\"paused\"}") == 0);
    CHECK(text.value("heeler_progress_age_seconds") == 90);
    CHECK(text.value("heeler_episodes_open") == 2);
    CHECK(text.value("heeler_unobservable_runs") == 8);
    CHECK(text.value("heeler_poisoned_runs") == 11);
    CHECK(text.value("heeler_observer_grace{cause=\"clock\"}") == 4);
    CHECK(text.value("heeler_observer_grace{cause=\"start\"}") == 5);
    CHECK(text.value("heeler_observer_grace{cause=\"gap\"}") == 6);
    CHECK(text.value("heeler_called_every_seconds") == 10);
    CHECK(text.value("heeler_source_ahead_seconds") == 2.5);
    CHECK(text.value("heeler_slow_host_classes") == 2);
    CHECK(text.value("heeler_runs_left") == 11);
    CHECK(text.value("heeler_outbox_pending") == 7);
    CHECK(text.value("heeler_outbox_oldest_seconds") == 2.5);
    CHECK(text.value("heeler_lease_held") == 1);
    CHECK(text.value("heeler_lease_epoch") == 9);
    CHECK(text.value("heeler_store_op_seconds_sum{op=\"commit\"}") == 1.5);
    CHECK(text.value("heeler_store_op_seconds_count{op=\"commit\"}") == 10);
    CHECK(text.value("heeler_store_errors_total{op=\"commit\",kind=\"busy\"}") == 1);
    CHECK(text.value("heeler_store_errors_total{op=\"claim_runs\",kind=\"fenced\"}") == 1);
    CHECK(text.value("heeler_fenced_writes_total") == 3);
}

TEST_CASE("what cycles did is counted") {
    Telemetry telemetry;
    StatusEvent status;
    status.run = "r";
    status.findings.push_back({Condition::stalled, Level::nudge, "interval_contract", {}});
    status.findings.push_back({Condition::loop_detected, Level::stop, "loop_detector", {}});
    telemetry.add(with_event(status), noon);
    telemetry.add(with_event(status), noon);
    telemetry.add(with_event(acted_on("r", ActionKind::nudge, ActionOutcome::done)), noon);
    telemetry.add(with_event(acted_on("s", ActionKind::nudge, ActionOutcome::failed)), noon);
    telemetry.add(with_event(acted_on("s", ActionKind::spawn, ActionOutcome::unknown)), noon);
    telemetry.add(with_event(acted_on("s", ActionKind::pause, ActionOutcome::skipped, OutcomeFrom::shadow)), noon);
    telemetry.add(with_event(acted_on("s", ActionKind::pause, ActionOutcome::skipped, OutcomeFrom::freeze)), noon);
    telemetry.add(with_event(acted_on("s", ActionKind::escalate, ActionOutcome::skipped, OutcomeFrom::silence)), noon);
    telemetry.add(with_event(OutcomeEvent{"r", 1, ActionKind::nudge, InterventionOutcome::recovered}), noon + 61s);
    telemetry.add(with_event(OutcomeEvent{"s", 1, ActionKind::nudge, InterventionOutcome::persisted}), noon + 70s);
    telemetry.add(with_event(alert_that_is(AlertRow::State::delivered)), noon);
    telemetry.add(with_event(alert_that_is(AlertRow::State::delivered)), noon);
    telemetry.add(with_event(alert_that_is(AlertRow::State::dead)), noon);
    telemetry.add(with_event(alert_that_is(AlertRow::State::skipped, AlertRow::How::together)), noon);
    telemetry.add(with_event(alert_that_is(AlertRow::State::skipped)), noon);
    telemetry.add(with_event(AuditEvent{{noon, "gap", {}, "{}"}, 3600s}), noon);
    telemetry.add(with_event(AuditEvent{{noon, "gap", {}, "{}"}, -900s}), noon);
    telemetry.add(with_event(AuditEvent{{noon, "gap", {}, "{}"}, -901s}), noon);
    CycleReport held;
    held.why = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    telemetry.add(held, noon);

    const Exposition text = shown(telemetry);
    CHECK(text.value("heeler_detections_total{detector=\"interval_contract\",verdict=\"STALLED\"}") == 2);
    CHECK(text.value("heeler_detections_total{detector=\"loop_detector\",verdict=\"LOOP_DETECTED\"}") == 2);
    CHECK(text.value("heeler_interventions_total{step=\"inject:nudge\",outcome=\"done\"}") == 1);
    CHECK(text.value("heeler_interventions_total{step=\"inject:nudge\",outcome=\"failed\"}") == 1);
    CHECK(text.value("heeler_interventions_total{step=\"inject:nudge\",outcome=\"recovered\"}") == 1);
    CHECK(text.value("heeler_intervention_seconds_sum{step=\"inject:nudge\"}") == 61);  // of s none was done
    CHECK(text.value("heeler_intervention_seconds_count{step=\"inject:nudge\"}") == 1);
    CHECK(text.value("heeler_continuations_total{outcome=\"unknown\"}") == 1);
    CHECK(text.value("heeler_alerts_total{outcome=\"delivered\"}") == 2);
    CHECK(text.value("heeler_alerts_total{outcome=\"dead\"}") == 1);
    CHECK(text.value("heeler_alerts_total{outcome=\"together\"}") == 1);
    CHECK(text.value("heeler_outbox_dead_total") == 1);
    CHECK(text.value("heeler_clock_jumps_total{clock=\"wall\",direction=\"forward\"}") == 1);
    CHECK(text.value("heeler_clock_jumps_total{clock=\"wall\",direction=\"backward\"}") == 2);
    double expected = 1;
    for (const char* reason :
         {"debounce", "budget", "cooldown", "grace", "silence", "unstored", "inhibit", "snooze", "flapping"})
        CHECK(text.value("heeler_suppressed_total{reason=\"" + std::string{reason} + "\"}") == expected++);
    CHECK(text.value("heeler_suppressed_total{reason=\"shadow\"}") == 1);
    CHECK(text.value("heeler_suppressed_total{reason=\"freeze\"}") == 1);
}

TEST_CASE("a clock that is set back makes no sum smaller") {
    Telemetry telemetry;
    telemetry.add(with_event(acted_on("r", ActionKind::nudge, ActionOutcome::done)), noon);
    telemetry.add(with_event(OutcomeEvent{"r", 1, ActionKind::nudge, InterventionOutcome::recovered}), noon - 1h);
    CHECK(shown(telemetry).value("heeler_intervention_seconds_sum{step=\"inject:nudge\"}") == 0);
}

TEST_CASE("cycles are measured, and the last healthy one is known") {
    Telemetry telemetry;
    CycleReport tick;
    tick.ticks = tick.whole = 1;
    tick.took = 20ms;
    tick.late = 3s;
    telemetry.add(tick, noon);
    tick.whole = 0;
    tick.took = 400s;
    tick.late.reset();
    telemetry.add(tick, noon + 5s);
    CycleReport delivery;
    delivery.deliveries = 1;
    delivery.took = 9s;
    telemetry.add(delivery, noon + 6s);  // is no tick
    const Exposition text = shown(telemetry);
    CHECK(text.value("heeler_tick_seconds_bucket{le=\"0.005\"}") == 0);
    CHECK(text.value("heeler_tick_seconds_bucket{le=\"0.02\"}") == 1);
    CHECK(text.value("heeler_tick_seconds_bucket{le=\"300\"}") == 1);
    CHECK(text.value("heeler_tick_seconds_bucket{le=\"+Inf\"}") == 2);
    CHECK(text.value("heeler_tick_seconds_count") == 2);
    CHECK(text.value("heeler_tick_seconds_sum") == 400.02);
    CHECK(text.value("heeler_tick_lateness_seconds_count") == 1);
    CHECK(text.value("heeler_tick_lateness_seconds_sum") == 3);
    CHECK(text.value("heeler_last_healthy_tick_timestamp_seconds") == 1'800'000'000);
}

TEST_CASE("reports of runs are counted where the host passes on what they were answered") {
    Telemetry telemetry;
    CHECK(telemetry.heard(Observed::ok, Heartbeat{}) == Observed::ok);
    telemetry.heard(Observed::ok, Heartbeat{});
    telemetry.heard(Observed::ok, Progress{1});
    telemetry.heard(Observed::fenced, Heartbeat{});
    telemetry.heard(Observed::ok, Usage{100, 20});
    telemetry.heard(Observed::refused, Usage{-1, 0});
    const Exposition text = shown(telemetry);
    CHECK(text.value("heeler_heartbeats_total") == 2);
    CHECK(text.value("heeler_heartbeats_rejected_total{reason=\"fenced\"}") == 1);
    CHECK(text.value("heeler_heartbeats_rejected_total{reason=\"refused\"}") == 1);
    CHECK(text.value("heeler_heartbeats_rejected_total{reason=\"unknown\"}") == 0);
    CHECK(text.value("heeler_spend_tokens_total") == 120);
}

TEST_CASE("a label can hold anything and breaks nothing, and no metric names a run") {
    Telemetry telemetry;
    StatusEvent status;
    status.run = "a-run-of-this-name";
    status.findings.push_back({Condition::stalled, Level::nudge, "a\"b\\c\nd\xff\x1b[31m}", {}});
    telemetry.add(with_event(status), noon);
    telemetry.add(with_event(acted_on("a-run-of-this-name", ActionKind::nudge, ActionOutcome::done)), noon);
    const std::string text = prometheus_text({}, telemetry.counts());
    CHECK_THAT(text, ContainsSubstring("detector=\"a\\\"b\\\\c\\nd"));
    CHECK(text.find("a-run-of-this-name") == std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(Exposition{text}.has("heeler_outbox_pending"));
}

TEST_CASE("clears of the monitor's own context are counted, with its size where that is known [M-139]") {
    const Exposition none{prometheus_text(ContextClears{})};
    CHECK(none.value("heeler_context_clears_total{outcome=\"done\"}") == 0);
    CHECK_FALSE(none.has("heeler_context_cleared_size"));
    const Exposition some{prometheus_text(ContextClears{7, 2, 4096})};
    CHECK(some.value("heeler_context_clears_total{outcome=\"done\"}") == 7);
    CHECK(some.value("heeler_context_clears_total{outcome=\"failed\"}") == 2);
    CHECK(some.value("heeler_context_cleared_size") == 4096);
}

TEST_CASE("the names of all metrics") {
    Telemetry telemetry;
    telemetry.heard(Observed::ok, Heartbeat{});
    Vitals seen;
    seen.shares = true;
    std::string names;
    const auto text = shown(telemetry, seen);
    for (const std::string& name : text.families()) names += name.substr(7) + "\n";
    CHECK(
        names ==
        "alerts_total\ncalled_every_seconds\nclock_jumps_total\ncontinuations_total\ndetections_total\nepisodes_open\n"
        "fenced_writes_total\nheartbeats_rejected_total\nheartbeats_total\nintervention_seconds\n"
        "interventions_total\nlast_healthy_tick_timestamp_seconds\nlease_epoch\nlease_held\nobserver_grace\n"
        "outbox_dead_total\noutbox_oldest_seconds\noutbox_pending\npoisoned_runs\nprogress_age_seconds\nruns\n"
        "runs_left\nslow_host_classes\nsource_ahead_seconds\nspend_tokens_total\nstore_errors_total\nstore_op_"
        "seconds\nsuppressed_"
        "total\ntick_lateness_"
        "seconds\n"
        "tick_seconds\nunobservable_runs\n");
}
