// Decides what people are told of a run: from what they were told, what was judged and the class's settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/alert/told.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/incident.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Found of a run that waits, too: it says nothing bad, and does not go by the run's age.
[[nodiscard]] constexpr bool holds_in_waits(const Condition& condition) noexcept {
    return !condition.opens_incident() && !(condition == Condition::silent || condition == Condition::overdue);
}

/// What a cycle found out and decided about a run, as far as people are told of it.
struct News {
    Incident before{}, after{};
    Duration interval{};      ///< of the run
    bool has_parent = false;  ///< the run has
    Severity severity = Severity::none;
    std::uint32_t pending = 0;  ///< alerts about the run that wait to be sent
    Flaps flaps{};              ///< how its incidents come and go, this look included
    ConditionBits found = 0;    ///< what is worth an alert of its own, a bit each
    bool looked = false;        ///< false: only the outcomes of a rung were taken in
    bool held = false;          ///< the run was not judged: nothing is known of it yet
    bool waiting = false;       ///< that nothing is found proves nothing
    bool run_waits = false;     ///< because it said so
    bool silence_known = true;  ///< false: that no silence is found proves nothing
    bool readable = true;       ///< its source can be read, if it has one
    bool recovered = false;     ///< the incident is over because the run is well
    bool acts = false;          ///< a rung is carried out
    bool tells = false;         ///< none is, and people are to know all the same
    bool escalates = false;     ///< the rung asks for a person
    bool ends_run = false;      ///< it ends the run, or the watch over one that may go on
    bool is_final = false;      ///< nothing follows it
    bool is_urgent = false;     ///< it is critical, about a limit, or nothing follows what is done about it
    bool snoozed = false;       ///< an operator keeps deeds and words off the run
    bool frozen = false;        ///< nothing is done to it
    bool inhibited = false;     ///< people know of trouble above the run, or of many
    bool silence_over = false;  ///< the one that kept an alert about it from people
};

/// Why a level of an escalation is told.
enum class LevelCause : std::uint8_t { escalated, not_received, not_acknowledged, ack_over, silence_over };

[[nodiscard]] constexpr std::string_view name_of(LevelCause cause) noexcept {
    constexpr std::string_view names[] = {"escalated", "nobody received it", "nobody acknowledged it",
                                          "the acknowledgement is over", "a silence is over"};
    return names[static_cast<std::size_t>(cause)];
}

/// One level of an escalation, as it is told.
struct LevelStep {
    std::uint32_t level = 0;  ///< from 1; 0: none
    LevelCause cause = LevelCause::escalated;
    std::optional<Elapsed> next{};  ///< the next one is told then
};

/// What follows for a run. People are told in this order.
struct Telling {
    Told told;
    bool escalation = false;  ///< by an action of the rung
    bool unhealthy = false;
    bool recovered = false;
    ConditionBits ends = 0;                  ///< conditions with alerts of their own
    const ConditionAlert* begins = nullptr;  ///< likewise
    bool goes_on = false;                    ///< the escalation: to the next level, or once more
    LevelStep level{};                       ///< whose turn it is, where the class has levels
    std::uint64_t silence = 0;               ///< that is over, of what goes on; 0: none
    bool held_back = false;                  ///< an alert is, by the cooldown
    bool flapping = false;                   ///< one begins to be, for people know that the run flaps
    std::string_view held_by{};              ///< what holds one back, where that is not on record yet
    bool ack_over = false;                   ///< an acknowledgement is
    std::string acknowledged_by;             ///< by whom that was
};

/// A value in, a value out; `now` is all it knows of time.
class Teller {
public:
    Teller(const Told& told, const News& news, const AlertSettings& settings, Instant now)
        : before_{told}, news_{news}, settings_{settings}, now_{now} {
        result_.told = told;
    }

