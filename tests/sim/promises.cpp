// What must hold at each moment, and when everything has settled.
//
//   I1   nothing destructive that the class does not enable, and only after a nudge that got through, or was refused,
//        and a snapshot
//   I2   each step of an episode is intended once, from the first on; nudges that are used up are left out
//   I3   one continuation is started per stop, and nothing is done twice under one key
//   I4   the original has stopped, or is fenced off, before a continuation starts
//   I5   an intent is stored before its effect; in the end it is settled: done, or unknown and people are told
//   I6   a stored alert is delivered; none is that is not stored, and none is given up because a clock was set
//   I6b  so is that a watchdog lost its lease
//   I7   one key is one message, delivered twice only after a crash, a lost answer or a store that failed
//   I8   a snoozed run is not spoken of, nothing is done to a frozen one, a cooldown is kept, and so are the limits of
//        nudges
//   I9   a run that is over stays as it is, and nothing is done to it
//   I10  a watchdog writes no run that another holds, and asks nothing of it
//   I11  hours in which nobody is expected to work, I12 what day it is and I13 what arrives twice change no verdict
//        (seeds.cpp)
//   I14  who shows nothing for two hours is found
//   I15  nothing is done to who always works, and who works again is well
//   I16  what a run has used is stored, each report once, and never less than before; the ledger of spend has as much
//   I17  continuations come after ever longer pauses, until a run has worked for long, and no more than so many in a
//   day I18  nobody is well again for what a watchdog did I19  what an agent writes reaches people and agents as text,
//   and agents in lines that are marked I20  no secret of an agent is stored, told or asked I22  a run that the store
//   refuses, nobody hears of or whose control falls over changes nothing for the others
//        (trouble.cpp)
//   I23  what is kept of a run, and what one commit holds of it, is bounded, whatever its agent does
//   I24  a watchdog in shadow mode finds the same until a world is touched, and touches nobody (seeds.cpp)
//   I25  a verdict is on record once
//   I27  each status has its verdict on record; what is on record stays there as it was
//   I29  one cycle asks the store a bounded number of times
//   I30  while many runs hang together nobody is ended or replaced
//   I31  nobody stands still while a run below works
//   I32  no more rungs reach agents within a minute, and no agents are ended or replaced sooner after each other, than
//        the class allows
#include "sim/world.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include <heeler/recover/recovery_ladder.hpp>
#include <heeler/run/watched_run.hpp>

namespace sim {

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// What is kept of one run, and what one commit holds of it, whatever its agent does.
constexpr std::size_t most_facts = 40 * 1024, most_memory = 64 * 1024, most_rows = 1024;

/// Tokens that a run is stored to have used; negative: nobody can read it.
[[nodiscard]] std::int64_t used_by(const std::string& facts) {
    detail::RunMemory run;
    if (!run.load_facts(facts, beginning)) return -1;
    return run.run.usage->tokens_in + run.run.usage->tokens_out;
}

}  // namespace

bool World::is_troubled(const RunRow& row) {
    detail::RunMemory run;
    return run.load_facts(row.facts, beginning) && run.verdict->incident.open();
}

void World::wrong(std::string_view invariant, const std::string& text) {
    if (fault_.empty()) fault_ = std::string{invariant} + ": " + text;
}

std::int64_t World::seconds() const { return (truth_.now().elapsed - beginning.elapsed) / 1s; }

void World::note(std::string text) { trace_.push_back(std::to_string(seconds()) + " " + std::move(text)); }

std::uint64_t World::commits_of(const Dog& dog) {
    return dog.store.calls(StoreOperation::commit) + dog.store.calls(StoreOperation::claim);
}

/// The first run works below it, and none between the two has ended.
bool World::is_above_work(const Body& body) const {
    if (!story_.family) return false;
    const auto between = rows_.begin() + (&body - bodies_.data());
    return std::none_of(rows_.begin(), between, [](const Row& row) { return is_terminal(row.state); });
}

