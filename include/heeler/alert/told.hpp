// All that people were told about one run, and what became of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/alert/flaps.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/archive.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/incident.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Whether people know that the run's incident began.
enum class Beginning : std::uint8_t {
    known,       ///< or there is none
    on_its_way,  ///< the alert that says so is the first about it
    inhibited,   ///< it was not told, because of trouble above the run; it is when that is over
    unsaid,      ///< it was not told: nothing is to be done, or it is silenced
};

[[nodiscard]] constexpr Beginning last_value(Beginning) noexcept { return Beginning::unsaid; }

/// What became of an alert: stored with its row, and taken in by the run's next cycle before it decides.
struct Fate {
    enum class What : std::uint8_t {
        delivered,
        dead,       ///< nobody has it
        inhibited,  ///< trouble above the run speaks for it
        unsaid,     ///< it was left out: nothing is to be done
        frozen,     ///< likewise, because nothing may be done
        silenced,
        perhaps,  ///< it may have arrived: whoever could have it does when it is given up
    };
    friend constexpr What last_value(What) noexcept { return What::perhaps; }

    What what = What::delivered;
    std::string key{};  ///< of the alert, and its kind and moment
    std::string kind{};
    WallTime at{};
    std::uint64_t silence = 0;  ///< by which it was swallowed

    [[nodiscard]] bool is(AlertKind known) const noexcept { return kind == name_of(known); }

    void archive(auto& a) { a(what, key, kind, at, silence); }
};

/// Fates, the oldest first. As bytes, so that they are stored as they are.
class Fates {
public:
    [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.size(); }

    void add(Fate fate) {
        ArchiveWriter to{Instant{}};
        to(fate);
        bytes_ += to.bytes();
    }
    void add(const Fates& later) { bytes_ += later.bytes_; }

    /// Takes out those that take so many bytes: the first ones.
    [[nodiscard]] Fates take(std::size_t bytes) {
        Fates first;
        first.bytes_ = bytes_.substr(0, bytes);
        bytes_.erase(0, bytes);
        return first;
    }

    template <class Take>
    void each(Take&& take) const {
        ArchiveReader from{bytes_, Instant{}};
        while (!from.at_end()) {
            Fate fate;
            from(fate);
            if (!from.ok()) return;
            take(fate);
        }
    }

    void archive(auto& a) { a(bytes_); }

private:
    std::string bytes_;
};

/// What an alert said that something began, goes on or is over.
struct ToldAlert {
    WallTime at{};
    std::uint32_t incident = 0;  ///< it is about this one; 0: about a condition with alerts of its own
    Condition edge{};            ///< that one
    std::string kind{};
    bool over = false;
    bool ends_run = false;  ///< it says as well that the run is given up or ended
    bool perhaps = false;   ///< it may have arrived

    [[nodiscard]] bool is(WallTime when, std::string_view what) const noexcept { return at == when && kind == what; }
    friend bool operator==(const ToldAlert&, const ToldAlert&) = default;

    void archive(auto& a) { a(at, incident, edge, kind, over, ends_run, perhaps); }
};

/// How far the escalation of an incident has got, where the class has levels.
struct ToldLevels {
    std::optional<Elapsed> next;  ///< the next level is told then; while it is acknowledged: when that is over
    std::uint32_t incident = 0;   ///< whose escalation it is
    std::uint32_t told = 0;       ///< levels of it
    std::uint32_t steps = 0;      ///< levels told in the run's life: they name the alerts
    std::string by{};             ///< who has acknowledged it

    friend bool operator==(const ToldLevels&, const ToldLevels&) = default;

    void archive(auto& a) { a(next, incident, told, steps, by); }
};

/// What people were not told because of a silence: when that is over they are, once, of what goes on then.
struct Unheard {
    std::uint64_t silence = 0;   ///< the newest that swallowed an alert of it; 0: none did
    std::uint32_t incident = 0;  ///< that `began` and `escalated` are about
    ConditionBits edges = 0;     ///< conditions with alerts of their own, a bit each
    bool began = false;          ///< the incident
    bool escalated = false;      ///< it needs a person
    bool over = false;           ///< what they had read of is over

    void add(const Unheard& more) noexcept {
        const bool same = incident == more.incident;
        *this = {more.silence,
                 more.incident,
                 edges | more.edges,
                 more.began || (same && began),
                 more.escalated || (same && escalated),
                 more.over || over};
    }

    friend bool operator==(const Unheard&, const Unheard&) = default;

