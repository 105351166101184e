// Speaks up for the watchdog itself when its store has been down for too long: the one message that needs no commit.
#pragma once

#include <optional>
#include <string>

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
    void tell(const Ledger& ledger, NotifierPort& notifier, const EngineSettings& settings, Instant now,
              CycleReport& report) {
        const auto since = ledger.failing_since();
        if (!since && told_at_) {
            send(notifier, "watchdog.store_up", "the store works again", now, report);
            told_at_.reset();
        }
        if (!since || now.elapsed - *since < settings.store_down_after) return;
        if (told_at_ && now.elapsed - *told_at_ < settings.store_down_repeat) return;
        if (tried_at_ && now.elapsed - *tried_at_ < settings.store_down_after) return;
        tried_at_ = now.elapsed;
        const bool heard = send(notifier, "watchdog.store_down",
                                "nothing could be stored for " + spoken(now.elapsed - *since) +
                                    ", so nothing is done to any run: " + redact(ledger.last_error().message),
                                now, report);
        if (heard) told_at_ = now.elapsed;
    }

private:
    /// The key names the moment, so that a second outage is no repetition of the first.
    bool send(NotifierPort& notifier, std::string kind, std::string summary, Instant now, CycleReport& report) {
        AlertRow row;
        row.alert.key = kind + "." + rfc3339(now.wall);
        row.alert.kind = std::move(kind);
        row.alert.severity = Severity::critical;
        row.alert.summary = std::move(summary);
        row.alert.at = row.created_at = row.not_before = now.wall;
        row.attempts = 1;
        const auto answer = notifier.send(row.alert);
        row.state = answer && answer->recipients > 0 ? AlertRow::State::delivered : AlertRow::State::dead;
        if (!answer) row.last_error = answer.error().message;
        report.events.emplace_back(AlertEvent{std::move(row)});
        return answer && answer->recipients > 0;
    }

    std::optional<Elapsed> told_at_;
    std::optional<Elapsed> tried_at_;
};

}  // namespace heeler::inline HEELER_ABI::detail
