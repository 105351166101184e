// The one that sends. What belongs to no run's row (that another watchdog on the store went silent, or that a run
// cannot be stored) is kept here until somebody has it.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/alert/outbox.hpp>
#include <heeler/alert/receipt_note.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/storage/held_lease.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Any thread; `send` and `tell` from the one that delivers.
class Courier {
public:
    Courier(NotifierPort& notifier, Ledger& ledger, const HeldLease& held_lease)
        : notifier_{notifier}, ledger_{ledger}, held_lease_{held_lease} {}

    /// One attempt at one alert; the row is as it is after that. `owed`: since when people could have it.
    [[nodiscard]] Result<Receipt> send(AlertRow& row, const OutboxSettings& settings, Instant now, CycleReport& report,
                                       std::optional<WallTime> owed = {}) {
        row.alert.attempt = row.attempts + 1;
        auto answer = notifier_.send(row.alert);
        if (!notifier_.news.empty()) {
            text::JsonLine line;
            line.begin_object().key("setting").string("routes").key("message").string(notifier_.news).end_object();
            notifier_.news.clear();
            report.events.push_back(
                AuditEvent{note({now.wall, std::string{doubt_record}, row.alert.run.id, std::move(line).text()})});
        }
        row = after_attempt(std::move(row), settings, answer, now.wall, owed);
        return answer;
    }

    /// The store gave it to this watchdog to tell. If that dies before it has told, or loses its lease, the store gives
    /// it to another one.
    void found(LostHolder holder, Instant now) {
        const std::string name = text::shown_name(holder.name, 128);
        text::JsonLine line;
        line.begin_object().key("holder").string(name).key("runs").number(holder.runs).end_object();
        note({now.wall, std::string{name_of(AlertKind::orchestrator_lost)}, {}, std::move(line).text()});
        holder.finder = held_lease_.lease();
        // Whoever tells of it does so under the same key.
        put({alert_row(AlertKind::orchestrator_lost, text::concat(name, ".", std::to_string(holder.epoch)),
                       holder.runs > 0 ? Severity::critical : Severity::warning,
                       "the watchdog `" + name + "` stopped renewing its lease; it held " +
                           std::to_string(holder.runs) +
                           " runs. Those that others can observe are taken over; the rest can be observed by nobody "
                           "until a host registers them again",
                       now.wall),
             holder});
    }

    /// Sent until somebody has it, but forgotten with the process. `heard`: set when somebody has.
    void say(AlertRow row, bool* heard = nullptr) { put({std::move(row), {}, heard}); }

    /// What is said of this kind, and nobody has yet, is not said any more. False: one is being sent.
    [[nodiscard]] bool withdraw(AlertKind kind) {
        const std::lock_guard guard{lock_};
        for (Letter& letter : letters_) {
            if (!letter.row.alert.is(kind)) continue;
            if (letter.under_way) return false;
            letter.row.state = AlertRow::State::skipped;
        }
        return true;
    }

    /// To be put on record.
    AuditRow note(AuditRow row) {
        const std::lock_guard guard{lock_};
        records_.audit.push_back(row);
        return row;
    }

    [[nodiscard]] std::optional<WallTime> next() const {
        const std::lock_guard guard{lock_};
        std::optional<WallTime> earliest;
        for (const Letter& letter : letters_)
            if (!earliest || letter.row.not_before < *earliest) earliest = letter.row.not_before;
        return earliest;
    }

    void tell(Instant now, CycleReport& report) {
        List<Letter> due, later;
        {
            const std::lock_guard guard{lock_};
            for (Letter& letter : letters_) {
                // One that is of the future is of before the clock was set.
                const bool waits = letter.row.not_before > now.wall && letter.row.created_at <= now.wall;
                (waits ? later : due).push_back(std::move(letter));
            }
            letters_.swap(later);
        }
        for (Letter& letter : due) {
            AlertRow& row = letter.row;
            // Under another lease a claim said anew who is to tell of it.
            const std::uint64_t under = letter.lost.finder.epoch;
            if (row.state != AlertRow::State::pending || (under != 0 && under != held_lease_.lease().epoch)) continue;
            const bool late = under != 0 && !held_lease_.holds();
            if (!letter.since) letter.since = now.elapsed;
            const WallTime owed = now.wall - (now.elapsed - *letter.since);  // whatever the clock was set to
            auto answer = late ? Result<Receipt>{fail(ErrorCode::under_way, "")} : send(row, usual, now, report, owed);
            letter.under_way = is_under_way(answer);
            if (row.state == AlertRow::State::pending) {
                if (!letter.under_way) report.error("notifier", {}, Error{ErrorCode::delivery_failed, row.last_error});
                put(std::move(letter));
                continue;
            }
            if (letter.heard != nullptr) *letter.heard |= row.state == AlertRow::State::delivered;
            if (answer && !answer->names.empty()) note(receipt_note(row, *answer, now.wall));
            if (under != 0) {
                const std::lock_guard guard{lock_};
                records_.told.push_back(letter.lost);
            }
            report.events.push_back(
                AlertEvent{std::move(row), answer ? std::move(answer->names) : std::vector<std::string>{}});
        }
        record(now, report);
    }

    /// Makes durable what is not, as soon as the store takes it.
    void record(Instant now, CycleReport& report) {
        const std::lock_guard one{recording_};
        Batch batch;
        {
            const std::lock_guard guard{lock_};
            batch.audit = records_.audit;
            batch.told = records_.told;
        }
        batch.durable = true;
        if (batch.empty() || !held_lease_.holds()) return;
        const std::size_t noted = batch.audit.size(), told = batch.told.size();
        List<Change> none;
        const auto error = ledger_.commit(none, std::move(batch), now);
        if (error && !unstored_) report.error("commit", {}, *error);
        unstored_ = error.has_value();
        if (error && error->code != ErrorCode::unstorable) return;
        const std::lock_guard guard{lock_};
        records_.audit.erase(records_.audit.begin(), records_.audit.begin() + noted);
        records_.told.erase(records_.told.begin(), records_.told.begin() + told);
    }

private:
    struct Letter {
        AlertRow row;
        LostHolder lost;  ///< whom it tells of, and under which lease; without one: of none
        bool* heard = nullptr;
        std::optional<Elapsed> since{};  ///< this watchdog has tried to tell it
        bool under_way = false;
    };

    static constexpr OutboxSettings usual{};

    void put(Letter letter) {
        const std::lock_guard guard{lock_};
        letters_.push_back(std::move(letter));
    }

    NotifierPort& notifier_;
    Ledger& ledger_;
    const HeldLease& held_lease_;
    mutable std::mutex lock_;
    Batch records_;  ///< to be made durable
    List<Letter> letters_;
    std::mutex recording_;   ///< taken before `lock_`
    bool unstored_ = false;  ///< that is said when it begins, not as long as it lasts
};

}  // namespace heeler::inline HEELER_ABI::detail
