#include <heeler/cycle/wording.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <heeler/alert/text.hpp>
#include <heeler/cycle/plan.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/settings/worker_monitor.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::Judged;
using detail::Planner;
using rooms::House;

namespace wording_test {

namespace {

/// What is wrong with a text that people read; empty: nothing.
std::string wrong_with(const std::string& text) {
    if (text.find("  ") != std::string::npos) return "two blanks";
    for (const char* placeholder : {"{}", "%s", "%d", "<nil>", "null", "attempts_used_up"})
        if (text.find(placeholder) != std::string::npos) return placeholder;
    for (const char* noun : {"minutes", "seconds", "hours", "days", "attempts", "recovery attempts", "errors", "calls",
                             "checks", "intervals", "times", "tool failures", "runs", "sends"})
        for (const char* count : {"0 ", "1 "}) {
            const bool may_be_none = *count == '0' && std::string_view{noun}.find("attempt") != std::string_view::npos;
            const std::size_t at = may_be_none ? std::string::npos : text.find(count + std::string{noun});
            const bool whole = at == 0 || (at != std::string::npos && (text[at - 1] < '0' || text[at - 1] > '9') &&
                                           text[at - 1] != '.' && text[at - 1] != ',');
            if (whole) return count + std::string{noun};
        }
    return {};
}

void check_text(const std::string& text) {
    CAPTURE(text);
    CHECK(wrong_with(text).empty());
}

void check_alert(const Alert& alert) {
    CAPTURE(alert.kind);
    check_text(format_alert(alert));
    check_text(format_session_alert(alert));
    CHECK_FALSE(alert.summary.empty());
    if (alert.severity != Severity::none) CHECK_FALSE(alert.issues.empty());
    for (const Detail& detail : alert.details) {
        CAPTURE(detail.name);
        check_text(detail.value);
        if (detail.name == "recommendation") CHECK(detail.value.ends_with('.'));
        if (detail.name == "recommendation") CHECK(detail.value.find(": restart. ") == std::string::npos);
    }
}

std::vector<RunClass> all_presets() {
    std::vector<RunClass> all{presets::recommended(),
                              presets::long_run(),
                              presets::session_monitor(),
                              presets::worker_monitor(),
                              presets::checkpoint_continuation(),
                              presets::checkpoint_relay()};
    for (RunClass& rules : all) rules.alerts.tell_people = true;
    return all;
}

constexpr const Condition* all_conditions[] = {
    &Condition::timeout,       &Condition::runaway,     &Condition::no_output_access, &Condition::loop_detected,
    &Condition::error_cascade, &Condition::stalled,     &Condition::token_budget,     &Condition::failed,
    &Condition::silent,        &Condition::exhausted,   &Condition::needs_input,      &Condition::complete,
    &Condition::unanswered,    &Condition::left_waiting};

/// A run of a class whose incident has had so many attempts.
struct Told : House {
    RunHandle of;
    detail::WatchedRun& watched;

