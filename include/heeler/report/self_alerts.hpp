// Tells people that the watchdog itself is not well, once, and once that it is again: alerts pile up or grow old, its
// cycles come late, its store is slow, most of what it would say is kept back, or alerts were given up.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/time.hpp>
#include <heeler/core/vitals.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

/// When a watchdog is not well. 0 turns off what is counted.
struct SelfAlertSettings {
    /// Alerts that nobody has, and not fewer than when there were so many first. A channel that takes one a second has
    /// told them within ten minutes, which is how long `SelfWatch` lets one wait.
    std::uint64_t pending = 500;
    /// A cycle that begins so much later than it was to: the gap from which on a watchdog trusts no clock of its own.
    Duration late = std::chrono::seconds{10};
    /// Of the alerts of a quarter of an hour so many were silenced or inhibited, of at least so many: what nobody hears
    /// of is either no trouble or a silence that somebody forgot. What a cooldown holds back is told later.
    double suppressed_share = 0.9;
    std::uint64_t suppressed_of = 20;
    /// Alerts that were given up since one was delivered. One is enough: it was tried for a day.
    std::uint64_t dead_letters = 1;
    /// The mean call of the store between two looks is longer: a cycle makes some, and the next is due in a second.
    Duration slow_store = std::chrono::seconds{1};
    /// An alert that nobody has for so long, as where `SelfWatch` stops to tell that all is well.
    Duration oldest = std::chrono::minutes{10};
    /// `pending`, `late` and `slow_store` are told when they last for so long, all are over when they are gone for so
    /// long.
    Duration after = std::chrono::minutes{5};
    std::string to{};      ///< route of these alerts
    std::string holder{};  ///< which of several watchdogs says so
};

/// Remembers nothing across a restart: what goes on is told again. `note` may be called by two threads, one that ticks
/// and one that delivers.
class SelfAlerts {
public:
    explicit SelfAlerts(SelfAlertSettings settings = {}) : settings_{std::move(settings)} {}

    /// What a cycle, or the half of one, reported, and how the watchdog is then; of the half that ticks only the moment
    /// is read. The answer is for `Watchdog::say`.
    [[nodiscard]] std::vector<Alert> note(const CycleReport& report, const Vitals& seen) {
        const std::lock_guard guard{lock_};
        std::vector<Alert> alerts;
        if (report.deliveries > 0) {
            note_queue(seen, alerts);
            note_store(seen, alerts);
            note_oldest(seen, alerts);
        }
        note_lateness(report, seen.at, alerts);
        for (const Event& event : report.events)
            if (const auto* alert = std::get_if<AlertEvent>(&event)) count(alert->row);
        suppressed_ += report.why.silence + report.why.inhibit;
        note_share(seen.at, alerts);
        note_dead(seen.at, alerts);
        return alerts;
    }

private:
    enum class Symptom : std::uint8_t { queue, lateness, suppressed, dead_letters, store, old };
    static constexpr std::array<std::string_view, 6> names{"queue",        "lateness", "suppressed",
                                                           "dead_letters", "store",    "old"};
    static constexpr Duration window = std::chrono::minutes{15};

    struct State {
        std::optional<Elapsed> since;  ///< it is there
        std::optional<Elapsed> gone;   ///< people were told of it, and it is not there
        bool told = false;
    };

    void note_queue(const Vitals& seen, std::vector<Alert>& alerts) {
        const std::uint64_t pending = seen.alerts_pending;
        const bool many = settings_.pending != 0 && pending >= settings_.pending;
        if (!many || (!state(Symptom::queue).since && !state(Symptom::queue).told)) at_first_ = pending;
        const bool grows = many && (state(Symptom::queue).told || pending >= at_first_);
        see(Symptom::queue, grows, settings_.after, seen.at,
            text::concat(std::to_string(pending), " alerts wait to be told, and they do not become fewer"), alerts);
    }

    /// A store that was not asked since the last look is neither slow nor well.
    void note_store(const Vitals& seen, std::vector<Alert>& alerts) {
        StoreCalls all;
        for (const StoreCalls& calls : seen.store) {
            all.count += calls.count;
            all.spent += calls.spent;
        }
        const std::uint64_t count = all.count - calls_.count;
        if (count == 0) return;
        const Duration mean = (all.spent - calls_.spent) / static_cast<Duration::rep>(count);
        calls_ = all;
        see(Symptom::store, settings_.slow_store > Duration{} && mean > settings_.slow_store, settings_.after, seen.at,
            text::concat("a call of its store takes ", text::spoken(mean)), alerts);
    }