    void archive(auto& a) { a(silence, incident, edges, began, escalated, over); }
};

/// Alerts about what goes on that nobody has, in a row: each is told again under a key of its own, ever less often.
struct InVain {
    std::uint32_t count = 0;
    WallTime at{};           ///< of the newest
    bool escalated = false;  ///< the newest of the incident's asked for a person
    bool over = false;       ///< the newest said that something is over

    static constexpr Duration longest = std::chrono::hours{1};
    static constexpr std::uint32_t most_of_end = 30;  ///< of a run that is over: about a day

    /// One interval of the run after the first one, then twice as long each time.
    [[nodiscard]] Duration pause(Duration interval) const noexcept {
        Duration pause = count == 0 ? Duration{} : interval;
        for (std::uint32_t i = 1; i < count && pause < longest; ++i) pause *= 2;
        return pause < longest ? pause : longest;
    }
    /// At once where the clock was set back.
    [[nodiscard]] bool due(Duration interval, WallTime now) const noexcept {
        return now < at || now - at >= pause(interval);
    }

    friend bool operator==(const InVain&, const InVain&) = default;

    void archive(auto& a) { a(count, at, escalated, over); }
};

/// The alert of its own that a class has about a condition; null: none.
[[nodiscard]] inline const ConditionAlert* edge_about(const AlertSettings& settings,
                                                      const Condition& condition) noexcept {
    for (const ConditionAlert& edge : settings.conditions)
        if (edge.condition == condition) return &edge;
    return nullptr;
}

/// A value, changed by `next` and by what became of the alerts that it asked for.
struct Told {
    std::optional<WallTime> last;  ///< the newest alert about trouble of the run: the cooldown goes from here
    List<ToldAlert> asked;         ///< of which it is not known yet what became of them, the newest `most_asked`
    List<ToldAlert> edges;         ///< conditions with alerts of their own that go on, each with its newest one
    OnDemand<ToldLevels> levels;
    OnDemand<Unheard> unheard;
    OnDemand<InVain> in_vain;
    OnDemand<Flaps> flaps;         ///< of its incidents, whether people were told or not
    ConditionBits read = 0;        ///< edges of which somebody has an alert, and nobody that they are over, a bit each
    ConditionBits dead_edges = 0;  ///< of which nobody has the newest one
    Beginning begin = Beginning::known;
    Severity severity =
        Severity::none;         ///< the worst that people were told of the incident: it does not fall meanwhile
    bool incident = false;      ///< of the newest one people were told that it began, and not that it is over
    bool dead = false;          ///< nobody has the newest alert of the incident
    bool heard = false;         ///< somebody has one of it, or of an older one, and nobody that it is over
    bool acknowledged = false;  ///< somebody is on the incident that is open: it is not said again
    bool hold_noted = false;    ///< it is on record that the next alert is held back
    bool begin_held = false;    ///< that the incident began is to be told as soon as nothing holds it back
    bool end_told = false;      ///< the newest alert says that the run is given up or ended
    bool end_waits = false;     ///< the run is over; that is told when it is known what became of the alerts before
    bool found_over = false;    ///< and nobody had said that it is, or whoever did reached nobody
    bool of_all = false;        ///< it stands still together with many others, which is told as one

    friend bool operator==(const Told&, const Told&) = default;

    /// Nobody learned that the incident began.
    [[nodiscard]] bool nobody_knows() const noexcept {
        return (dead && !heard) || begin == Beginning::inhibited || begin == Beginning::unsaid;
    }
    /// People know of trouble, and nobody that it is over. `same`: the newest incident is the one told of.
    [[nodiscard]] bool is_believed(bool same = true) const noexcept {
        return heard || (incident && same && !nobody_knows());
    }
    /// Nobody wants to hear any more of what was told: a person has closed it.
    void close() noexcept { incident = heard = begin_held = false; }
    /// It is not known yet what became of an alert that says that something is over.
    [[nodiscard]] bool end_is_asked() const noexcept {
        for (const ToldAlert& each : asked)
            if (each.over) return true;
        return false;
    }
    /// What the alert says that was made then, of that kind; null: nobody waits for what becomes of it.
    [[nodiscard]] const ToldAlert* find_asked(WallTime at, std::string_view kind) const noexcept {
        for (const ToldAlert& each : asked)
            if (each.at == at && each.kind == kind) return &each;
        return nullptr;
    }
    /// Nor of this condition: all that was said of it was silenced, or nobody has it.
    [[nodiscard]] bool is_unheard(const Condition& condition) const noexcept {
        return ((unheard->edges | dead_edges) & ~read & bit_of(condition)) != 0;
    }
    /// Something began which people are told the end of, and it goes on. `heard`: and they were told that it began.
    [[nodiscard]] bool end_is_awaited(const AlertSettings& settings, bool heard_of = false) const noexcept {
        for (const ToldAlert& each : edges) {
            const ConditionAlert* edge = edge_about(settings, each.edge);
            if (edge != nullptr && !edge->over.empty() && !(heard_of && is_unheard(each.edge))) return true;
        }
        return false;
    }
    /// Whoever was told that something is wrong learns that the run is over.
    [[nodiscard]] bool is_told_of_end(const AlertSettings& settings) const noexcept {
        return (is_believed() || awaits_end(read, settings) || end_is_awaited(settings, true)) && !end_told;
    }

