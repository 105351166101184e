// Tells people what no run's row can hold: that another watchdog on the store went silent (its runs go to others, or
// wait for their host), or that a run cannot be stored.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/alert/outbox.hpp>
#include <heeler/alert/receipt_note.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Any thread. The store reports a lost holder to one watchdog only. That one puts it on record with its next commit,
/// and tells people until somebody heard it.
class LostHolders {
public:
    void found(const LostHolder& holder, Instant now) {
        const std::string name = text::shown_name(holder.name, 128);
        text::JsonLine line;
        line.begin_object().key("holder").string(name).key("runs").number(static_cast<std::int64_t>(holder.runs));
        line.end_object();
        AlertRow row;
        row.alert.key = "orchestrator.lost." + name + "." + text::rfc3339(now.wall);
        row.alert.kind = name_of(AlertKind::orchestrator_lost);
        row.alert.severity = holder.runs > 0 ? Severity::critical : Severity::warning;
        row.alert.summary = "the watchdog `" + name + "` stopped renewing its lease; it held " +
                            std::to_string(holder.runs) +
                            " runs. Those that others can observe are taken over; the rest can be observed by nobody "
                            "until a host registers them again";
        row.alert.at = row.created_at = row.not_before = now.wall;
        const std::lock_guard guard{lock_};
        audit_.push_back({now.wall, std::string{name_of(AlertKind::orchestrator_lost)}, {}, std::move(line).text()});
        untold_.push_back(std::move(row));
    }

    /// Sent until somebody has it, but forgotten with the process.
    void say(AlertRow row) {
        const std::lock_guard guard{lock_};
        untold_.push_back(std::move(row));
    }

    /// What is to be put on record.
    [[nodiscard]] List<AuditRow> take_audit() {
        const std::lock_guard guard{lock_};
        return std::exchange(audit_, {});
    }

    [[nodiscard]] std::optional<WallTime> next() const {
        const std::lock_guard guard{lock_};
        std::optional<WallTime> earliest;
        for (const AlertRow& row : untold_)
            if (!earliest || row.not_before < *earliest) earliest = row.not_before;
        return earliest;
    }

    void tell(NotifierPort& notifier, Instant now, CycleReport& report) {
        for (AlertRow& row : take_due(now)) {
            row.alert.attempt = row.attempts + 1;
            auto answer = notifier.send(row.alert);
            row = after_attempt(std::move(row), OutboxSettings{}, answer, now.wall);
            if (row.state != AlertRow::State::pending) {
                if (answer && !answer->names.empty()) note_receipt(row, *answer, now);
                report.events.push_back(
                    AlertEvent{std::move(row), answer ? std::move(answer->names) : std::vector<std::string>{}});
                continue;
            }
            if (!is_under_way(answer)) report.error("notifier", {}, Error{ErrorCode::delivery_failed, row.last_error});
            const std::lock_guard guard{lock_};
            untold_.push_back(std::move(row));
        }
    }

private:
    void note_receipt(const AlertRow& row, const Receipt& receipt, Instant now) {
        const std::lock_guard guard{lock_};
        audit_.push_back(receipt_note(row, receipt, now.wall));
    }

    [[nodiscard]] List<AlertRow> take_due(Instant now) {
        List<AlertRow> due;
        const std::lock_guard guard{lock_};
        // One that is of the future is of before the clock was set.
        List<AlertRow> later;
        for (AlertRow& row : untold_) {
            const bool waits = row.not_before > now.wall && row.created_at <= now.wall;
            (waits ? later : due).push_back(std::move(row));
        }
        untold_ = std::move(later);
        return due;
    }

    mutable std::mutex lock_;
    List<AuditRow> audit_;
    List<AlertRow> untold_;
};

}  // namespace heeler::inline HEELER_ABI::detail
