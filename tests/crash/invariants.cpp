#include <heeler/recover/recovery_ladder.hpp>

#include "crash/invariants.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace crash {

namespace {

struct Check {
    const Scene& scene;
    const std::vector<Line>& lines;
    const History& stored;
    std::string run;
    Problems& problems;

    void wrong(const std::string& text) const { problems.push_back(run + ": " + text); }

    [[nodiscard]] std::vector<const Line*> of_run(std::string_view what, std::string_view verb = {}) const {
        std::vector<const Line*> found;
        for (const Line& line : lines)
            if (line.is(what) && line.word(what == "sent" ? 2 : 3) == run && (verb.empty() || line.word(1) == verb))
                found.push_back(&line);
        return found;
    }
    [[nodiscard]] const Action* action(std::string_view key) const {
        for (const Action& each : stored.actions)
            if (each.key == key) return &each;
        return nullptr;
    }
};

/// How often a process died after something of this key happened and before that could be recorded.
[[nodiscard]] std::map<std::string, int> excuses(const std::vector<Line>& lines, std::string_view what) {
    std::map<std::string, int> found;
    std::string open;
    for (const Line& line : lines) {
        if (line.is(what)) open = line.word(what == "sent" ? 1 : 2);
        if (line.is("point") && line.word(2) == "after" && line.word(3) == "commit") open.clear();
        if ((line.is("killed") || line.is("stopped")) && !open.empty()) ++found[std::exchange(open, {})];
    }
    return found;
}

void i1_destructive(const Check& check) {
    const RunClass rules = check.scene.story->rules();
    const auto* ladder = rules.ladder.as<RecoveryLadder>();
    const bool enabled = ladder != nullptr && rung::has(ladder->final_rung, ActionKind::terminate);
    for (const Line* line : check.of_run("effect", "terminate")) {
        if (!enabled) check.wrong("I1: terminated, which the class does not enable");
        const Action* ending = check.action(line->word(2));
        bool nudged = false;
        bool saved = false;
        for (const Line* earlier : check.of_run("effect")) {
            const Action* action = check.action(earlier->word(2));
            if (earlier >= line || action == nullptr || ending == nullptr) continue;
            if (action->incident != ending->incident || action->outcome != ActionOutcome::done) continue;
            nudged |= is_injection(action->kind) && earlier->at + check.scene.story->seconds <= line->at;
            saved |= action->kind == ActionKind::snapshot;
        }
        if (!nudged) check.wrong("I1: terminated without a nudge that got through, or before its wait was over");
        if (!saved) check.wrong("I1: terminated without a snapshot");
    }
}

void i2_intended_once(const Check& check) {
    std::set<std::string> keys;
    std::set<std::string> steps;
    for (const Action& action : check.stored.actions) {
        if (!keys.insert(action.key).second) check.wrong("I2: two actions with the key " + action.key);
        if (action.outcome == ActionOutcome::blocked || action.kind == ActionKind::escalate) continue;
        const std::string step = std::to_string(action.incident) + "." + std::to_string(action.intervention) + " " +
                                 std::string{name_of(action.kind)};
        if (!steps.insert(step).second) check.wrong("I2: intended twice: " + step);
    }
}

void i3_one_continuation(const Check& check) {
    std::map<std::uint32_t, int> records;
    for (const Action& action : check.stored.actions)
        if (action.kind == ActionKind::spawn && action.outcome != ActionOutcome::rejected) ++records[action.attempt];
    for (const auto& [attempt, count] : records)
        if (count > 1) check.wrong("I3: continuation " + std::to_string(attempt) + " is recorded more than once");
    std::map<std::string, int> started;
    for (const Line* line : check.of_run("effect")) ++started[line->word(2)];
    for (const auto& [key, count] : started)
        if (count > 1) check.wrong("I3: done " + std::to_string(count) + " times under the key " + key);
    // One that stood still may ask again: it cannot know that somebody else did.
    if (!check.scene.alone) return;
    std::map<std::string, int> asked;
    for (const Line* line : check.of_run("asked")) ++asked[line->word(2)];
    auto excused = excuses(check.lines, "asked");
    for (const auto& [key, count] : asked)
        if (count > 1 + (check.scene.honesty == Honesty::neither ? 0 : excused[key]))
            check.wrong("I3: the agent control was asked " + std::to_string(count) + " times under the key " + key);
}

void i5_settled(const Check& check) {
    bool unknown = false;
    bool told = false;
    for (const Action& action : check.stored.actions) {
        if (action.outcome == ActionOutcome::intended)
            check.wrong("I5: never settled: " + std::string{name_of(action.kind)} + " " + action.key);
        unknown |= action.outcome == ActionOutcome::unknown;
        told |= action.kind == ActionKind::escalate && action.outcome == ActionOutcome::done;
        // An issue is filed about a run that was given up: people are told that it is over.
        told |= action.kind == ActionKind::file_issue && !check.of_run("sent").empty();
        const bool happened = !is_record_only(action.kind) && action.kind != ActionKind::escalate;
        if (happened && action.outcome == ActionOutcome::done) {
            const auto effects = check.of_run("effect");
            if (std::none_of(effects.begin(), effects.end(),
                             [&](const Line* line) { return line->word(2) == action.key; }))
                check.wrong("I5: recorded as done, but it never happened: " + std::string{name_of(action.kind)});
        }
    }
    for (const Intervention& record : check.stored.interventions)
        if (record.outcome == InterventionOutcome::pending && is_terminal(check.stored.row->state))
            check.wrong("I5: an intervention is never settled");
    if (unknown && check.scene.honesty != Honesty::neither) check.wrong("I5: unknown, though it could be found out");
    if (unknown && !told) check.wrong("I5: unknown, and nobody was told");
}

void i6_i7_alerts(const Check& check) {
    std::map<std::string, int> sent;
    for (const Line* line : check.of_run("sent")) ++sent[line->word(1)];
    for (const AlertRow& row : check.stored.alerts) {
        if (row.state == AlertRow::State::pending) check.wrong("I6: never delivered: " + row.alert.kind);
        if (row.state == AlertRow::State::delivered && sent[row.alert.key] == 0)
            check.wrong("I6: recorded as delivered, but nobody got it: " + row.alert.kind);
    }
    auto excused = excuses(check.lines, "sent");
    for (const auto& [key, count] : sent)
        if (check.scene.alone && count > 1 + excused[key])
            check.wrong("I7: delivered " + std::to_string(count) + " times under the key " + key);
}

void i8_cooldown(const Check& check) {
    const auto cooldown = std::chrono::duration_cast<std::chrono::seconds>(check.scene.story->rules().alerts.cooldown);
    std::set<std::string> keys;
    std::optional<std::int64_t> last;
    for (const Line* line : check.of_run("sent")) {
        if (line->word(3) != "run.unhealthy" || !keys.insert(line->word(1)).second) continue;
        if (last && line->at < *last + cooldown.count())
            check.wrong("I8: two alerts within " + std::to_string(line->at - *last) + " s");
        last = line->at;
    }
}

void i9_over(const Check& check) {
    bool over = false;
    for (const Line& line : check.lines) {
        over |= line.is("over", check.run);
        if (over && line.is("effect") && line.word(3) == check.run) check.wrong("I9: done after the end: " + line.text);
    }
    if (over && !is_terminal(check.stored.row->state)) check.wrong("I9: a run that was over goes on");
}

void i10_checkpoints(const Check& check) {
    std::string written;
    bool good = true;
    for (const CheckpointRow& row : check.stored.checkpoints) {
        written += std::to_string(row.step.value_or(0)) + "/" + std::to_string(row.incarnation) + " ";
        good &= row.step == 3 ? row.incarnation == 2 : row.step <= 2 && row.incarnation == 1;
    }
    const std::string of_second = check.of_run("effect", "spawn").empty() ? "" : "3/2 ";
    // Of two at once, one may not know the run yet that the other has registered, or meet a conflict.
    if (!good || (check.scene.alone && written != "1/1 2/1 " + of_second))
        check.wrong("I10: checkpoints are " + written);
}

void whole_continuation(const Check& check) {
    i10_checkpoints(check);
    if (check.scene.honesty == Honesty::neither) return;
    const std::size_t started = check.of_run("effect", "spawn").size();
    if (started != 2) check.wrong("I3: " + std::to_string(started) + " continuations were started instead of 2");
    const RunRow& row = *check.stored.row;
    if (row.state != RunState::failed || row.attempt != 3 || row.incarnation != 3)
        check.wrong("I9: in the end the run is " + std::string{name_of(row.state)} + ", attempt " +
                    std::to_string(row.attempt) + ", incarnation " + std::to_string(row.incarnation));
}

/// Each edge has one alert that arrives: under one key. What nobody received is told anew, under a key of its own.
void whole_monitor(const Check& check) {
    const bool first = check.run == check.scene.runs.front();
    std::map<std::string, std::set<std::string>> keys;
    for (const char* what : {"sent", "unheard"})
        for (const Line& line : check.lines)
            if (line.is(what) && line.word(2) == check.run) {
                auto& of_kind = keys[line.word(3)];
                if (line.is("sent")) of_kind.insert(line.word(1));
            }
    std::string kinds;
    for (const auto& [kind, of_kind] : keys) {
        kinds += kind + " ";
        if (of_kind.size() > 1) check.wrong("I7: " + kind + " is sent under more than one key");
    }
    if (kinds != (first ? "worker.complete worker.needs_input " : "worker.error worker.stuck "))
        check.wrong("I6: people were told of " + kinds);
    for (const AlertRow& row : check.stored.alerts)
        if ((row.state == AlertRow::State::dead) != (row.alert.kind == "worker.error"))
            check.wrong("I6: " + row.alert.kind + " is not stored as what became of it");
}

}  // namespace

