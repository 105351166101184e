// Turns a decision of the ladder into rows: actions with their keys and texts, the intervention, alerts and records.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/alert/next.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/cycle/all_clear.hpp>
#include <heeler/cycle/judge.hpp>
#include <heeler/cycle/wording.hpp>
#include <heeler/recover/prompts.hpp>
#include <heeler/recover/rung.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/sha256.hpp>
#include <heeler/text/shell_word.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// A key that names one effect of one run for ever: short, safe in a header or a file name.
[[nodiscard]] inline std::string effect_key(const Run& run, std::uint32_t intervention, std::string_view what) {
    std::string source =
        "heeler effect 1\n" + std::to_string(run.incarnation) + "\n" + std::to_string(intervention) + "\n";
    source.append(what).append("\n").append(run.id);
    return text::sha256_hex(source).substr(0, 32);
}

inline constexpr std::string_view escalation_record = "escalation";  ///< kind of audit rows about its levels
inline constexpr std::string_view flapping_record = "flapping";      ///< that a run begins to flap, or does no more

/// The rows of one run in one cycle. Changes the verdict, and the incarnation where a continuation is to be fenced;
/// under the run's lock.
class Planner {
public:
    Planner(RunMemory& watched, const Judged& judged, Instant now) : watched_{watched}, judged_{judged}, now_{now} {}

    /// Applies the decision to the run's memory and returns its rows. `same_rung`: the actions belong to the last one.
    [[nodiscard]] RunBatch operator()(bool same_rung) {
        const Decision& decision = judged_.decision;
        const Incident before = watched_.verdict->incident;
        telling_ = telling_of(watched_, judged_, now_);
        const bool flapped = watched_.verdict->told.flaps->found;
        if (telling_.told != watched_.verdict->told) watched_.verdict.edit().told = telling_.told;
        if (decision.incident.number != before.number)
            watched_.verdict.edit().nudges =
                watched_.verdict->nudges_in_row(watched_.rules().limits.nudges, watched_.run.working(now_.elapsed));
        if (decision.incident != before) watched_.verdict.edit().incident = decision.incident;
        if (decision.incident.number != before.number) {
            watched_.verdict.edit().found.clear();
            watched_.verdict.edit().repeated_by = 0;
        }
        note_conditions();
        if (decision.incident.open() && watched_.verdict->found.empty()) note_cause();
        if (telling_.ack_over) record_ack_over();
        if (decision.acts()) act(same_rung);
        if (telling_.told.flaps->found != flapped)
            audit(flapping_record, text::concat(R"({"flaps":)", flapped ? "false" : "true", R"(,"incidents":)",
                                                std::to_string(telling_.told.flaps->begun), "}"));
        if (!telling_.held_by.empty())
            audit("suppressed", text::concat(R"({"what":"alert","why":")", telling_.held_by, "\"}"));
        tell(before);
        record(before);
        return std::move(rows_);
    }

    /// For people who were told that an incident began: the run is over.
    [[nodiscard]] List<AlertRow> ended() const {
        const bool found_over = watched_.verdict->told.found_over && watched_.run.state == RunState::completed;
        AlertRow row = alert_of(name_of(found_over ? AlertKind::worker_complete : AlertKind::ended), "end " + moment());
        const std::string outcome = found_over ? "unknown" : std::string{name_of(watched_.run.state)};
        const bool given_up = watched_.run.state == RunState::abandoned || watched_.run.state == RunState::failed;
        row.alert.severity = given_up && !found_over ? Severity::warning : Severity::none;
        row.alert.summary = "run " + row.alert.run.name + " is over, outcome " + outcome;
        row.alert.details.push_back({"outcome", outcome});
        // Of an incident that was over before, people were told then.
        const Incident& trouble = watched_.verdict->incident;
        add_all_clear(row.alert, watched_, watched_.verdict->told.is_believed() ? trouble : Incident{},
                      watched_.run.working(now_.elapsed), {});
        List<AlertRow> rows{std::move(row)};
        copy_for_levels(rows);
        return rows;
    }

    [[nodiscard]] AlertRow alert(AlertKind kind, std::string_view what) const { return alert_of(name_of(kind), what); }

