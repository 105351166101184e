// What people are told, and what they asked for.
#include <algorithm>
#include <chrono>
#include <set>

#include "sim/world.hpp"

namespace sim {

using namespace heeler;

/// What a person said at a moment, and what was made at one, can be put in order.
bool World::clocks_agree() const noexcept { return !story_.has(What::wall) && !story_.has(What::suspend); }

/// Something is asked of an agent.
void World::witness_asker(const Dog& dog, const Body& body, const std::string& what) {
    if (clocks_agree() && body.frozen.holds(dog.clock.now().wall)) wrong("I8", what + ", which a person has frozen");
    if (dogs_.size() == 1) return;
    const auto history = store_.history(body.id);
    if (history && history->row && history->row->holder != dog.name)
        wrong("I10", dog.name + ": " + what + ", which is " + history->row->holder + "'s");
}

/// People are told that nobody watches it any more, whatever they were told before.
bool World::is_given_up(const Body& body) const {
    const auto history = store_.history(body.id);
    return history && std::any_of(history->actions.begin(), history->actions.end(),
                                  [](const Action& action) { return is_record_only(action.kind); });
}

bool is_answer(const Alert& alert) {
    return std::any_of(alert.details.begin(), alert.details.end(), [](const Detail& detail) {
        return detail.value.find("pause_failed") != std::string::npos ||
               detail.value.find("resume_failed") != std::string::npos;
    });
}

/// An alert is sent.
void World::witness_quiet(const Alert& alert) {
    Body* body = body_of(alert.run.id);
    if (body == nullptr || !clocks_agree()) return;
    // Whoever ordered something of a run gets an answer; whether a store takes it is not about the run.
    const bool of_store = alert.is(AlertKind::run_unstored) || alert.is(AlertKind::run_stored);
    const bool answers = of_store || (alert.is(AlertKind::escalation) && is_answer(alert));
    if (body->snoozed.holds(alert.at) && !answers)
        wrong("I8", alert.kind + " about " + body->id + ", which is snoozed");
    const auto row = store_.alert({body->id, alert.key});
    const bool is_of_rung = row && row->has_value() && !(*row)->action_key.empty();  // something new was done
    if (is_of_rung) body->acked = {};
    if (alert.is(AlertKind::escalation) && body->acked.holds(alert.at))
        wrong("I8", body->id + " is escalated to the next level, and somebody is on it");
    if (!alert.is(AlertKind::unhealthy) || alert.at == body->told_at) return;
    const bool cold = body->told_at != WallTime{} && alert.at - body->told_at < story_.rules.alerts.cooldown;
    const bool excused = story_.has(What::channel) || story_.has(What::operate) || story_.has(What::store) ||
                         story_.trouble == Trouble::unheard;
    if (cold && !excused && !is_given_up(*body))
        wrong("I8", body->id + " is said to be unhealthy again within the cooldown");
    body->told_at = alert.at;
}

/// Of what an agent wrote a watchdog hands on what is text, keeps no secret, and marks it as somebody else's where it
/// is put before an agent (`is_whole`: it is not; people get it as one line).
void World::witness_text(std::string_view text, const std::string& where, bool is_whole) {
    if (text.find(secret) != std::string_view::npos) return wrong("I20", where + " tells a secret");
    const bool is_shown = std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return (c >= ' ' && c != 0x7F && c != 0xFF) || c == '\n' || c == '\t';
    });
    if (!is_shown || text.find("\xE2\x80\xAE") != std::string_view::npos)
        wrong("I19", where + " holds what is no text: " + std::string{text});
    const std::size_t order = text.find("heeler: stop");
    if (is_whole || order == std::string_view::npos) return;
    const std::size_t line = text.rfind('\n', order) + 1;
    if (text.substr(line, 2) != "| ")
        wrong("I19", where + " repeats an order as if it were its own: " + std::string{text});
}

/// And not about a condition with alerts of its own, such as a wait that nobody answers: these name a worker.
bool is_of_incident(const Alert& alert) {
    const bool of_edge = std::any_of(alert.details.begin(), alert.details.end(),
                                     [](const Detail& detail) { return detail.name == "worker_id"; });
    return !of_edge &&
           (alert.is(AlertKind::unhealthy) || alert.is(AlertKind::escalation) || alert.is(AlertKind::recovered));
}

/// Another run's message may have told of it. In the order in which they are stored: clocks may have been set.
std::string World::last_word_of(const Body& body, const History& history) {
    std::string last = body.last_word;
    for (const AlertRow& row : history.alerts) {
        const bool together = row.how == AlertRow::How::together && row.state == AlertRow::State::skipped;
        if (!is_of_incident(row.alert) || !(together || row.state == AlertRow::State::delivered)) continue;
        last = together ? row.alert.kind : body.last_word;
    }
    return last;
}

/// When everything has settled.
void World::judge_words(const Body& body, const History& history) {
    std::string rows = history.row->facts + history.row->memory.value_or("");
    for (const CheckpointRow& each : history.checkpoints) rows += each.text;
    for (const AuditRow& each : history.audit) rows += each.body;
    if (rows.find(secret) != std::string::npos) wrong("I20", "a secret of " + body.id + " is stored");
    std::set<std::string> verdicts;
    for (const AuditRow& row : history.audit)
        if (row.kind == "verdict" && clocks_agree() && row.body.find(R"("reason":"operator")") == std::string::npos &&
            !verdicts.insert(std::to_string(row.at.time_since_epoch().count()) + row.body).second)
            wrong("I25", "a verdict about " + body.id + " is on record twice: " + row.body);
    const RunRow& row = *history.row;
    const AlertSettings& alerts = story_.rules.alerts;
    if (!alerts.tell_people || story_.rules.mode == Mode::shadow || body.dismissed) return;
    const bool well = row.status == Status::healthy || row.status == Status::recovered;
    const std::string last = last_word_of(body, history);
    const bool is_good = last.empty() || last == name_of(AlertKind::recovered);
    const bool is_over = row.state == RunState::running || !is_troubled(row);
    if (well && !is_good && is_over && !is_terminal(row.state) && !story_.has(What::operate))
        wrong("I6", body.id + " is well, and people were told last: " + last);
    const bool is_kept_off = body.snoozed.until != WallTime{} && !clocks_agree();  // by whose clock?
    if (!well && is_good && row.state == RunState::running && !is_kept_off)
        wrong("I6", body.id + " is " + std::string{name_of(row.status)} +
                        ", and people were told last: " + (last.empty() ? "nothing" : last));
}

}  // namespace sim
