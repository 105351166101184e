// Applies what operators decided: verbs are rows, which a cycle carries out and puts on record.
#pragma once

#include <string>
#include <utility>

#include <heeler/alert/silence.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/cycle/apply.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI::detail {

inline constexpr std::string_view changes_nothing = "it changes nothing";

/// What a verb changes about one run, under its lock and while it is as it is decided to be (`Deciding`).
class OperatorVerbs {
public:
    OperatorVerbs(WatchedRun& watched, Instant now, WorkItem& item)
        : watched_{watched}, now_{now}, apply_{watched, now, item} {}

    /// Carries out what an operator decided; answers why it is ignored, or nothing.
    std::string_view decide(const DecisionRow& decision) {
        const OperatorMarks before = watched_.verdict->marks;
        const std::string_view ignored = carry_out(decision);
        const bool marks = keeps_off(decision.verb) || decision.verb == Verb::freeze || decision.verb == Verb::unfreeze;
        if (!marks || !watched_.verdict->marks.comes_to(before, now_.wall)) return ignored;
        return before.dismissed && keeps_off(decision.verb) ? "it is dismissed already" : changes_nothing;
    }

private:
    std::string_view carry_out(const DecisionRow& decision) {
        OperatorMarks& marks = watched_.verdict.edit().marks;
        switch (decision.verb) {
            case Verb::snooze:
                marks.snoozed_until = decision.until.value_or(decision.at + default_snooze);
                return {};
            case Verb::resume_watch:
                marks.snoozed_until = decision.at + rearm_after;
                return {};
            case Verb::dismiss:
                marks.dismissed = true;
                return {};
            case Verb::ack:
                if (!watched_.verdict->incident.open() && !told().end_is_awaited(watched_.rules().alerts))
                    return "nothing is wrong with the run";
                acknowledge(decision);
                return {};
            case Verb::freeze:
            case Verb::unfreeze:
                marks.frozen = decision.verb == Verb::freeze;
                marks.frozen_until = decision.until;
                return {};
            case Verb::mark_wrong:
                return mark_wrong();
            case Verb::resume:
                return resume();
            case Verb::pause:
                if (watched_.run.state == RunState::paused || watched_.run.waits_for_resume())
                    return "the run is paused already";
                return order(ActionKind::pause);
            case Verb::step:
                return step(marks);
            case Verb::limit:
                return limit(decision);
            case Verb::silence:  // is about alerts, not about a run
                return "it names no alerts";
            case Verb::mark_stopped:
                break;
        }
        apply_.finish(RunState::cancelled);
        apply_.end();
        return {};
    }

    static constexpr Duration default_snooze = std::chrono::hours{1};
    /// How long "continue" keeps the run snoozed.
    static constexpr Duration rearm_after = std::chrono::minutes{30};

    /// Who says it again has it for so long again.
    void acknowledge(const DecisionRow& decision) {
        told().acknowledged = true;
        const EscalationSettings& escalation = watched_.rules().alerts.escalation;
        if (escalation.levels_of(!watched_.spec.parent().empty()).empty()) return;
        ToldLevels& levels = told().levels.edit();
        levels.by = text::sanitise(decision.by, 128);
        levels.next.reset();
        if (escalation.ack_lasts > Duration{}) levels.next = now_.elapsed + escalation.ack_lasts;
    }

    void end_incident() {
        told().acknowledged = false;
        watched_.verdict.edit().drop_incident(watched_.run.working(now_.elapsed));
    }

    std::string_view resume() {
        const bool poisoned = watched_.verdict->restarts.poisoned_at.has_value();
        if (poisoned) {  // fresh agents are started again; those before are forgotten
            watched_.verdict.edit().restarts = {{}, {}, watched_.verdict->restarts.lineage};
            watched_.verdict.edit().incident.forgiven = watched_.run.attempt - 1;
            end_incident();
        }
        if (!watched_.run.paused_by_watchdog) return poisoned ? "" : "the watchdog has not paused the run";
        told().acknowledged = false;
        return order(ActionKind::resume);
    }

    /// Done though no ladder asks for it. It has a number of its own, so that each is another effect, and no record.
    std::string_view order(ActionKind kind) {
        ++watched_.verdict.edit().incident.interventions;
        Judged ordered{watched_.verdict->incident};
        ordered.decision.plan = {{kind, {}, {}}};
        ordered.decision.reason = "operator";
        ordered.shows = watched_.shown;
        apply_.plan(ordered, true);
        return {};
    }

    /// What the last rung came to is seen now, as if its time were over; a retry that is planned is due.
    std::string_view step(const OperatorMarks& marks) {
        Incident& incident = watched_.verdict.edit().incident;
        const bool retries = incident.phase == Phase::waiting && incident.hold_until;
        if (!incident.open()) return "nothing is wrong with the run";
        if (!retries && (incident.phase != Phase::climbing || !watched_.rules().ladder.verifies()))
            return "no rung follows: a person is asked for, or people are only told";
        if (watched_.run.waiting_since || marks.snoozed_at(now_.wall) || marks.frozen_at(now_.wall))
            return "nothing is done to the run: it waits, or is snoozed or frozen";
        incident.verify_at = watched_.run.working(now_.elapsed);
        incident.unclear = max_of(incident.unclear, 1u);
        watched_.verdict.edit().nudged = incident.verify_at - watched_.rules().limits.nudges.apart;
        if (retries) incident.hold_until = now_.elapsed;
        watched_.next_cycle = now_.elapsed;
        return {};
    }