private:
    static constexpr std::size_t detail_cap = 4096;  ///< bytes of a detector's detail

    void act(bool same_rung) {
        note_cause();
        Incident& incident = watched_.verdict.edit().incident;
        if (!same_rung) ++incident.interventions;
        for (const Step& step : judged_.decision.plan) {
            if (step.about) stamp(*step.about);
            if (step.action == ActionKind::spawn && !judged_.excused)
                watched_.verdict.edit().restarts.add(watched_.rules().limits.restarts, now_.wall);
            // Durable with the intent, so before the continuation is started: who still works is fenced off.
            if (step.action == ActionKind::spawn && fences())
                watched_.run.incarnation = max_of(watched_.run.incarnation, watched_.run.attempt + 1);
        }
        incident.value_then = watched_.run.metric_value().value_or(incident.value_then);
        incident.items_then = watched_.items();
        const List<Step> plan = plan_with_isolation();
        ActionKind strongest = plan.front().action;
        for (std::size_t i = 0; i < plan.size(); ++i) {
            rows_.actions.push_back(action_of(plan[i], i, same_rung));
            if (rung::rank(plan[i].action) > rung::rank(strongest)) strongest = plan[i].action;
        }
        if (!same_rung) {
            rows_.interventions.push_back({incident.interventions, incident.number, wording_.attempt(),
                                           judged_.decision.condition, strongest, InterventionOutcome::pending,
                                           now_.wall});
        }
        if (rung::has_deeds(plan)) count_today();
    }

    /// For who asks what to change when the incident has come to its end: the worst of it, not the limit that ends it.
    void note_cause() {
        Verdict& verdict = watched_.verdict.edit();
        for (const Finding& finding : judged_.findings) {
            if (finding.level < Level::nudge || finding.condition == Condition::timeout) continue;
            if (!verdict.found.empty() && outranks(verdict.cause, finding.condition)) return;
            verdict.cause = finding.condition;
            verdict.found = wording_.found_in_words(finding);
            return;
        }
    }

    [[nodiscard]] bool fences() const noexcept {
        return !shadow() && watched_.rules().stop_proof == StopProofNeeded::fenced;
    }
    [[nodiscard]] bool shadow() const noexcept { return watched_.rules().mode == Mode::shadow; }

    /// From now on nothing about the same is sent, until the cooldown is over or the steer turns out to have failed.
    void stamp(Condition about) {
        auto& slots = watched_.verdict.edit().steered;
        for (SentSteer& slot : slots)
            if (slot.condition == about) {
                slot.at = now_.wall;
                return;
            }
        slots.push_back({about, now_.wall});
    }

    /// Several agents in one run: this one is set apart before anything is done to it.
    [[nodiscard]] Plan plan_with_isolation() const {
        Plan plan = judged_.decision.plan;
        if (!rung::touches(plan) || !wording_.is_to_be_isolated()) return plan;
        plan.insert(plan.begin(), Step{ActionKind::isolate, {}});
        return plan;
    }

    [[nodiscard]] Action action_of(const Step& step, std::size_t at, bool same_rung) {
        Action action;
        action.kind = step.action;
        action.needs = step.needs;
        action.incident = watched_.verdict->incident.number;
        action.intervention = watched_.verdict->incident.interventions;
        action.attempt = wording_.attempt();
        if (step.action == ActionKind::spawn && !shadow()) action.attempt = watched_.run.attempt;
        action.about = step.about;
        action.key = effect_key(watched_.run, action.intervention,
                                std::to_string(at) + (same_rung ? "+" : ".") + std::string{name_of(step.action)});
        if (is_injection(step.action))
            action.text =
                text::redact(prompts::compose(watched_.rules().prompts, step.action, wording_.facts(step.about)));
        else if (step.action == ActionKind::spawn)
            action.text = wording_.brief();
        else if (step.action == ActionKind::file_issue)
            action.text = wording_.issue_text();
        else
            action.text = wording_.why();
        if (auto order = watched_.detectors.compose_action(watched_.run, step.action)) {
            action.key = std::move(order->key);
            action.text = std::move(order->text);
        }
        if (step.action == ActionKind::escalate) escalate(action);
        return action;
    }

    void escalate(const Action& action) {
        AlertRow row = alert_about_incident(AlertKind::escalation, action.key);
        row.action_key = action.key;
        address(row);
        row.alert.summary = "run " + row.alert.run.name + " needs a person (" + wording_.condition_and_reason() + ")";
        wording_.complete(row, wording_.done_so_far(), wording_.next_for_people(action.needs == ActionKind::pause));
        row.alert.details.push_back(
            {detail_name::summary,
             text::redact(prompts::choose(watched_.rules().prompts.summary, prompts::summary, wording_.facts()))});
        if (const Finding* finding = wording_.finding_about(judged_.decision.condition)) add_details(row, *finding);
        const bool gave_up = watched_.verdict->incident.phase == Phase::holding && !judged_.failed.empty();
        if (judged_.decision.is_final || gave_up)
            row.alert.details.push_back({detail_name::recommendation, wording_.recommendation()});
        if (wording_.is_poisoned()) tell_poison(row);
        rows_.alerts.push_back(std::move(row));
        if (rung::ends_run(judged_.decision.plan)) copy_for_levels_above();
    }

    void tell_poison(AlertRow& row) {
        Restarts& restarts = watched_.verdict.edit().restarts;
        restarts.poisoned_at = restarts.poisoned_at.value_or(now_.wall);
        const std::string starts = words::counted(static_cast<double>(restarts.starts.size()), "fresh agent");
        make_critical(row);
        row.alert.summary = text::concat("run ", row.alert.run.name, " is POISONED: ", starts, " did not help");
        wording_.add_command(row, "resume", " resume");
    }

    /// But of an escalation, which goes with its action.
    void tell(const Incident& before) {
        if (telling_.unhealthy) {
            AlertRow row =
                alert_about_incident(AlertKind::unhealthy, telling_.told.end_told ? "last " + moment() : moment());
            wording_.complete_with_plan(row);
            rows_.alerts.push_back(std::move(row));
        }
        if (telling_.recovered) tell_recovery(before);
        for (const ConditionAlert& edge : watched_.rules().alerts.conditions)
            if ((telling_.ends & bit_of(edge.condition)) != 0) tell_end(edge);
        if (telling_.begins != nullptr && telling_.begins->condition == Condition::flapping)
            tell_edge(*telling_.begins, flapping());
        else if (telling_.begins != nullptr)
            if (const Finding* finding = wording_.finding_about(telling_.begins->condition))
                tell_edge(*telling_.begins, *finding);
        if (telling_.goes_on) tell_it_goes_on();
    }

    /// Nobody has said to be on it, or whoever did has not mended it, or a silence kept it from people.
    void tell_it_goes_on() {
        const std::string silence = std::to_string(telling_.silence);
        const bool has_levels = telling_.level.level != 0;
        AlertRow row = alert_about_incident(AlertKind::escalation,
                                            telling_.silence != 0 ? "after silence " + silence
                                            : has_levels ? "step " + std::to_string(telling_.told.levels->steps)
                                                         : "again " + moment());
        address(row);
        if (telling_.silence != 0)
            row.alert.details.push_back({detail_name::silenced, "by " + silence + ", which is over"});
        make_critical(row);
        row.alert.summary =
            "run " + row.alert.run.name + " still needs a person (" + wording_.condition_and_reason() + ")";
        wording_.complete(row, wording_.done_so_far());
        if (wording_.is_poisoned()) tell_poison(row);
        rows_.alerts.push_back(std::move(row));
    }

    /// What is said of the incident later is so, too.
    void make_critical(AlertRow& row) {
        row.alert.severity = watched_.verdict.edit().told.severity = Severity::critical;
    }

    void tell_recovery(const Incident& from) {
        AlertRow row = alert_of(name_of(AlertKind::recovered), "of the incident " + moment());
        row.alert.severity = Severity::none;
        row.alert.summary = "run " + row.alert.run.name + ": recovered from " + std::string{name_of(from.condition)};
        add_all_clear(row.alert, watched_, from, watched_.run.working(now_.elapsed), judged_.decision.last);
        List<AlertRow> rows{std::move(row)};
        copy_for_levels(rows);
        // Each of them is waited for: if somebody reads it, it is not told again because somebody else did not.
        for (std::size_t i = 1; i < rows.size(); ++i)
            watched_.verdict.edit().told.ask({now_.wall, from.number, {}, rows[i].alert.kind, true});
        for (AlertRow& each : rows) rows_.alerts.push_back(std::move(each));
    }

    /// Sends it to the level whose turn it is, says in it what follows, and puts that on record.
    void address(AlertRow& row) {
        if (telling_.level.level == 0) return;
        const LevelStep& step = telling_.level;
        const Told& told = telling_.told;
        const List<EscalationLevel>& levels = this->levels();
        row.alert.to = route_of(levels[step.level - 1]);
        const std::string place = text::concat(std::to_string(step.level), " of ", std::to_string(levels.size()));
        row.alert.details.push_back({"level", place});
        wording_.add_command(row, "ack", " ack");
        if (told.acknowledged)
            row.alert.details.push_back({"acknowledged_by", told.levels->by});
        else if (step.next)
            row.alert.details.push_back({"ack_before", text::rfc3339(wall_at(now_, *step.next))});
        text::JsonLine line;
        line.begin_object().key("level").number(step.level).key("of").number(levels.size());
        line.key("to").string(row.alert.to).key("why").string(name_of(step.cause));
        line.key("alert").string(row.alert.key).key("next");
        step.next ? line.string(text::rfc3339(wall_at(now_, *step.next))) : line.null();
        line.end_object();
        audit(escalation_record, std::move(line).text());
    }

    void record_ack_over() {
        text::JsonLine line;
        line.begin_object().key("acknowledged_by").string(telling_.acknowledged_by);
        line.key("lasted_s").number(in_seconds(watched_.rules().alerts.escalation.ack_lasts)).end_object();
        audit(escalation_record, std::move(line).text());
    }

    [[nodiscard]] std::string route_of(const EscalationLevel& level) const {
        if (level.whom == EscalationTarget::parent && !spec_.parent.empty()) return text::sanitise(spec_.parent, 256);
        if (level.whom != EscalationTarget::people && !spec_.origin.empty()) return text::sanitise(spec_.origin, 256);
        const bool own = level.whom == EscalationTarget::people && !level.route.empty();
        return text::sanitise(own ? level.route : watched_.rules().alerts.to, 256);
    }

    [[nodiscard]] const List<EscalationLevel>& levels() const {
        return watched_.rules().alerts.escalation.levels_of(!spec_.parent.empty());
    }

    /// The routes that the incident's escalation went to, each once.
    [[nodiscard]] std::vector<std::string> routes_told() const {
        std::vector<std::string> routes;
        const ToldLevels& told = *watched_.verdict->told.levels;
        const List<EscalationLevel>& levels = this->levels();
        if (told.incident != watched_.verdict->incident.number) return routes;
        for (std::size_t i = 0; i < min_of<std::size_t>(told.told, levels.size()); ++i) {
            std::string route = route_of(levels[i]);
            if (!contains(routes, route)) routes.push_back(std::move(route));
        }
        return routes;
    }

    /// When the run is over no further level is told: they all read it now.
    void copy_for_levels_above() {
        const std::size_t first = rows_.alerts.size() - 1;
        for (std::size_t i = telling_.level.level; i > 0 && i < levels().size(); ++i) {
            const std::string route = route_of(levels()[i]);
            bool known = false;
            for (std::size_t at = first; at < rows_.alerts.size(); ++at) known |= rows_.alerts[at].alert.to == route;
            if (!known) rows_.alerts.push_back(copy_for(route, rows_.alerts[first]));
        }
    }

    [[nodiscard]] AlertRow copy_for(const std::string& route, AlertRow row) const {
        row.action_key.clear();
        row.alert.key = effect_key(watched_.run, watched_.verdict->incident.number, row.alert.key + " " + route);
        row.alert.to = route;
        return row;
    }

    /// Those who were told of the escalation elsewhere learn the same of its end.
    void copy_for_levels(List<AlertRow>& rows) const {
        for (const std::string& route : routes_told())
            if (route != rows.front().alert.to) rows.push_back(copy_for(route, rows.front()));
    }

    /// That it began or goes on. It is never told as milder than before, nor without what was found.
    [[nodiscard]] AlertRow alert_about_incident(AlertKind kind, std::string_view what) const {
        AlertRow row = alert_of(name_of(kind), what);
        row.alert.severity = max_of(row.alert.severity, telling_.told.severity);
        const std::string& found = watched_.verdict->found;
        if (row.alert.issues.empty())
            row.alert.issues.push_back(found.empty() ? wording_.condition_and_reason() : found);
        return row;
    }

    [[nodiscard]] AlertRow alert_of(std::string_view kind, std::string_view what) const {
        AlertRow row;
        Alert& alert = row.alert;
        alert.key = effect_key(watched_.run, watched_.verdict->incident.number, text::concat(kind, " ", what));
        alert.kind = kind;
        alert.to = text::sanitise(spec_.origin.empty() ? watched_.rules().alerts.to : spec_.origin, 256);
        alert.run = {text::shown_name(spec_.id, 256), text::shown_name(spec_.name, 256),
                     text::sanitise(spec_.work_item, 1024), text::sanitise(spec_.project, 256)};
        for (std::size_t i = 0; i < min_of<std::size_t>(spec_.tags.size(), 32); ++i)
            alert.tags.push_back(text::sanitise(spec_.tags[i], 256));
        alert.severity = judged_.severity == Severity::none ? Severity::warning : judged_.severity;
        alert.at = now_.wall;
        alert.issues = wording_.issues();
        alert.summary = "run " + alert.run.name + " needs attention";
        alert.details.push_back({detail_name::seen, wording_.why()});
        alert.details.push_back({"elapsed", text::spoken(wording_.worked())});
        row.created_at = row.not_before = now_.wall;
        return row;
    }

    /// What the finding's detector shows of it besides.
    void add_details(AlertRow& row, const Finding& finding) const {
        for (Detail& detail : watched_.detectors.details(watched_.run, finding)) {
            if (!detail.is_json) detail.value = text::redacted(detail.value, detail_cap);
            row.alert.details.push_back(std::move(detail));
        }
    }

    void tell_end(const ConditionAlert& edge) {
        AlertRow row = alert_of(edge.over, text::concat(name_of(edge.condition), " ", moment()));
        row.alert.severity = Severity::none;
        const bool read = edge.condition == Condition::unobservable;
        if (read) row.alert.details.front().value = name_of(edge.condition);
        row.alert.summary =
            text::concat("run ", row.alert.run.name, read ? ": it can be read again" : ": recovered from ",
                         read ? "" : name_of(edge.condition));
        rows_.alerts.push_back(std::move(row));
    }

    /// How often its incidents came, and what they were about.
    [[nodiscard]] Finding flapping() const {
        const Flaps& flaps = *telling_.told.flaps;
        std::string of;
        for (const Condition& each : watched_.verdict->conditions_seen)
            text::append(of, of.empty() ? "" : ", ", name_of(each));
        Finding finding{Condition::flapping, Level::watch, flapping_record, {"comes_and_goes"}, Subject{of}};
        finding.evidence.add("incidents", flaps.begun)
            .add("within_s", in_seconds(watched_.run.working(now_.elapsed) - flaps.since));
        return finding;
    }

    void audit(std::string_view kind, std::string body) {
        rows_.audit.push_back({now_.wall, std::string{kind}, std::string{watched_.run.id}, std::move(body)});
    }

    void tell_edge(const ConditionAlert& edge, const Finding& finding) {
        AlertRow row = alert_of(edge.kind, moment());
        if (edge.condition == Condition::complete) row.alert.severity = Severity::none;
        row.alert.issues = wording_.words_of({finding});
        row.alert.summary = "run " + row.alert.run.name + ": " + row.alert.issues.front();
        if (row.alert.is(AlertKind::escalation)) {
            row.alert.severity = Severity::critical;
            if (!levels().empty()) row.alert.to = route_of(levels().back());
            row.alert.summary =
                "run " + row.alert.run.name + " still needs a person (" + wording_.found_in_words(finding) + ")";
        }
        row.alert.details.front().value = std::string{name_of(finding.condition)} + ": " + evidence_line(finding);
        row.alert.details.push_back({"worker_id", row.alert.run.id});
        row.alert.details.push_back({"worker_name", row.alert.run.name});
        if (const auto& active = watched_.run.last_activity)
            row.alert.details.push_back(
                {"last_activity", text::rfc3339(wall_at(now_, watched_.run.origin + watched_.run.waited + *active))});
        add_details(row, finding);
        if (edge.condition == Condition::silent)
            wording_.complete(row, "", "nothing is done about it; you are told when it is over");
        else if (edge.condition == Condition::unobservable)
            wording_.complete(row, "", "it is held to its time limits alone until it can be read; you are told then");
        else if (edge.condition == Condition::flapping)
            wording_.complete(row, "", "you are told of what cannot wait, and when its incidents come and go no more");
        else
            wording_.complete_with_plan(row);
        rows_.alerts.push_back(std::move(row));
    }

    [[nodiscard]] std::string moment() const { return std::to_string(now_.wall.time_since_epoch().count()); }

    /// The verdict, so that it can be explained from stored data alone.
    void record(const Incident& before) {
        if (!judged_.speaks && !judged_.decision.acts() && !judged_.decision.last) return;
        const Incident& incident = watched_.verdict->incident;
        text::JsonLine line;
        line.begin_object().key("status").string(name_of(judged_.shows.status));
        line.key("incident").number(incident.number).key("attempts").number(incident.attempts);
        line.key("rules").string(watched_.detectors.of_class()->version);
        if (judged_.decision.last) line.key("last").string(name_of(*judged_.decision.last));
        if (!judged_.decision.reason.empty()) line.key("reason").string(judged_.decision.reason);
        if (before.phase != incident.phase) line.key("phase").number(static_cast<double>(incident.phase));
        line.key("findings").begin_array();
        for (const Finding& finding : judged_.findings) {
            line.begin_object().key("condition").string(name_of(finding.condition));
            line.key("level").string(name_of(finding.level)).key("evidence");
            write_evidence(line, finding);
            line.end_object();
        }
        line.end_array().end_object();
        audit("verdict", std::move(line).text());
    }

    void note_conditions() {
        if (judged_.loop_identity != 0) watched_.verdict.edit().loop_identity = judged_.loop_identity;
        for (const Finding& finding : judged_.findings) {
            if (finding.condition == Condition::exhausted && finding.level < Level::nudge) continue;  // only nearly
            const bool untold = finding.condition == Condition::silent || finding.condition == Condition::unobservable;
            if (finding.condition.opens_incident() || untold) watched_.verdict.edit().note(finding.condition);
            const bool warrants = finding.level >= Level::nudge && watched_.verdict->incident.open();
            if (warrants && watched_.detectors.is_repetition(finding))
                watched_.verdict.edit().repeated_by |= kind_bit(finding.kind);
        }
        for (const Finding& finding : judged_.findings) {
            if (finding.level < Level::nudge || !finding.condition.opens_incident()) continue;
            watched_.verdict.edit().marks.found = finding.condition;  // the worst: they are in order
            break;
        }
        if (judged_.decision.acts() && watched_.verdict->incident.open())
            watched_.verdict.edit().note(judged_.decision.condition);
    }

    void count_today() {
        const auto day = std::chrono::floor<std::chrono::days>(in_calendar(now_.wall)).time_since_epoch().count();
        watched_.verdict.edit().rungs_today = watched_.verdict->rung_day == day ? watched_.verdict->rungs_today + 1 : 1;
        watched_.verdict.edit().rung_day = day;
    }

    RunMemory& watched_;
    const Judged& judged_;
    Instant now_;
    RunSpec spec_ = watched_.spec.decoded();
    RunBatch rows_;
    Telling telling_;
    Wording wording_{watched_, judged_, now_, spec_};
};

}  // namespace heeler::inline HEELER_ABI::detail