    [[nodiscard]] Telling operator()() {
        if (news_.looked && news_.flaps != *before_.flaps) result_.told.flaps.edit() = news_.flaps;
        if (news_.looked && !news_.held) end_edges();
        // What was over before the run began to wait is.
        const bool was_over = news_.run_waits && !news_.held && !news_.before.open() && !news_.after.open();
        Alerting alerting = news_.looked && (!news_.waiting || was_over) ? alerting_now() : Alerting::none;
        if (reminds_ && edge_is_untold()) alerting = Alerting::none;
        if (must_say_it_ends()) alerting = Alerting::send;
        if (news_.looked && !news_.held) begin_edge(alerting);
        step_ = news_.looked && !news_.held ? step_now() : Step::none;
        if (news_.inhibited) put_off_level();
        begin_incident();
        if (step_ == Step::ack_over) end_acknowledgement();
        if (news_.acts && news_.escalates) escalate();
        tell_incident(alerting);
        tell_edges();
        go_on();
        forget_unheard();
        settle_acknowledgement();
        return std::move(result_);
    }

private:
    enum class Alerting : std::uint8_t { none, send, held, waits, resolved };
    enum class Step : std::uint8_t { none, next_level, ack_over, unheard, nobody_has_it };

    [[nodiscard]] bool same_incident() const noexcept { return news_.after.number == news_.before.number; }
    /// Of the incident as it is now.
    [[nodiscard]] bool told_of_it() const noexcept { return before_.incident && same_incident(); }

    /// Nobody has the newest alert about the incident, and it is time to say it again.
    [[nodiscard]] bool is_told_anew(bool escalation) const {
        return before_.dead && news_.pending == 0 && before_.in_vain->escalated == escalation &&
               before_.in_vain->due(news_.interval, now_.wall);
    }

    /// Within the cooldown no other trouble of the run is told. That it is over is, and whatever waits for a person.
    [[nodiscard]] bool is_cold() const {
        return before_.last && now_.wall >= *before_.last && now_.wall - *before_.last < settings_.cooldown;
    }
    /// That something began is not told while people are still to read that it was over.
    [[nodiscard]] bool end_is_on_its_way() const { return news_.pending > 0 && before_.end_is_asked(); }

    /// An end that is owed may be told now: not before people could read the beginning, nor while a silence keeps it
    /// from them, nor at once again after nobody could be reached.
    [[nodiscard]] bool may_tell_ends() const {
        if (news_.snoozed || news_.pending > 0) return false;
        if (before_.unheard->over && !news_.silence_over) return false;
        return !before_.in_vain->over || before_.in_vain->due(news_.interval, now_.wall);
    }

    /// Nobody knows yet that this run, which is given up or ended now, is in trouble at all.
    [[nodiscard]] bool must_say_it_ends() const {
        if (!settings_.tell_people || !news_.acts || !news_.ends_run || news_.escalates || news_.frozen) return false;
        return !(told_of_it() && before_.heard);
    }

    /// People are told that the run flaps, and not that one more of its incidents began.
    [[nodiscard]] bool speaks_of_flapping() const {
        return (news_.found & bit_of(Condition::flapping)) != 0 && !news_.is_urgent &&
               edge_about(settings_, Condition::flapping) != nullptr;
    }

    /// Something with alerts of its own goes on, or is found: nobody reads meanwhile that the run is well again. Who
    /// read of an incident of one that flaps does: the next ones are not told.
    [[nodiscard]] bool other_trouble_lasts() const {
        for (const ConditionAlert& edge : settings_.conditions) {
            const ConditionBits bit = bit_of(edge.condition);
            if (edge.over.empty() || ((over_ | bit_of(Condition::flapping)) & bit) != 0) continue;
            if ((news_.found & bit) != 0 || knows_edge(edge.condition)) return true;
        }
        return false;
    }