    /// All that is named, or nothing.
    std::string_view limit(const DecisionRow& decision) {
        const bool spends = decision.tokens != 0 || decision.micro_usd != 0;
        const bool timed = decision.length != Duration{} || !spends;
        bool budget = false, cap = false;
        for (const auto& entry : watched_.rules().detectors.entries()) {
            budget |= entry.ops->kind == RunSpend::budget_kind;
            cap |= entry.ops->kind == RunSpend::cap_kind;
        }
        if (timed && (decision.length < 1s || decision.length > longest_setting)) return "it must be 1 s to 10 years";
        if (decision.tokens < 0 || decision.tokens > RunSpend::most_tokens) return "it must be 1 to 2^50 tokens";
        if (decision.micro_usd < 0 || decision.micro_usd > RunSpend::most_micro_usd)
            return "it must be at most 1,000,000,000 USD";
        if (decision.tokens != 0 && !budget && !cap)
            return "its class has no budget of tokens: neither `token_budget` nor `spend` is on";
        if (decision.micro_usd != 0 && !cap) return "its class has no budget of money: `spend` is off";
        if (timed) watched_.run.timeout = decision.length;
        if (decision.tokens != 0) watched_.run.spend.edit().own_tokens = decision.tokens;
        if (decision.micro_usd != 0) watched_.run.spend.edit().own_micro_usd = decision.micro_usd;
        watched_.next_cycle = now_.elapsed;
        return {};
    }

    /// The incident was none: it is over without a word about recovery, and what comes next does not go on with it. A
    /// loop is muted for the class by its identity, anything else for this run.
    std::string_view mark_wrong() {
        OperatorMarks& marks = watched_.verdict.edit().marks;
        if (watched_.verdict->incident.number == 0) return "nothing was found wrong with the run";
        if (marks.wrong_incident == watched_.verdict->incident.number) return "it is marked wrong already";
        marks.wrong_incident = watched_.verdict->incident.number;
        if (marks.found != Condition::loop_detected || watched_.verdict->loop_identity == 0)
            marks.wrong |= bit_of(marks.found);
        end_incident();
        return {};
    }

    [[nodiscard]] Told& told() { return watched_.verdict.edit().told; }

    WatchedRun& watched_;
    Instant now_;
    Applier apply_;
};

/// From the thread that ticks. A freeze of everything and a silence are decisions that stay open while they last, so
/// that a restart and other watchdogs find them; all others are applied once.
class OperatorDecisions {
public:
    explicit OperatorDecisions(Registry& registry) : registry_{registry} {}

    /// `item_of(handle, watched)` gives the work item of a run in this cycle.
    template <class ItemOf>
    void apply(const List<DecisionRow>& decisions, Instant now, Batch& batch, CycleReport& report, ItemOf&& item_of) {
        List<std::uint64_t> standing;
        silences_.clear();
        for (const DecisionRow& decision : decisions) {
            if (decision.verb == Verb::silence)
                silence(decision, now, batch, report);
            else if (decision.run.empty())
                apply_to_all(decision, now, standing, batch, report);
            else
                apply_to_run(decision, now, batch, report, item_of);
        }
        frozen_ = !standing.empty();
    }

    [[nodiscard]] bool frozen() const noexcept { return frozen_; }
    [[nodiscard]] const List<DecisionRow>& silences() const noexcept { return silences_; }

    /// Whether what was applied last is durable now. What is not is put on record once more.
    void written(bool stored) {
        if (!stored) told_.resize(stored_);
        stored_ = told_.size();
    }

private:
    void silence(const DecisionRow& decision, Instant now, Batch& batch, CycleReport& report) {
        const Result<void> good = check_silence(decision, decision.at);
        const bool lasts = good && now.wall < *decision.until;
        if (!lasts || tell_once(decision.number))
            note(decision, good ? std::string_view{} : std::string_view{good.error().message}, now, batch, report);
        lasts ? silences_.push_back(decision) : batch.applied.push_back(decision.number);
    }

    void apply_to_all(const DecisionRow& decision, Instant now, List<std::uint64_t>& standing, Batch& batch,
                      CycleReport& report) {
        const bool freezes = decision.verb == Verb::freeze;
        const bool lasts = freezes && (!decision.until || now.wall < *decision.until);
        const bool is_past = decision.until && *decision.until <= decision.at;
        const bool nothing = freezes ? is_past : standing.empty();
        const std::string_view ignored = nothing ? changes_nothing : "";
        if (!lasts || tell_once(decision.number))
            note(decision, freezes || decision.verb == Verb::unfreeze ? ignored : "it names no run", now, batch,
                 report);
        if (lasts) return standing.push_back(decision.number);
        batch.applied.push_back(decision.number);
        if (decision.verb != Verb::unfreeze) return;
        for (const std::uint64_t number : std::exchange(standing, {})) batch.applied.push_back(number);
    }

