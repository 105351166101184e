// Tells people once a day that the watchdog is there and how the day was: who hears nothing cannot tell that all is
// well from a watchdog that is dead, or whose alerts reach nobody.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <heeler/core/alert.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/callback.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/spend.hpp>
#include <heeler/core/time.hpp>
#include <heeler/core/vitals.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/rfc3339.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// The kind of its alerts.
inline constexpr std::string_view watchdog_digest = "watchdog.digest";

struct DailyDigestSettings {
    Duration at = std::chrono::hours{9};  ///< of the day, in UTC (`time_of_day`)
    std::string to{};                     ///< route of these alerts
    std::string holder{};                 ///< which of several watchdogs says so
    /// What `told()` answered in an earlier process: what was told then is not told again. Empty: nobody knows.
    std::string told{};
    /// What was spent today, where somebody knows: `[&] { return ledger.today(); }`.
    Callback<Spent()> spent{};

    /// Error: `invalid_argument`, which names the setting and its limit.
    [[nodiscard]] Result<void> check() const {
        if (at < Duration{} || at >= std::chrono::hours{24})
            return detail::invalid("daily digest: at is " + std::to_string(in_seconds(at)) +
                                   " s; it is a time of the day: from 0 s to less than 24 h");
        std::string_view rest{told};
        if (!told.empty() && (!detail::take_date(rest) || !rest.empty()))
            return detail::invalid("daily digest: told is no date; it is what `told()` answered, like 2026-01-31");
        return {};
    }
};

/// "09:00" or "09:00:30", in UTC. Error: `invalid_argument`.
[[nodiscard]] inline Result<Duration> time_of_day(std::string_view text) {
    const std::string whole = text::concat(text, text.size() == 5 ? ":00" : "");
    std::string_view rest{whole};
    const auto time = detail::take_time_of_day(rest);
    if (time && rest.empty() && *time < std::chrono::hours{24}) return Duration{*time};
    return detail::invalid(text::concat("\"", text::sanitise(text, 64),
                                        "\" is no time of the day: write 09:00 or 09:00:30, from 00:00 to 23:59:59"));
}

/// One alert a day, at the same time of the day. While it is not delivered it is tried as every alert is, for a day;
/// there is never a second one meanwhile, and what was given up is part of the next.
///
/// Its key holds the date, so that whoever drops what has a known key is told once, whatever crashes. A process that
/// was told what `told()` answered before says nothing twice either; one that knows nothing of earlier ones tells at
/// once if the time of this day is over. A clock that is set forward and corrected, or back, makes neither two nor
/// none: of two digests 1 h pass at least by the monotonic clock, and 12 h where the date does not become a later one.
///
/// `note` may be called by two threads, one that ticks and one that delivers. No memory is taken but to say something.
class DailyDigest {
public:
    /// A time that is none of the day is the nearest one, and a date that is none is not known (`check`).
    explicit DailyDigest(DailyDigestSettings settings = {}) : settings_{std::move(settings)} {
        std::string_view rest{settings_.told};
        last_ = latest_ = detail::take_date(rest);
        if (last_) told_ = settings_.told;
        settings_.at = std::clamp<Duration>(settings_.at, Duration{}, std::chrono::hours{24} - Duration{1});
    }

    /// What a cycle, or the half of one, reported, and how the watchdog is then; of the half that ticks only the moment
    /// is read. Give it every report. The answer is for `Watchdog::say`.
    [[nodiscard]] std::optional<Alert> note(const CycleReport& report, const Vitals& seen) {
        const std::lock_guard guard{lock_};
        if (!began_) {
            began_ = seen.at;
            since_ = seen.at.wall;
        }
        if (report.ticks > 0) {
            if (ticked_) now_.longest = std::max(now_.longest, seen.at.elapsed - *ticked_);
            ticked_ = seen.at.elapsed;
        }
        for (const Event& event : report.events) std::visit([this](const auto& what) { add(what); }, event);
        now_[Count::kept_back] += report.why.silence + report.why.inhibit + report.why.cooldown + report.why.flapping;
        if (report.deliveries == 0) return std::nullopt;
        note_incidents(seen);
        note_spent();
        return due(seen) ? std::optional{said(seen)} : std::nullopt;
    }

    /// The date of the newest one that somebody has, to be kept for the next process; empty: none.
    [[nodiscard]] std::string told() const {
        const std::lock_guard guard{lock_};
        return told_;
    }

private:
    using Days = std::chrono::sys_days;

    enum class Count : std::uint8_t {
        begun,
        recovered,
        escalated,
        nudges,
        pauses,
        ended,
        replaced,
        given_up,
        store_errors,
        notifier_errors,
        told,  ///< this and the next are no trouble
        kept_back,
    };
    struct Word {
        std::string_view name, unit, tail;
    };
    static constexpr std::array<Word, 12> words{{{"incidents", "incident", " begun"},
                                                 {"recovered", "run", " recovered"},
                                                 {"escalated", "escalation", ""},
                                                 {"nudges", "nudge", ""},
                                                 {"pauses", "pause", ""},
                                                 {"ended", "agent", " ended"},
                                                 {"replaced", "agent", " replaced"},
                                                 {"given_up", "alert", " given up"},
                                                 {"store_errors", "error", " of the store"},
                                                 {"notifier_errors", "error", " of the notifier"},
                                                 {"told", "alert", " told"},
                                                 {"kept_back", "alert", " kept back"}}};