/// A commit has stored this.
void World::stored(unsigned number, const RunBatch& run) {
    Body* body = body_of(run.row.id);
    if (body == nullptr) return;
    Row& row = rows_[static_cast<std::size_t>(body - bodies_.data())];
    const std::size_t memory = run.row.memory ? run.row.memory->size() : 0;
    if (run.row.facts.size() > most_facts || memory > most_memory || run.checkpoints.size() > most_rows ||
        run.audit.size() > most_rows)
        wrong("I23", "of " + body->id + " it is kept in " + std::to_string(run.row.facts.size()) + " and " +
                         std::to_string(memory) + " bytes, " + std::to_string(run.checkpoints.size()) + " and " +
                         std::to_string(run.audit.size()) + " rows");
    const void* const writer = dogs_[number].control.get();
    if (std::exchange(body->writer, writer) != writer && !body->facts.empty() &&
        used_by(run.row.facts) < used_by(body->facts))
        wrong("I16", body->id + " has used less than before " + dogs_[number].name + " wrote it");
    body->facts = run.row.facts;
    witness_rungs(dogs_[number], run, *body);
    if (is_above_work(*body) && run.row.status == Status::stalled)
        wrong("I31", body->id + " is said to stand still while " + bodies_[0].id + " works below it");
    if (run.row.status != row.status) {
        const std::string shown = R"({"status":")" + std::string{name_of(run.row.status)} + "\"";
        const AuditRow* last = nullptr;
        for (const AuditRow& each : run.audit)
            if (each.kind == "verdict") last = &each;
        if (last == nullptr || !last->body.starts_with(shown))
            wrong("I27", "that " + body->id + " is " + std::string{name_of(run.row.status)} + " is not on record");
    }
    row = {run.row.version + 1, run.row.state, run.row.status, run.row.holder, run.row.epoch};
}

void World::claimed(const RunRow& row) {
    if (const Body* body = body_of(row.id); body != nullptr)
        rows_[static_cast<std::size_t>(body - bodies_.data())] = {row.version, row.state, row.status, row.holder,
                                                                  row.epoch};
}

/// What was on record stands there, as it was and in its order. Memory forgets the oldest.
void World::read_records(Body& body, const History& history) {
    const auto same = [](const AuditRow& one, const AuditRow& other) {
        return one.at == other.at && one.kind == other.kind && one.body == other.body;
    };
    const bool is_whole = history.audit.size() < MemoryStore::most_records;
    if (is_whole && (history.audit.size() < body.records.size() ||
                     !std::equal(body.records.begin(), body.records.end(), history.audit.begin(), same)))
        wrong("I27", "what was on record of " + body.id + " is not any more");
    body.records.assign(history.audit.begin(), history.audit.end());
}

/// Of a run whose reports nobody could lose all of them count, each once.
void World::judge_usage(const Body& body, const RunRow& row) {
    const std::int64_t used = used_by(row.facts);
    if (used < 0) wrong("I16", "what is stored of " + body.id + " cannot be read");
    if (used > body.used) wrong("I16", body.id + " is stored to have used more than it did");
    constexpr What loses[] = {What::crash, What::restart, What::store, What::stall};
    const bool loses_none = dogs_.size() == 1 && std::none_of(std::begin(loses), std::end(loses),
                                                              [&](What what) { return story_.has(what); });
    if (loses_none && story_.trouble == Trouble::none && used != body.used)
        wrong("I16",
              body.id + " used " + std::to_string(body.used) + " tokens, " + std::to_string(used) + " are stored");
}

/// What the ledger has of a run is what is stored of its usage, at any moment: they travel in one commit.
void World::judge_spend(const Body& body, const RunRow& row) {
    const auto rows = store_.spent(-1, {body.id});
    if (!rows) return wrong("I16", rows.error().message);
    std::int64_t tokens = 0;
    for (const SpendRow& each : *rows) tokens += each.tokens;
    if (tokens != used_by(row.facts))
        wrong("I16", body.id + " is stored to have used " + std::to_string(used_by(row.facts)) + " tokens, and " +
                         std::to_string(tokens) + " are in the ledger");
}