    /// Of what somebody read that it began, something is to be told when it is over.
    [[nodiscard]] static bool awaits_end(ConditionBits read, const AlertSettings& settings) noexcept {
        for (const ConditionAlert& edge : settings.conditions)
            if (!edge.over.empty() && (read & bit_of(edge.condition)) != 0) return true;
        return false;
    }

    /// Somebody read that something began, and nobody that it is over.
    [[nodiscard]] bool owes_end(const Incident& of, const AlertSettings& settings) const noexcept {
        ConditionBits lasts = 0;
        for (const ToldAlert& each : edges) lasts |= bit_of(each.edge);
        return (heard && !of.open()) || awaits_end(read & ~lasts, settings);
    }

    static constexpr std::size_t most_asked = 16;

    void ask(ToldAlert alert) {
        if (asked.size() >= most_asked) asked.erase(asked.begin());
        asked.push_back(std::move(alert));
    }

    /// `of`: the run's newest incident. What became of an alert about an older one, or about a condition that was over
    /// meanwhile, says nothing about what goes on now.
    void take_in(const Fate& fate, const Incident& of, const AlertSettings& settings) {
        const ToldAlert alert = answered(fate);
        if (alert.over) return take_in_end(fate, alert, of);
        const bool of_incident = alert.incident != 0 && alert.incident == of.number;
        ConditionBits edge = 0;
        for (const ToldAlert& each : edges)
            if (alert.incident == 0 && each.edge == alert.edge && each.at == alert.at) edge = bit_of(alert.edge);
        if (fate.what == Fate::What::delivered || (fate.what == Fate::What::dead && alert.perhaps)) {
            heard |= alert.incident != 0 && (incident || of.open() || alert.incident < of.number);
            read |= edge;
        }
        const bool is_lost = fate.what == Fate::What::dead || fate.what == Fate::What::silenced;
        if (is_lost && alert.ends_run) found_over |= std::exchange(end_told, false);
        switch (fate.what) {
            case Fate::What::perhaps:
                break;
            case Fate::What::delivered:
                if (of_incident || edge != 0) in_vain.reset();
                dead_edges &= ~edge;
                if ((unheard->edges & edge) != 0) unheard.edit().edges &= ~edge;
                break;
            case Fate::What::dead:  // the cooldown is not used up, unless the class says that one attempt is enough
                if (of_incident || edge != 0) note_in_vain(fate, of_incident);
                dead |= of_incident;
                dead_edges |= edge;
                if (settings.outbox.retry && last == fate.at) last.reset();
                break;
            case Fate::What::inhibited:
                if (of_incident) begin = Beginning::inhibited;
                if (last == fate.at) last.reset();
                break;
            case Fate::What::unsaid:
                if (of_incident && leave_unsaid(of)) incident = false;  // it is told with what is done next
                break;
            case Fate::What::frozen:  // nothing is done next: that it began is told by itself
                if (of_incident && leave_unsaid(of)) {
                    incident = false;
                    begin_held = of.open();
                }
                if (last == fate.at) last.reset();
                break;
            case Fate::What::silenced: {
                if (of_incident) leave_unsaid(of);
                const bool escalates = fate.is(AlertKind::escalation), goes_on = of_incident && of.open();
                if (edge != 0 || goes_on)
                    unheard.edit().add(
                        {fate.silence, of.number, edge, goes_on && !escalates, goes_on && escalates, false});
                break;
            }
        }
    }