    struct Counts {
        std::array<std::uint64_t, words.size()> of{};
        Duration longest{};  ///< from one cycle to the next
        Spent spent{};

        [[nodiscard]] std::uint64_t& operator[](Count what) noexcept { return of[static_cast<std::size_t>(what)]; }
        [[nodiscard]] bool quiet() const noexcept {
            return std::all_of(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(Count::told),
                               [](std::uint64_t count) { return count == 0; });
        }
        void add(const Counts& more) noexcept {
            for (std::size_t i = 0; i < of.size(); ++i) of[i] += more.of[i];
            longest = std::max(longest, more.longest);
            spent.tokens += more.spent.tokens;
            spent.micro_usd += more.spent.micro_usd;
        }
    };

    static constexpr Duration is_late = std::chrono::minutes{10};
    static constexpr Duration at_least = std::chrono::hours{1};     ///< apart, whatever becomes of the clock
    static constexpr Duration half_a_day = std::chrono::hours{12};  ///< likewise, where it was set back
    static constexpr Duration lost = std::chrono::hours{36};        ///< nobody says what became of it

    template <class What>
    void add(const What&) noexcept {}

    void add(const OutcomeEvent& event) noexcept {
        if (event.outcome == InterventionOutcome::recovered) ++now_[Count::recovered];
    }

    void add(const ActionEvent& event) noexcept {
        if (event.action.outcome != ActionOutcome::done) return;
        const ActionKind kind = event.action.kind;
        if (is_injection(kind)) ++now_[Count::nudges];
        if (kind == ActionKind::escalate) ++now_[Count::escalated];
        if (kind == ActionKind::pause) ++now_[Count::pauses];
        if (kind == ActionKind::terminate) ++now_[Count::ended];
        if (kind == ActionKind::spawn) ++now_[Count::replaced];
    }

    void add(const AlertEvent& event) {
        const AlertRow& row = event.row;
        if (row.alert.kind == watchdog_digest) return note_end(row);
        if (row.state == AlertRow::State::delivered) ++now_[Count::told];
        if (row.state == AlertRow::State::dead) ++now_[Count::given_up];
    }

    void add(const ErrorEvent& event) noexcept {
        constexpr std::array<std::string_view, 5> store{"commit", "load", "list", "claim", "lease"};
        if (event.where == "notifier") ++now_[Count::notifier_errors];
        if (std::find(store.begin(), store.end(), event.where) != store.end()) ++now_[Count::store_errors];
    }

    void note_end(const AlertRow& row) {
        if (under_way_.empty() || row.alert.key != under_way_) return;
        if (row.state == AlertRow::State::delivered)
            told_ = date_of(*last_);
        else
            take_back();
        under_way_.clear();
    }

    /// Nobody has it: it is part of the next.
    void take_back() noexcept {
        now_.add(said_);
        since_ = said_since_;
        under_way_.clear();
    }

    /// At least: of one that begins in the cycle in which another ends nothing shows here.
    void note_incidents(const Vitals& seen) noexcept {
        const std::uint64_t before = open_.value_or(seen.open_incidents);
        if (seen.open_incidents > before) now_[Count::begun] += seen.open_incidents - before;
        open_ = seen.open_incidents;
    }

    /// At midnight the ledger begins anew.
    void note_spent() {
        if (!settings_.spent) return;
        const Spent today = settings_.spent();
        const Spent before = std::exchange(spent_, today).value_or(today);
        const bool anew = today.tokens < before.tokens || today.micro_usd < before.micro_usd;
        now_.spent.tokens += today.tokens - (anew ? 0 : before.tokens);
        now_.spent.micro_usd += today.micro_usd - (anew ? 0 : before.micro_usd);
    }

    /// Of which day the newest time is.
    [[nodiscard]] Days day_of(WallTime now) const noexcept {
        return std::chrono::floor<std::chrono::days>(in_calendar(now) - settings_.at);
    }

    [[nodiscard]] bool due(const Vitals& seen) noexcept {
        const Elapsed now = seen.at.elapsed;
        const Days day = day_of(seen.at.wall);
        // Yesterday is over for one that knows nothing of it.
        if (!day_ && !last_ && day != std::chrono::floor<std::chrono::days>(in_calendar(seen.at.wall))) last_ = day;
        const bool is_later = !last_ || day > *last_;
        // The clock was set back, or was wrong when it was told: a day passes nevertheless.
        if (!is_later && day_ && day > *day_ && now - said_at_.value_or(began_->elapsed) >= half_a_day) again_ = true;
        day_ = day;
        if (!is_later && !again_) return false;
        if (!under_way_.empty() && now - *said_at_ >= lost) take_back();
        return under_way_.empty() && (!said_at_ || now - *said_at_ >= at_least);
    }