    Told(const RunClass& rules, std::uint32_t attempts) : of{run(rules, bench::spec_of("r"))}, watched{at(of)} {
        Incident& incident = watched.verdict.edit().incident;
        incident.number = 1;
        incident.attempts = attempts;
        incident.phase = Phase::climbing;
    }
    [[nodiscard]] RunBatch rows(Judged judged, bool same_rung = false) {
        return Planner{watched, judged, now()}(same_rung);
    }
    [[nodiscard]] Judged judged(const Condition& condition, Plan plan, std::string_view reason = {}) const {
        Judged result{watched.verdict->incident};
        result.decision.condition = condition;
        result.decision.plan = std::move(plan);
        result.decision.tells = true;
        result.decision.reason = reason;
        result.news.looked = true;
        result.severity = Severity::critical;
        result.news.found = bit_of(condition);
        Finding finding{condition, Level::nudge, "quiet", {.rule = "zero_delta"}};
        finding.evidence.add("age_s", 1);
        result.findings.add(finding);
        return result;
    }
};

}  // namespace

TEST_CASE("every alert of every preset about every condition can be read", "[cycle]") {
    for (const RunClass& rules : all_presets())
        for (const Condition* condition : all_conditions)
            for (const std::uint32_t attempts : {0u, 1u, 2u})
                for (const Plan& plan :
                     {Plan{}, Plan{{ActionKind::nudge, {}, {}}}, Plan{{ActionKind::escalate, {}, {}}},
                      Plan{{ActionKind::abandon, {}, {}}, {ActionKind::file_issue, {}, {}}}}) {
                    CAPTURE(rules.name, name_of(*condition), attempts, plan.size());
                    Told t{rules, attempts};
                    Judged judged = t.judged(*condition, plan, plan.empty() ? "" : "attempts_used_up");
                    judged.decision.is_final = attempts == 2;
                    for (const AlertRow& row : t.rows(judged).alerts) check_alert(row.alert);
                    Judged settled{t.watched.verdict->incident};
                    settled.decision.plan = {{ActionKind::escalate, {}, {}}};
                    settled.decision.reason = "action_failed";
                    settled.failed = "inject:nudge rejected";
                    for (const AlertRow& row : t.rows(settled, true).alerts)
                        if (condition->opens_incident()) check_alert(row.alert);
                }
}

TEST_CASE("people read that a run is paused if it is, and not because that was intended", "[cycle]") {
    const auto said_of = [](const Plan& plan, std::string_view reason = {}) {
        Told t{presets::recommended(), 0};
        if (!reason.empty()) t.watched.verdict.edit().incident.phase = Phase::holding;
        for (const AlertRow& row : t.rows(t.judged(Condition::loop_detected, plan, reason)).alerts)
            for (const Detail& detail : row.alert.details)
                if (detail.name == detail_name::next) return detail.value;
        return std::string{};
    };
    const Step pause{ActionKind::pause, {}, {}}, escalate{ActionKind::escalate, {}, {}};
    const std::string open = "once it is paused, the run stays so until an operator resumes it";
    CHECK(said_of({pause}) == open);
    CHECK(said_of({pause, escalate}) == open);
    CHECK(said_of({pause, {ActionKind::escalate, ActionKind::pause, {}}}) ==
          "the run stays paused until an operator resumes it");  // nobody reads it before it is
    CHECK(said_of({escalate}, "outcome_unknown") == "nothing more is done; a person looks what has become of the run");
    CHECK(said_of({escalate}, "unsupported") == "nothing more is done; the run goes on and a person decides");
    for (const RunClass& rules : all_presets()) {
        const auto* ladder = rules.ladder.as<RecoveryLadder>();
        if (ladder == nullptr || !ladder->asks_for(ActionKind::pause)) continue;
        List<Plan> plans{ladder->final_rung};
        for (const Response& response : ladder->responses)
            for (const Plan& plan : response.rungs) plans.push_back(plan);
        for (const Plan& plan : plans)
            for (const Step& step : plan)
                if (rung::has(plan, ActionKind::pause) && step.action == ActionKind::escalate)
                    CHECK(step.needs == ActionKind::pause);
    }
}

TEST_CASE("the words of every detector count as people do", "[cycle]") {
    for (const RunClass& rules : all_presets())
        for (const auto& entry : rules.detectors.entries())
            for (const char* fact : {"age_s", "elapsed_s", "zero_intervals", "intervals_stuck", "duration_s", "errors",
                                     "window", "failures", "count", "repeats"})
                for (const double value : {1.0, 45.0, 60.0, 61.0, 600.0, 3600.0}) {
                    if (entry.ops->describe == nullptr) continue;
                    Finding one{Condition::stalled, Level::nudge, entry.ops->kind, {.rule = "rule"}};
                    one.evidence.add(fact, value);
                    for (const char* other : {"age_s", "elapsed_s", "zero_intervals", "intervals_stuck", "errors"})
                        if (std::string_view{other} != fact) one.evidence.add(other, 600);
                    CAPTURE(rules.name, entry.ops->kind, fact, value);
                    const std::string text = entry.ops->describe(one);
                    if (text.find(" 0 ") == std::string::npos) check_text(text);
                }
}

TEST_CASE("what is done is planned until it is known what came of it", "[cycle]") {
    Told t{presets::long_run(), 0};
    const RunBatch rows = t.rows(t.judged(Condition::stalled, {{ActionKind::nudge, {}, {}}}));
    REQUIRE(rows.alerts.size() == 1);
    std::string planned, done;
    for (const Detail& detail : rows.alerts[0].alert.details) {
        if (detail.name == "planned") planned = detail.value;
        if (detail.name == "done") done = detail.value;
    }
    CHECK(planned == "inject:nudge");
    CHECK(done.empty());
}

TEST_CASE("an incident is not told as milder while it lasts", "[cycle]") {
    Told t{presets::long_run(), 1};
    (void)t.rows(t.judged(Condition::stalled, {{ActionKind::nudge, {}, {}}}));
    Judged settled{t.watched.verdict->incident};
    settled.decision.plan = {{ActionKind::escalate, {}, {}}};
    settled.severity = Severity::none;
    const RunBatch rows = t.rows(settled, true);
    REQUIRE(rows.alerts.size() == 1);
    CHECK(rows.alerts[0].alert.severity == Severity::critical);
    CHECK_FALSE(rows.alerts[0].alert.issues.empty());
}

TEST_CASE("what people can type is said where somebody can carry it out", "[cycle]") {
    const std::string operate = GENERATE(as<std::string>{}, "", "heeler-ctl --store sqlite:/s.db");
    for (RunClass rules : all_presets()) {
        rules.alerts.operate = operate;
        rules.alerts.escalation = {three_levels(), 4h};
        CAPTURE(rules.name, operate);
        Told t{rules, 1};
        const Judged judged =
            t.judged(Condition::stalled, {{ActionKind::escalate, {}, {}}, {ActionKind::file_issue, {}, {}}});
        const RunBatch rows = t.rows(judged);
        REQUIRE_FALSE(rows.alerts.empty());
        for (const AlertRow& row : rows.alerts) {
            std::string typed;
            for (const Detail& detail : row.alert.details)
                if (detail.name == "stop" || detail.name == "ack") typed += detail.value + "; ";
            const std::string stop = operate + " snooze --for 2h -- 'r'; ";
            const std::string both = operate + " ack -- 'r'; " + stop;
            CHECK(typed == (operate.empty() ? "" : row.alert.is(AlertKind::escalation) ? both : stop));
            check_alert(row.alert);
        }
        std::string issue;
        for (const Action& action : rows.actions)
            if (action.kind == ActionKind::file_issue) issue = action.text;
        REQUIRE_FALSE(issue.empty());
        CHECK(issue.ends_with(operate.empty() ? "\n" : "\nStop: " + operate + " snooze --for 2h -- 'r'\n"));
        CHECK((issue.find("Stop:") == std::string::npos) == operate.empty());
    }
}

}  // namespace wording_test