    void note_oldest(const Vitals& seen, std::vector<Alert>& alerts) {
        const Duration oldest = seen.oldest_alert.value_or(Duration{});
        see(Symptom::old, settings_.oldest > Duration{} && oldest >= settings_.oldest, {}, seen.at,
            text::concat("an alert waits to be told for ", text::spoken(oldest)), alerts);
    }

    void note_lateness(const CycleReport& report, Instant now, std::vector<Alert>& alerts) {
        if (report.ticks > 0) late_ = report.late.value_or(Duration{});
        see(Symptom::lateness, settings_.late > Duration{} && late_ >= settings_.late, settings_.after, now,
            text::concat("its cycles begin ", text::spoken(late_), " later than they should"), alerts);
    }

    /// Those of runs: what is said here must not be a reason to say it.
    void count(const AlertRow& row) {
        if (row.alert.run.id.empty()) return;
        if (row.state == AlertRow::State::dead) ++dead_;
        if (row.state != AlertRow::State::delivered) return;
        ++delivered_;
        dead_ = 0;
    }

    void note_share(Instant now, std::vector<Alert>& alerts) {
        if (!window_from_) window_from_ = now.elapsed;
        if (now.elapsed - *window_from_ < window) return;
        const std::uint64_t all = suppressed_ + delivered_;
        const bool most = settings_.suppressed_of != 0 && all >= settings_.suppressed_of &&
                          static_cast<double>(suppressed_) >= settings_.suppressed_share * static_cast<double>(all);
        see(Symptom::suppressed, most, {}, now,
            text::concat(std::to_string(suppressed_), " of ", std::to_string(all),
                         " alerts were silenced or inhibited within ", text::spoken(window)),
            alerts);
        window_from_ = now.elapsed;
        suppressed_ = delivered_ = 0;
    }

    void note_dead(Instant now, std::vector<Alert>& alerts) {
        see(Symptom::dead_letters, settings_.dead_letters != 0 && dead_ >= settings_.dead_letters, {}, now,
            text::concat(std::to_string(dead_), dead_ == 1 ? " alert was" : " alerts were", " given up: nobody has it"),
            alerts);
    }

    void see(Symptom symptom, bool is_there, Duration after, Instant now, std::string what,
             std::vector<Alert>& alerts) {
        State& known = state(symptom);
        if (is_there) {
            known.gone.reset();
            if (!known.since) known.since = now.elapsed;
            if (known.told || now.elapsed - *known.since < after) return;
            known.told = true;
            alerts.push_back(alert(symptom, AlertKind::unwell, std::move(what), now));
        } else if (!known.told) {
            known.since.reset();
        } else {
            if (!known.gone) known.gone = now.elapsed;
            if (now.elapsed - *known.gone < settings_.after) return;
            known = {};
            alerts.push_back(alert(symptom, AlertKind::well, "that is over", now));
        }
    }

    [[nodiscard]] Alert alert(Symptom symptom, AlertKind kind, std::string what, Instant now) const {
        const std::string_view name = names[static_cast<std::size_t>(symptom)];
        Alert said;
        said.kind = name_of(kind);
        said.key = text::concat(said.kind, ".", name, settings_.holder.empty() ? "" : ".", settings_.holder, ".",
                                text::rfc3339(now.wall));
        said.to = text::sanitise(settings_.to, 256);
        said.severity = kind == AlertKind::unwell ? Severity::warning : Severity::none;
        said.summary =
            text::concat("the watchdog", settings_.holder.empty() ? "" : " `", text::sanitise(settings_.holder, 128),
                         settings_.holder.empty() ? "" : "`", ": ", name, ": ", what);
        said.details.push_back({"symptom", std::string{name}});
        said.at = now.wall;
        return said;
    }

    [[nodiscard]] State& state(Symptom symptom) noexcept { return states_[static_cast<std::size_t>(symptom)]; }

    const SelfAlertSettings settings_;
    std::mutex lock_;
    std::array<State, names.size()> states_{};
    std::uint64_t at_first_ = 0;          ///< alerts that waited when there were so many first
    Duration late_{};                     ///< of the last cycle
    StoreCalls calls_{};                  ///< in all, when it was looked at last
    std::optional<Elapsed> window_from_;  ///< of the share
    std::uint64_t suppressed_ = 0, delivered_ = 0, dead_ = 0;
};

}  // namespace heeler::inline HEELER_ABI