    /// The run is over. `found`: nobody had said so.
    void end(bool found) noexcept {
        end_waits = true;
        found_over |= found;
        in_vain.reset();
    }
    /// It is not, though people were told so.
    void take_back_end() noexcept { end_told = found_over = false; }
    /// The alert made then of that kind says that the run is over, and nothing else would.
    [[nodiscard]] bool is_last_word(WallTime at, std::string_view kind) const noexcept {
        for (const ToldAlert& each : asked)
            if (each.is(at, kind) && each.over && each.ends_run) return true;
        return false;
    }
    /// Whether that is told now, if it was not before: not as long as people may still read that there was trouble.
    [[nodiscard]] bool tells_end(const AlertSettings& settings, std::uint32_t pending, bool snoozed) {
        if (!end_waits || pending > 0) return false;
        end_waits = false;
        return !snoozed && in_vain->count < InVain::most_of_end && (found_over || is_told_of_end(settings));
    }

    /// An escalation that was held back has told nobody.
    void take_back_level() {
        if (levels->told != 1) return;
        levels.edit().told = 0;
        if (!acknowledged) levels.edit().next.reset();
    }

    /// No level is further away than the class has it wait: the clock may have been set back before a restart.
    void trim_levels(const EscalationSettings& settings, bool has_parent, Elapsed now) {
        Duration longest = acknowledged ? settings.ack_lasts : Duration{};
        const List<EscalationLevel>& all = settings.levels_of(has_parent);
        if (!acknowledged && levels->told < all.size()) longest = all[levels->told].after;
        if (longest > Duration{} && levels->next && *levels->next > now + longest) levels.edit().next = now + longest;
    }

    void archive(auto& a) {
        a(last, asked, edges, levels, unheard, in_vain, read, dead_edges, begin, severity, incident, dead, heard,
          acknowledged, hold_noted, begin_held, end_told, end_waits, found_over, of_all, flaps);
    }

private:
    /// The alert that this is about; one about nothing if nobody was asked.
    [[nodiscard]] ToldAlert answered(const Fate& fate) {
        for (std::size_t i = 0; i < asked.size(); ++i) {
            if (!asked[i].is(fate.at, fate.kind)) continue;
            if (fate.what == Fate::What::perhaps) return asked[i].perhaps = true, ToldAlert{};  // it is still asked
            ToldAlert found = std::move(asked[i]);
            asked.erase(asked.begin() + static_cast<std::ptrdiff_t>(i));
            return found;
        }
        return {};
    }

    /// Whoever read that it began reads that it is over, if not now, then once it can be told. It may have come back.
    void take_in_end(const Fate& fate, const ToldAlert& alert, const Incident& of) {
        const bool delivered = fate.what == Fate::What::delivered;
        // Somebody else has another copy of it.
        if (!delivered && alert.incident != 0 && !heard && !alert.ends_run) return;
        const bool is_known_over = delivered && alert.ends_run;
        end_told |= is_known_over;
        found_over &= !is_known_over;
        end_waits |= fate.what == Fate::What::dead && alert.ends_run;  // until somebody has it
        if (delivered) {
            in_vain.reset();
            if (alert.incident == 0) read &= ~bit_of(alert.edge);
            if (alert.incident != 0) take_in_last_word(of);
        } else if (fate.what == Fate::What::dead) {
            note_in_vain(fate, true);
            in_vain.edit().over = true;
        } else if (fate.what == Fate::What::silenced) {
            unheard.edit().silence = fate.silence;
            unheard.edit().over = true;
        }
    }

    /// People read last that all is well: if it is not, they are told again.
    void take_in_last_word(const Incident& of) {
        heard = false;
        if (!incident || is_on_its_way(of)) return;
        incident = false;
        begin_held = of.open();
    }

    void note_in_vain(const Fate& fate, bool of_incident) {
        InVain& vain = in_vain.edit();
        vain.over = false;
        ++vain.count;
        vain.at = fate.at;
        if (of_incident) vain.escalated = fate.is(AlertKind::escalation);
    }

    [[nodiscard]] bool is_on_its_way(const Incident& of) const noexcept {
        for (const ToldAlert& each : asked)
            if (!each.over && each.incident == of.number) return true;
        return false;
    }

    /// No alert is left that was to say first that this incident began, whether or not that is over by now.
    bool leave_unsaid(const Incident& of) {
        const bool first = begin == Beginning::on_its_way && !heard && !is_on_its_way(of);
        if (first) begin = Beginning::unsaid;
        return first;
    }
};

}  // namespace heeler::inline HEELER_ABI::detail