    /// An alert when the incident begins and, if the class says so, again while it lasts, none of these within the
    /// cooldown; and one when it is over.
    [[nodiscard]] Alerting alerting_now() {
        if (!settings_.tell_people) return Alerting::none;
        if (!news_.after.open()) {
            const bool over = !news_.before.open() || news_.recovered;
            const bool known = before_.is_believed(same_incident());
            return over && known && may_tell_ends() && !other_trouble_lasts() ? Alerting::resolved : Alerting::none;
        }
        if (news_.snoozed) return Alerting::none;
        const auto& last = before_.last;
        const bool kept = before_.begin == Beginning::inhibited && same_incident();
        const bool held = before_.begin_held && same_incident();
        const bool begins = kept ? !news_.inhibited : !told_of_it() && (news_.acts || news_.tells || held);
        const bool in_vain = told_of_it() && before_.dead && !levels_are_left();
        if (in_vain && !is_told_anew(false)) return Alerting::none;
        const bool again = !kept && told_of_it() && settings_.renotify_every > Duration{} && !before_.acknowledged &&
                           (!last || now_.wall < *last || now_.wall - *last >= settings_.renotify_every);
        const bool unheard = news_.silence_over && before_.unheard->began && !before_.acknowledged &&
                             before_.unheard->incident == news_.after.number;
        if (!begins && !again && !unheard && !in_vain) return Alerting::none;
        reminds_ = !begins && !unheard && !in_vain;
        if (end_is_on_its_way() || (begins && speaks_of_flapping())) return Alerting::waits;
        return is_cold() && !unheard ? Alerting::held : Alerting::send;
    }

    /// A silence that is over kept it from people that the incident needs somebody.
    [[nodiscard]] bool escalation_is_unheard() const {
        const Unheard& unheard = *before_.unheard;
        return news_.silence_over && unheard.escalated && news_.after.open() && unheard.incident == news_.after.number;
    }

    /// Somebody was asked for, and there is whom to ask next.
    [[nodiscard]] bool levels_are_left() const {
        const ToldLevels& levels = *before_.levels;
        return levels.incident == news_.after.number && levels.told > 0 && levels.told < levels_.size();
    }

    /// Goes by real time, also while the run waits: it may be paused until somebody comes.
    [[nodiscard]] Step step_now() const {
        const Incident& incident = news_.after;
        const ToldLevels& levels = *before_.levels;
        const bool due = levels.next && now_.elapsed >= *levels.next;
        if (news_.snoozed || news_.inhibited) return Step::none;
        if (before_.acknowledged) return due && !news_.frozen ? Step::ack_over : Step::none;
        if (incident.open() && before_.unheard->escalated && before_.unheard->incident == incident.number)
            return news_.silence_over ? Step::unheard : Step::none;
        if (!incident.open()) return Step::none;
        if (!levels_are_left()) return same_incident() && is_told_anew(true) ? Step::nobody_has_it : Step::none;
        // Whom nobody could reach is not waited for.
        return (due && !news_.frozen) || before_.dead ? Step::next_level : Step::none;
    }

    /// Nobody was told of the first one yet.
    void put_off_level() {
        const ToldLevels& levels = *before_.levels;
        if (levels.next && now_.elapsed >= *levels.next && levels_are_left())
            result_.told.levels.edit().next = now_.elapsed + levels_[levels.told].after;
    }

    /// What has alerts of its own and is over. Whoever read that it began is told, now or later.
    void end_edges() {
        for (const ToldAlert& each : before_.edges)
            if ((news_.found & bit_of(each.edge)) == 0) end_edge(each.edge);
        if (!may_tell_ends()) return;
        for (const ConditionAlert& edge : settings_.conditions) {
            const ConditionBits bit = bit_of(edge.condition);
            if (edge.over.empty() || ((before_.read & ~news_.found) & bit) == 0 || knows_edge(edge.condition)) continue;
            if (is_known_over(edge.condition)) result_.ends |= bit;
        }
    }

    [[nodiscard]] bool is_known_over(const Condition& condition) const {
        if (condition == Condition::unobservable) return news_.readable;
        if (news_.waiting && !(news_.run_waits && holds_in_waits(condition))) return false;
        return condition != Condition::silent || news_.silence_known;
    }

    /// It is over if enough is known to say so, and not before it is known whether people could read that it began.
    void end_edge(const Condition& condition) {
        if (!is_known_over(condition)) return;
        const ConditionAlert* edge = edge_about(settings_, condition);
        const bool is_told = edge != nullptr && !edge->over.empty();
        if (is_told && news_.pending > 0) return;
        over_ |= bit_of(condition);
        if (is_told && !before_.is_unheard(condition) && may_tell_ends()) result_.ends |= bit_of(condition);
    }