/// Somebody is to be ended or replaced. A run that has hung for so long is asked for something in every cycle.
void World::witness_outage(const std::string& what) {
    if (story_.trouble != Trouble::outage) return;
    const auto hang = std::count_if(bodies_.begin(), bodies_.end(), [&](const Body& body) {
        return body.stands_since >= 0 && seconds() - body.stands_since >= 300 && !body.over;
    });
    const auto outage = std::max<std::ptrdiff_t>(5, (3 * std::ssize(bodies_) + 9) / 10);
    if (hang >= outage) wrong("I30", what + ", while " + std::to_string(hang) + " runs hang together");
}

/// Something is about to be done to a run.
void World::witness(ControlVerb verb, const ActionRequest& asked, Body& body) {
    const std::string what = std::string{control_verb_names[static_cast<std::size_t>(verb)]} + " " + body.id;
    const auto history = store_.history(body.id);
    if (!history || !history->row) return wrong("I5", what + " of a run that is not stored");
    const auto intent = std::find_if(history->actions.begin(), history->actions.end(),
                                     [&](const Action& action) { return action.key == asked.key; });
    if (intent == history->actions.end()) return wrong("I5", what + " without a stored intent");
    if (intent->outcome != ActionOutcome::intended && intent->outcome != ActionOutcome::unknown)
        wrong("I5", what + " of an action that is " + std::string{name_of(intent->outcome)});
    if (is_terminal(history->row->state))
        wrong("I9", what + " of a run that is " + std::string{name_of(history->row->state)});
    if (story_.steady && &body == &bodies_[0]) wrong("I15", what + ", which always worked");
    if (verb == ControlVerb::spawn && story_.rules.stop_proof == StopProofNeeded::proved && body.mood != Mood::dead)
        wrong("I4", what + " while the last agent may be at work");
    if (verb == ControlVerb::spawn && story_.rules.stop_proof == StopProofNeeded::fenced &&
        history->row->incarnation != asked.attempt + 1)
        wrong("I4", what + " " + std::to_string(asked.attempt) + " while the stored incarnation is " +
                        std::to_string(history->row->incarnation));
    if (verb == ControlVerb::spawn) witness_start(what, asked, body);
    if (verb == ControlVerb::terminate) witness_end(asked, *history);
    if (intent->kind == ActionKind::nudge) witness_nudge(*intent, *history);
}

/// Rungs are decided when it is their turn. After a restart nothing is known of those of runs that are over.
void World::witness_rungs(Dog& dog, const RunBatch& run, Body& body) {
    const std::uint32_t most = story_.rules.limits.per_minute;
    for (const Intervention& each : run.interventions) {
        const bool reaches = is_injection(each.action) || each.action == ActionKind::pause;
        if (most == 0 || !reaches || each.number <= body.rungs) continue;
        body.rungs = each.number;
        const auto before = std::count_if(dog.rungs.begin(), dog.rungs.end(),
                                          [&](WallTime at) { return at <= each.at && each.at - at < 1min; });
        if (std::cmp_greater_equal(before, most) && clocks_agree())
            wrong("I32", "rung " + std::to_string(before + 1) + " of " + dog.name + " within a minute, to " + body.id);
        dog.rungs.push_back(each.at);
    }
}

/// Of a process: after another one was asked for, or after its start.
void World::witness_haste(Dog& dog, const ActionRequest& asked, const std::string& what) {
    const Elapsed now = dog.clock.now().elapsed;
    if (!dog.endings.emplace(asked.key).second) return;  // it was asked for before
    if (now - dog.ended < story_.rules.limits.endings_apart)
        wrong("I32", what + " by " + dog.name + " too soon after another one");
    dog.ended = now;
}

