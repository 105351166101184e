// Speaks up for the watchdog itself when its store has been down for too long: the one message that needs no commit.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <heeler/alert/outbox.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/redact.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// One thread at a time.
class StoreHealth {
public:
    /// Tells people once that the store is down, again every few hours, and once when it is up again.
    void tell(const Ledger& ledger, NotifierPort& notifier, const EngineSettings& own, Instant now,
              CycleReport& report) {
        const auto since = ledger.failing_since();
        if (under_way_) return send(*std::exchange(under_way_, std::nullopt), notifier, now, report);
        if (!since && told_at_)
            return send(about(AlertKind::store_up, "the store works again", own.holder, now), notifier, now, report);
        if (!since || now.elapsed - *since < own.store_down_after) return;
        if (told_at_ && now.elapsed - *told_at_ < own.store_down_repeat) return;
        if (tried_at_ && now.elapsed - *tried_at_ < own.store_down_after) return;
        tried_at_ = now.elapsed;
        send(about(AlertKind::store_down,
                   "nothing could be stored for " + text::spoken(now.elapsed - *since) +
                       ", so nothing is done to any run: " + text::redact(ledger.last_error().message),
                   own.holder, now),
             notifier, now, report);
    }

private:
    /// The key names the moment, so that a second outage is no repetition of the first, and who of several says so.
    [[nodiscard]] static AlertRow about(AlertKind kind, std::string summary, const std::string& holder, Instant now) {
        AlertRow row;
        row.alert.kind = name_of(kind);
        row.alert.key = row.alert.kind + (holder.empty() ? "" : "." + holder) + "." + text::rfc3339(now.wall);
        row.alert.severity = Severity::critical;
        row.alert.summary = std::move(summary);
        row.alert.at = row.created_at = row.not_before = now.wall;
        return row;
    }

    void send(AlertRow row, NotifierPort& notifier, Instant now, CycleReport& report) {
        OutboxSettings once;
        once.retry = false;
        row.alert.attempt = row.attempts + 1;
        const auto answer = notifier.send(row.alert);
        row = after_attempt(std::move(row), once, answer, now.wall);
        if (row.state == AlertRow::State::pending) return static_cast<void>(under_way_ = std::move(row));
        if (row.alert.is(AlertKind::store_up))
            told_at_.reset();
        else if (row.state == AlertRow::State::delivered)
            told_at_ = now.elapsed;
        report.events.push_back(AlertEvent{std::move(row)});
    }

    std::optional<Elapsed> told_at_;
    std::optional<Elapsed> tried_at_;
    std::optional<AlertRow> under_way_;
};

}  // namespace heeler::inline HEELER_ABI::detail