    /// What has alerts of its own: one when it begins, again if the class says so, none about what was told already.
    void begin_edge(Alerting alerting) {
        if (news_.snoozed || end_is_on_its_way()) return;
        ConditionBits told = 0, waits = 0;
        for (const ToldAlert& each : before_.edges) {
            const ConditionBits bit = bit_of(each.edge);
            if (news_.silence_over && (before_.unheard->edges & bit) != 0) continue;
            told |= bit;
            if (now_.wall >= each.at && now_.wall - each.at < settings_.renotify_every) waits |= bit;
        }
        const bool cold = is_cold() || (alerting == Alerting::send && settings_.cooldown > Duration{});
        const bool repeats = settings_.renotify_every > Duration{};
        for (const ConditionAlert& edge : settings_.conditions) {
            const ConditionBits bit = bit_of(edge.condition);
            if ((news_.found & bit) == 0) continue;
            if (cold && !news_.silence_over && !holds_in_waits(edge.condition)) return;
            // Two of one kind at one moment could not be told apart: this one comes with the next cycle.
            if (alerting == Alerting::send && edge.kind == name_of(AlertKind::unhealthy)) return;
            if (step_now() != Step::none && edge.kind == name_of(AlertKind::escalation)) return;
            const bool taken_on = before_.acknowledged && !edge.over.empty();
            const bool in_vain = (before_.dead_edges & bit) != 0;
            if (in_vain && !before_.in_vain->due(news_.interval, now_.wall)) return;
            const bool again = repeats && edge.repeated && (waits & bit) == 0 && !taken_on;
            // Whoever is still to read it is not told under another key.
            const bool is_on_its_way = news_.pending > 0 && knows_edge(edge.condition);
            if (((told & bit) == 0 || again || in_vain) && !is_on_its_way) result_.begins = &edge;
            return;  // what stands behind it is not told meanwhile
        }
    }

    /// What people have not read goes before what they have: a host may look only when it is time to say that again.
    [[nodiscard]] bool edge_is_untold() const {
        for (const ConditionAlert& edge : settings_.conditions)
            if ((news_.found & bit_of(edge.condition)) != 0)
                return !knows_edge(edge.condition) || before_.is_unheard(edge.condition);
        return false;
    }

    [[nodiscard]] bool knows_edge(const Condition& condition) const noexcept {
        for (const ToldAlert& each : before_.edges)
            if (each.edge == condition) return true;
        return false;
    }

    void begin_incident() {
        if (same_incident()) return;
        result_.told.incident = result_.told.begin_held = false;
        result_.told.severity = Severity::none;
        result_.told.begin = Beginning::known;
    }

    /// Whoever was on it has had the time for it.
    void end_acknowledgement() {
        result_.told.acknowledged = false;
        ToldLevels& levels = result_.told.levels.edit();
        levels.next.reset();
        result_.ack_over = true;
        result_.acknowledged_by = std::exchange(levels.by, {});
    }

    void escalate() {
        result_.escalation = true;
        if (!levels_.empty()) result_.level = next_level();
        say_it_began(AlertKind::escalation, news_.ends_run && !news_.frozen);
    }

    /// An alert about the incident goes out: the first that people get of it, or not. As long as nobody has one, each
    /// may be the first.
    void say_it_began(AlertKind kind, bool ends_run) {
        Told& told = result_.told;
        told.ask({now_.wall, news_.after.number, {}, std::string{name_of(kind)}, false, ends_run});
        told.end_told = ends_run;
        const bool waits = told.begin == Beginning::on_its_way && !told.heard;
        const bool first = !told.incident || told.nobody_knows() || waits;
        told.begin = first ? Beginning::on_its_way : Beginning::known;
        told.severity = max_of(max_of(told.severity, news_.severity), Severity::warning);
        told.incident = true;
        told.dead = told.begin_held = false;
        told.last = now_.wall;
    }