/// No more of them than the class allows, of those that got through or may have.
void World::witness_nudge(const Action& nudge, const History& history) {
    const NudgeLimits& most = story_.rules.limits.nudges;
    std::uint32_t in_incident = 1, in_row = 1;
    for (const Action& other : history.actions) {
        const bool sent = other.outcome == ActionOutcome::done || other.outcome == ActionOutcome::unknown;
        if (other.kind != ActionKind::nudge || other.key == nudge.key || !sent) continue;
        in_incident += other.incident == nudge.incident ? 1 : 0;
        const auto done = done_.find(other.key);
        in_row += done != done_.end() && done->second + most.forgotten_after / 1s > seconds() ? 1 : 0;
    }
    if (most.per_incident != 0 && in_incident > most.per_incident)
        wrong("I8", "nudge " + std::to_string(in_incident) + " in one incident of " + history.row->id);
    // Whoever begins anew can only go by the wall clock for how long the run was without an incident.
    if (most.in_row != 0 && in_row > most.in_row && clocks_agree())
        wrong("I8", "nudge " + std::to_string(in_row) + " in a row of " + history.row->id);
}

/// A fresh agent comes after a pause that grows until the run has worked for long, and none after so many in a day.
void World::witness_start(const std::string& what, const ActionRequest& asked, Body& body) {
    const auto* ladder = story_.rules.ladder.as<RecoveryLadder>();
    if (ladder != nullptr && ladder->retry) {
        if (body.worked_at - body.spawned_at >= ladder->retry->reset_after / 1s) body.forgiven = asked.attempt - 1;
        const std::uint32_t last = asked.attempt - 1;
        // Whoever begins anew can only go by the wall clock for how long nobody was started.
        const bool anew = dogs_.size() > 1 || story_.has(What::restart) || story_.has(What::crash);
        if (body.spawned_at > 0 && !body.hurried && (!anew || clocks_agree()) &&
            seconds() - body.spawned_at < ladder->retry->before(last - std::min(last, body.forgiven)) / 1s)
            wrong("I17", what + " " + std::to_string(asked.attempt) + " too soon after the last one");
    }
    const RestartIntensity& limit = story_.rules.limits.restarts;
    if (limit.most == 0 || body.spawned.contains(asked.attempt) || !clocks_agree() || story_.rests) return;
    const auto counted = std::count_if(body.starts.begin(), body.starts.end(),
                                       [&](std::int64_t at) { return seconds() - at < limit.within / 1s; });
    if (static_cast<std::size_t>(counted) >= limit.most * (1 + body.resumed))
        wrong("I17", what + " " + std::to_string(asked.attempt) + ", after " + std::to_string(counted) + " in a day");
}

/// Nothing destructive before a nudge that got through, or was refused, and its wait; nor without a snapshot.
void World::witness_end(const ActionRequest& asked, const History& history) {
    const auto* ladder = story_.rules.ladder.as<RecoveryLadder>();
    if (ladder == nullptr || !ladder->asks_for(ActionKind::terminate)) return wrong("I1", "terminated, not enabled");
    const auto ending = std::find_if(history.actions.begin(), history.actions.end(),
                                     [&](const Action& action) { return action.key == asked.key; });
    const Body* const body = body_of(asked.run);
    const bool is_hurried = body != nullptr && body->hurried;
    bool nudged = false, saved = false;
    for (const Action& action : history.actions) {
        if (action.incident != ending->incident) continue;
        const auto done = done_.find(action.key);
        const bool waited = done != done_.end() && (done->second + 30 <= seconds() || is_hurried);
        nudged |= is_injection(action.kind) &&
                  ((action.outcome == ActionOutcome::done && waited) || action.outcome == ActionOutcome::rejected ||
                   action.outcome == ActionOutcome::failed);
        saved |= action.kind == ActionKind::snapshot && action.outcome == ActionOutcome::done;
    }
    if (!nudged) wrong("I1", "terminated without a nudge: " + std::string{asked.run});
    if (!saved) wrong("I1", "terminated without a snapshot: " + std::string{asked.run});
}