    [[nodiscard]] Alert said(const Vitals& seen) {
        const Days day = *day_;
        const WallTime was_due = WallTime{day} + settings_.at;
        const bool late = was_due < began_->wall || seen.at.wall - was_due >= is_late;
        Alert alert;
        alert.kind = watchdog_digest;
        const std::string holder = text::sanitise(settings_.holder, 128);
        text::append(alert.key, alert.kind, holder.empty() ? "" : ".", holder, ".", date_of(day));
        // Of a date that comes again, after a clock was wrong.
        if (latest_ && day <= *latest_) text::append(alert.key, ".", text::rfc3339(seen.at.wall));
        alert.to = text::sanitise(settings_.to, 256);
        alert.severity = Severity::none;
        alert.at = seen.at.wall;
        alert.summary = summary(seen, holder);
        if (late) text::append(alert.summary, " (late: it was due at ", minute_of(was_due), ")");
        alert.details.push_back({"since", text::rfc3339(since_)});
        alert.details.push_back({"late", late ? "true" : "false", true});
        for (std::size_t i = 0; i < words.size(); ++i)
            alert.details.push_back({std::string{words[i].name}, std::to_string(now_.of[i]), true});
        under_way_ = alert.key;
        last_ = day;
        latest_ = std::max(latest_.value_or(day), day);
        again_ = false;
        said_at_ = seen.at.elapsed;
        said_since_ = std::exchange(since_, seen.at.wall);
        said_ = std::exchange(now_, {});
        return alert;
    }

    [[nodiscard]] std::string summary(const Vitals& seen, std::string_view holder) const {
        using detail::words::counted;
        const bool well = now_.quiet() && seen.open_incidents == 0 && seen.unobservable == 0 && seen.poisoned == 0 &&
                          !seen.store_failing;
        std::string text{well ? "all is well" : "not all is well"};
        if (!holder.empty()) text::append(text, " with the watchdog `", holder, "`");
        const auto all = std::accumulate(seen.runs.begin(), seen.runs.end(), std::uint64_t{0});
        text::append(text, ": ", counted(static_cast<double>(all), "run"), " watched");
        std::string_view before = " (";
        for (std::size_t i = 0; i < seen.runs.size(); ++i)
            if (seen.runs[i] > 0)
                text::append(text, std::exchange(before, ", "), std::to_string(seen.runs[i]), " ", run_state_names[i]);
        if (all > 0) text += ')';
        const auto put = [&text](std::uint64_t count, std::string_view unit, std::string_view tail) {
            if (count > 0) text::append(text, ", ", counted(static_cast<double>(count), unit), tail);
        };
        put(seen.open_incidents, "incident", " open");
        put(seen.unobservable, "run", " of which nothing can be read");
        put(seen.poisoned, "run", " given up");
        put(seen.alerts_pending, "alert", " waiting");
        if (seen.store_failing) text::append(text, ", the store fails for ", text::spoken(*seen.store_failing));
        text::append(text, "; since ", since_ == began_->wall ? "its start at " : "", minute_of(since_), ": ");
        const std::size_t begin = text.size();
        for (std::size_t i = 0; i < words.size(); ++i) put(now_.of[i], words[i].unit, words[i].tail);
        if (settings_.spent)
            text::append(text, ", ", detail::words::grouped(static_cast<double>(now_.spent.tokens)), " tokens and ",
                         detail::words::dollars(static_cast<double>(now_.spent.micro_usd) / 1e6), " spent");
        text::append(text, ", at most ", text::spoken(now_.longest), " without a cycle");
        return text.erase(begin, 2);
    }

    [[nodiscard]] static std::string date_of(Days day) { return text::rfc3339(WallTime{day}).substr(0, 10); }
    [[nodiscard]] static std::string minute_of(WallTime when) { return text::rfc3339(when).substr(0, 16) + "Z"; }

    DailyDigestSettings settings_;
    mutable std::mutex lock_;
    std::optional<Instant> began_;       ///< the first look
    std::optional<Elapsed> ticked_;      ///< the last cycle
    std::optional<std::uint64_t> open_;  ///< incidents at the last look
    std::optional<Spent> spent_;         ///< today, at the last look
    std::optional<Days> day_;            ///< of the last look
    std::optional<Days> last_;           ///< that was told, or is not to be
    std::optional<Days> latest_;         ///< of all that were told
    bool again_ = false;                 ///< the time came again, though not of a later day
    WallTime since_{};                   ///< of what is counted
    Counts now_;                         ///< since then
    std::string under_way_;              ///< key of the one that nobody has yet
    std::optional<Elapsed> said_at_;     ///< the last one
    WallTime said_since_{};              ///< of what it counts
    Counts said_;                        ///< that
    std::string told_;
};

}  // namespace heeler::inline HEELER_ABI