    /// That it is over is told, or nobody is to be told, or nobody knew of it. Who keeps words off a run looks at it.
    void close_incident(Alerting alerting) {
        Told& told = result_.told;
        if (news_.after.open()) return;
        const bool by_hand = news_.looked && news_.before.open() && !news_.recovered;
        if (!settings_.tell_people || by_hand || (news_.snoozed && news_.pending == 0)) return told.close();
        const bool unknown = news_.looked && news_.pending == 0 && !before_.is_believed(same_incident());
        if (alerting != Alerting::resolved && !unknown) return;
        told.incident = told.begin_held = told.dead = false;
        told.severity = Severity::none;
        told.begin = Beginning::known;
    }

    void tell_incident(Alerting alerting) {
        Told& told = result_.told;
        close_incident(alerting);
        if (!settings_.tell_people) return;
        if (!same_incident()) told.dead = false;
        if (!same_incident() && told.dead_edges == 0) told.in_vain.reset();
        if (alerting == Alerting::send && !news_.escalates) {
            result_.unhealthy = true;
            say_it_began(AlertKind::unhealthy, news_.is_final && !news_.frozen);
            told.hold_noted = false;
        }
        told.begin_held |= (alerting == Alerting::held || alerting == Alerting::waits) && !told.incident;
        result_.held_back = alerting == Alerting::held;
        if (result_.held_back && !told.hold_noted) result_.held_by = "cooldown";
        result_.flapping = told.begin_held && speaks_of_flapping() && !(before_.begin_held && same_incident());
        if (result_.flapping) result_.held_by = "flapping";
        told.hold_noted |= result_.held_back;
        if (alerting == Alerting::resolved) {
            result_.recovered = true;
            told.ask({now_.wall, news_.after.number, {}, std::string{name_of(AlertKind::recovered)}, true});
        }
    }

    /// Alerts of their own for conditions that have just begun; forgets what is over.
    void tell_edges() {
        Told& told = result_.told;
        for (const ConditionAlert& edge : settings_.conditions)
            if ((result_.ends & bit_of(edge.condition)) != 0) told.ask({now_.wall, 0, edge.condition, edge.over, true});
        forget_read();
        if (over_ != 0) {
            List<ToldAlert> left;
            for (ToldAlert& each : told.edges)
                if ((over_ & bit_of(each.edge)) == 0) left.push_back(std::move(each));
            told.edges.swap(left);
            told.dead_edges &= ~over_;
            if (told.dead_edges == 0 && !told.dead && !told.in_vain->over) told.in_vain.reset();
        }
        if (result_.begins != nullptr) tell_edge(*result_.begins);
    }

    /// Nobody is to be told the end of these.
    void forget_read() {
        ConditionBits& read = result_.told.read;
        const bool closes = news_.snoozed && news_.pending == 0;
        for (const ConditionAlert& edge : settings_.conditions) {
            const ConditionBits bit = bit_of(edge.condition);
            const bool goes_on = knows_edge(edge.condition) && (over_ & bit) == 0;
            if ((read & bit) != 0 && !goes_on && (edge.over.empty() || closes)) read &= ~bit;
        }
    }

    void tell_edge(const ConditionAlert& edge) {
        Told& told = result_.told;
        told.ask({now_.wall, 0, edge.condition, edge.kind});
        if (!holds_in_waits(edge.condition)) told.last = now_.wall;
        told.dead_edges &= ~bit_of(edge.condition);
        for (ToldAlert& each : told.edges)
            if (each.edge == edge.condition) {
                each.at = now_.wall;
                return;
            }
        told.edges.push_back({now_.wall, 0, edge.condition, {}});
    }