std::size_t World::deeds_of(const Body& body) const {
    const auto history = store_.history(body.id);
    return history ? history->actions.size() : 0;
}

/// No gap after which what was found is looked for anew, and nobody who says that all is well.
bool World::watches_all_along() const noexcept {
    constexpr What away[] = {What::wall,  What::suspend, What::pause,   What::stall,
                             What::crash, What::restart, What::operate, What::store};
    return std::none_of(std::begin(away), std::end(away), [&](What what) { return story_.has(what); });
}

/// What one watchdog's cycle has changed in the store.
void World::look(Dog& dog) {
    const std::vector<Row>& before = dog.known;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        Body& body = bodies_[i];
        const Row* row = &rows_[i];
        if (row->version == before[i].version) continue;
        if (body.end && *body.end != row->state)
            wrong("I9",
                  body.id + " was " + std::string{name_of(*body.end)} + " and is " + std::string{name_of(row->state)});
        if (is_terminal(row->state) && !body.end) {
            body.end = row->state;
            body.deeds_at_end = deeds_of(body);
            note("end " + body.id + " " + std::string{name_of(row->state)});
        }
        if (body.end && deeds_of(body) != body.deeds_at_end)
            wrong("I9", "something more is to be done to " + body.id + ", which is over");
        const bool well = row->status == Status::healthy || row->status == Status::recovered;
        if (!well) body.shown &= row->status == before[i].status;
        if (well && row->status != before[i].status && !body.shown && row->state == RunState::running &&
            watches_all_along())
            wrong("I18", body.id + " is taken for well again, and did nothing since it was not");
        if (row->status != before[i].status) note("status " + body.id + " " + std::string{name_of(row->status)});
        if (dogs_.size() > 1 && row->holder != dog.name && !row->holder.empty())
            wrong("I10", dog.name + " wrote " + body.id + ", which is " + row->holder + "'s");
        if (row->epoch < before[i].epoch && row->holder == before[i].holder)
            wrong("I10", "the epoch of " + body.id + " went back");
    }
}

/// When everything has settled.
void World::judge(Body& body) {
    if (!fault_.empty()) return;
    const auto history = store_.history(body.id);
    if (!history || !history->row) return wrong("I5", body.id + " is not stored");
    read_records(body, *history);
    judge_usage(body, *history->row);
    judge_spend(body, *history->row);
    judge_actions(body, *history);
    judge_alerts(*history);
    judge_words(body, *history);
    const RunRow& row = *history->row;
    note("last " + body.id + " " + std::string{name_of(row.state)} + " " + std::string{name_of(row.status)} +
         " attempt " + std::to_string(row.attempt));
    const bool steady = story_.steady && &body == &bodies_[0];
    if (steady && (is_terminal(row.state) || row.status != Status::healthy))
        wrong("I15", body.id + " always worked and is " + std::string{name_of(row.status)} + ", " +
                         std::string{name_of(row.state)});
    if (is_terminal(row.state) && !row.ended_at) wrong("I9", body.id + " is over, and nobody knows since when");
    if (is_terminal(row.state) || body.dismissed || body.over) return;
    const bool stands = body.mood == Mood::dead || body.mood == Mood::silent;
    if (stands && !is_above_work(body) && !body.excused && row.state == RunState::running &&
        (row.status == Status::healthy || row.status == Status::recovered))
        wrong("I14", body.id + " shows nothing for two hours and is " + std::string{name_of(row.status)});
    const bool works = body.mood == Mood::works && !body.paused;
    if (works && row.status != Status::healthy && row.status != Status::recovered && row.state == RunState::running)
        wrong("I15", body.id + " works again for two hours and is " + std::string{name_of(row.status)});
}