std::string summary_of(const History& history) {
    if (!history.row) return "not stored";
    constexpr std::string_view states[] = {"pending", "delivered", "dead", "skipped"};
    std::string text{name_of(history.row->state)};
    for (const Action& action : history.actions)
        text += " " + std::string{name_of(action.kind)} + "=" + std::string{name_of(action.outcome)};
    for (const AlertRow& row : history.alerts)
        text += " " + row.alert.kind + "=" + std::string{states[static_cast<std::size_t>(row.state)]};
    return text + " checkpoints=" + std::to_string(history.checkpoints.size());
}

Problems problems_of(const Scene& scene, const std::vector<Line>& lines, const List<History>& stored) {
    Problems problems;
    for (const Line& line : lines)
        if (line.is("wrong") || (scene.alone && line.is("error"))) problems.push_back(line.text);
    for (std::size_t i = 0; i < scene.runs.size(); ++i) {
        const Check check{scene, lines, stored[i], scene.runs[i], problems};
        if (!stored[i].row) {
            check.wrong("I5: the run is not stored");
            continue;
        }
        i1_destructive(check);
        i2_intended_once(check);
        i3_one_continuation(check);
        i5_settled(check);
        i6_i7_alerts(check);
        i8_cooldown(check);
        i9_over(check);
        if (scene.story == &continuation_story()) whole_continuation(check);
        if (scene.story == &monitor_story()) whole_monitor(check);
    }
    return problems;
}

}  // namespace crash