    /// Nobody has said to be on it, or whoever did has not mended it, or a silence kept it from people.
    void go_on() {
        if (step_ == Step::none) return;
        const bool has_levels = !levels_.empty();
        const bool unheard = step_ == Step::unheard || (step_ == Step::ack_over && escalation_is_unheard());
        const bool anew = step_ == Step::nobody_has_it;
        if ((has_levels || unheard || anew) && news_.escalates) return;  // it is told by the rung
        const ToldLevels& levels = *result_.told.levels;
        const bool is_open =
            has_levels && levels.told > 0 && news_.after.open() && levels.incident == news_.after.number;
        if (!unheard && !anew && !is_open) return;
        result_.goes_on = true;
        if (unheard) result_.silence = before_.unheard->silence;
        if (has_levels) result_.level = next_level();
        const bool told = result_.told.incident;
        say_it_began(AlertKind::escalation, result_.told.end_told);
        result_.told.incident = told;
    }

    /// The level whose turn it is. A further escalation of the same incident goes to whom it has reached already.
    [[nodiscard]] LevelStep next_level() {
        const std::uint32_t incident = news_.after.number;
        const auto most = static_cast<std::uint32_t>(levels_.size());
        ToldLevels& levels = result_.told.levels.edit();
        if (step_ == Step::unheard && levels.incident == incident && levels.told > 0)
            --levels.told;  // whom the silence kept it from
        const bool begins = levels.incident != incident || levels.told == 0;
        if (begins) {  // an acknowledgement may be older
            levels.incident = incident;
            levels.told = 1;
        }
        if (!begins && (step_ == Step::next_level || step_ == Step::unheard)) ++levels.told;
        levels.told = detail::min_of(levels.told, most);
        ++levels.steps;
        LevelStep step{levels.told};
        if (!result_.told.acknowledged) {
            levels.next.reset();
            if (levels.told < most) levels.next = now_.elapsed + levels_[levels.told].after;
            step.next = levels.next;
        }
        if (step_ == Step::nobody_has_it) step.cause = LevelCause::not_received;
        if (!begins && step_ == Step::next_level)
            step.cause = before_.dead ? LevelCause::not_received : LevelCause::not_acknowledged;
        if (step_ == Step::ack_over) step.cause = LevelCause::ack_over;
        if (step_ == Step::unheard) step.cause = LevelCause::silence_over;
        return step;
    }

    /// What people are still to be told of after a silence. What was over before it was, nobody is told of. While the
    /// run waits, or somebody is on it, its incident is not spoken of; an edge that is not found now and not known to
    /// be over, or that stands behind another, waits, too.
    void forget_unheard() {
        Told& told = result_.told;
        Unheard left = *told.unheard;
        left.edges &= ~over_;
        if (news_.silence_over) {
            ConditionBits known = 0;
            for (const ToldAlert& each : told.edges) known |= bit_of(each.edge);
            left.edges &= known & ~(result_.begins != nullptr ? bit_of(result_.begins->condition) : ConditionBits{0});
            const bool later = before_.acknowledged && news_.after.open();
            left.began &= news_.waiting || later;
            left.escalated &= (later || news_.inhibited) && !result_.goes_on && !result_.escalation;
            left.over = false;
            if (left.edges == 0 && !left.began && !left.escalated) left = {};
        }
        if (left == *told.unheard) return;
        told.unheard.reset();
        if (left.silence != 0) told.unheard.edit() = left;
    }

    /// Somebody is on it as long as it lasts; not on the next one.
    void settle_acknowledgement() {
        Told& told = result_.told;
        const bool lasts = news_.after.open() || told.end_is_awaited(settings_);
        if (!lasts || !same_incident()) told.acknowledged = false;
        // Should it come back as the same incident, whoever was told is told again first.
        if (!news_.after.open() && !told.acknowledged && told.levels->next) told.levels.edit().next.reset();
    }

    const Told& before_;
    const News& news_;
    const AlertSettings& settings_;
    const List<EscalationLevel>& levels_ = settings_.escalation.levels_of(news_.has_parent);
    Instant now_;
    Telling result_;
    Step step_ = Step::none;
    ConditionBits over_ = 0;
    bool reminds_ = false;  ///< people have read what the alert about the incident says
};

/// What people are told of a run now, and what they were told then. Pure.
[[nodiscard]] inline Telling next(const Told& told, const News& news, const AlertSettings& settings, Instant now) {
    return Teller{told, news, settings, now}();
}

}  // namespace heeler::inline HEELER_ABI::detail