void World::judge_actions(const Body& body, const History& history) {
    std::set<std::string> keys, steps;
    std::set<std::uint32_t> incidents;
    bool unknown = false, told = false;
    std::uint32_t nudges = 0;  // so far
    const std::uint32_t most_nudges = story_.rules.limits.nudges.in_row;
    for (const Action& action : history.actions) {
        if (!keys.insert(action.key).second) wrong("I2", "two actions with the key " + action.key);
        const bool used_up = most_nudges != 0 && nudges >= most_nudges && action.kind != ActionKind::nudge;
        const bool sent = action.outcome == ActionOutcome::done || action.outcome == ActionOutcome::unknown;
        nudges += action.kind == ActionKind::nudge && sent ? 1 : 0;
        if (incidents.insert(action.incident).second && is_injection(action.kind) && action.attempt > 1 && !used_up)
            wrong("I2",
                  "the first step of an incident of " + body.id + " is attempt " + std::to_string(action.attempt));
        if (action.outcome == ActionOutcome::intended)
            wrong("I5c", "never settled: " + std::string{name_of(action.kind)} + " " + action.key);
        const bool happened = done_.contains(action.key);
        if (action.outcome == ActionOutcome::done && message_of(action.kind) != MessageKind::reason && !happened)
            wrong("I5d", "recorded as done, and never happened: " + action.key);
        if (action.outcome == ActionOutcome::failed && happened)
            wrong("I5e", "recorded as failed, and it happened: " + action.key);
        unknown |= action.outcome == ActionOutcome::unknown;
        if (action.outcome == ActionOutcome::blocked || action.kind == ActionKind::escalate) continue;
        const std::string step = std::to_string(action.incident) + "." + std::to_string(action.intervention) + " " +
                                 std::string{name_of(action.kind)};
        if (!steps.insert(step).second) wrong("I2", "intended twice: " + body.id + " " + step);
    }
    for (const AlertRow& row : history.alerts) {
        const bool given_up = row.state == AlertRow::State::dead && boots_ > 1 && !clocks_agree();  // by a set clock
        told |= row.alert.is(AlertKind::escalation) &&
                (read_.contains(row.alert.key) || row.how == AlertRow::How::together || given_up);
    }
    const bool is_kept_off = body.dismissed || body.excused || body.taken_on || body.snoozed.until != WallTime{};
    if (unknown && !told && !is_terminal(history.row->state) && !is_kept_off)
        wrong("I5b", "unknown, and nobody was told: " + body.id);
    for (const auto& [attempt, count] : body.spawned)
        if (count > 1 && story_.honesty != Honesty::neither)
            wrong("I3", "continuation " + std::to_string(attempt) + " of " + body.id + " was started " +
                            std::to_string(count) + " times");
}

void World::judge_alerts(const History& history) {
    for (const AlertRow& row : history.alerts) {
        if (row.state == AlertRow::State::pending) wrong("I6", "never delivered: " + row.alert.kind);
        if (row.state == AlertRow::State::delivered && read_[row.alert.key] == 0)
            wrong("I6", "recorded as delivered, and nobody got it: " + row.alert.kind);
        // A process that began anew goes by what is stored, and that by the wall clock.
        const auto& outbox = story_.rules.alerts.outbox;
        const bool one_process = story_.dogs == 1 && boots_ == 1 && outbox.retry && !outbox.at_once;
        if (row.state == AlertRow::State::dead && row.how == AlertRow::How::plain && one_process &&
            truth_.now().elapsed - beginning.elapsed < outbox.give_up_after)
            wrong("I6", "given up too soon, whatever the clock was set to: " + row.alert.kind);
    }
}

/// That a watchdog did not renew its lease, people read in the end, whoever found it and whatever became of that one.
void World::judge_lost() {
    for (const std::string& lease : lost_) {
        const bool is_told = std::any_of(texts_.begin(), texts_.end(), [&](const auto& text) {
            return text.second.starts_with(name_of(AlertKind::orchestrator_lost)) &&
                   text.first.find(lease) != std::string::npos && read_[text.first] > 0;
        });
        if (!is_told && fault_.empty()) wrong("I6b", "nobody read that the lease " + lease + " ran out");
    }
}

}  // namespace sim