    template <class ItemOf>
    void apply_to_run(const DecisionRow& decision, Instant now, Batch& batch, CycleReport& report, ItemOf&& item_of) {
        const auto handle = registry_.find(decision.run);
        WatchedRun* watched = handle ? registry_.table().find(*handle) : nullptr;
        const bool acts = decision.verb == Verb::resume || decision.verb == Verb::pause || decision.verb == Verb::step;
        const auto ignore = [&](std::string_view why) {
            batch.applied.push_back(decision.number);
            note(decision, why, now, batch, report);
        };
        if (watched == nullptr) return ignore("the run is not watched (it has ended, or it is unknown)");
        const auto is_over = [&] {  // as long as people are still to be told that, it can be kept from them
            const bool owed = !watched->verdict->ended_at || watched->verdict->told.end_waits;
            return is_terminal(watched->run.state) && !(owed && keeps_off(decision.verb));
        };
        const auto waits = [&] {  // for a later cycle, in which it is known what the last rung came to
            return acts && (watched->rung_busy || !watched->rare->rung->empty());
        };
        const std::lock_guard guard{watched->lock};
        // Who is to stand still by order is not ended before it is that order's turn.
        if (waits()) return void(watched->called_off |= watched->rung_busy && decision.verb == Verb::pause);
        if (!registry_.table().current(*handle) || is_over()) return ignore("the run has ended");
        WorkItem& item = item_of(*handle, *watched);
        Deciding deciding{*watched, item.decided};
        if (is_over()) return ignore("the run has ended");  // by an earlier decision
        if (waits()) return;                                // likewise
        RelatedRows& related = item.change.related.edit();
        related.applied.push_back(decision.number);
        const bool foreign = not_of_owner(watched->spec.decoded().owner, decision.verb, decision.by);
        const std::string_view refused =
            foreign ? "not the owner" : OperatorVerbs{*watched, now, item}.decide(decision);
        registry_.table().sooner(handle->index, watched->next_cycle);
        if (decision.verb == Verb::mark_wrong && refused.empty()) mark_wrong(decision, *watched, now, related);
        AuditRow row = record(decision, refused, now);
        report.events.push_back(AuditEvent{row});
        item.change.rows.audit.push_back(std::move(row));
    }

    /// The loop is none for any run of the class from now on, and it counts against the rule that found it.
    void mark_wrong(const DecisionRow& decision, const WatchedRun& watched, Instant now, RelatedRows& related) {
        const std::string& name = watched.rules().name;
        related.tallies.push_back({name, watched.verdict->marks.found, 0, 1});
        if (watched.verdict->marks.found != Condition::loop_detected || watched.verdict->loop_identity == 0) return;
        related.mutes.push_back({name, Condition::loop_detected, watched.verdict->loop_identity,
                                 text::sanitise(decision.by, 128), now.wall});
        registry_.mute(name, watched.verdict->loop_identity);
    }

    static AuditRow record(const DecisionRow& decision, std::string_view ignored, Instant now) {
        text::JsonLine line;
        line.begin_object().key("verb").string(verb_names[static_cast<std::size_t>(decision.verb)]);
        line.key("by").string(text::sanitise(decision.by, 128));
        if (decision.until) line.key("until").string(text::rfc3339(*decision.until));
        if (decision.verb == Verb::silence) {
            line.key("silence").number(decision.number).key("about").string(to_text(decision.about));
            if (decision.until && now.wall >= *decision.until) line.key("over").boolean(true);
        }
        if (!decision.because.empty())
            line.key("because").string(text::one_line(text::redact(decision.because), longest_because));
        const bool spends = decision.tokens != 0 || decision.micro_usd != 0;
        if (decision.verb == Verb::limit && (!spends || decision.length != Duration{}))
            line.key("timeout_s").number(in_seconds(decision.length));
        if (decision.tokens != 0) line.key("tokens").number(decision.tokens);
        if (decision.micro_usd != 0) line.key("usd").number(static_cast<double>(decision.micro_usd) / 1e6);
        if (!ignored.empty()) line.key("ignored").string(ignored);
        line.end_object();
        return {now.wall, "decision", decision.run, std::move(line).text()};
    }

    static void note(const DecisionRow& decision, std::string_view ignored, Instant now, Batch& batch,
                     CycleReport& report) {
        AuditRow row = record(decision, ignored, now);
        report.events.push_back(AuditEvent{row});
        batch.audit.push_back(std::move(row));
    }

    /// True if the freeze or silence is not on record yet; it is from now on.
    [[nodiscard]] bool tell_once(std::uint64_t number) {
        if (contains(told_, number)) return false;
        told_.push_back(number);
        return true;
    }

    Registry& registry_;
    List<std::uint64_t> told_;  ///< freezes and silences that are on record
    std::size_t stored_ = 0;    ///< of these, the first ones, durably
    bool frozen_ = false;
    List<DecisionRow> silences_;
};

}  // namespace heeler::inline HEELER_ABI::detail
