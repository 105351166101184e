// Speaks up for the watchdog itself when its store has been down for too long: the one message that needs no commit.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <heeler/effects/courier.hpp>
#include <heeler/settings/engine_settings.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/redact.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// From the thread that delivers.
class StoreHealth {
public:
    /// Tells people once that the store is down, again every few hours, and once when it is up again, if anybody knows.
    void look(const Ledger& ledger, Courier& courier, const EngineSettings& own, Instant now) {
        const auto since = ledger.failing_since();
        if (since && now.elapsed - *since < own.store_down_after) return;
        if (since ? said_at_ && now.elapsed - *said_at_ < own.store_down_repeat : !said_at_) return;
        if (!courier.withdraw(AlertKind::store_down)) return;
        said_at_.reset();
        // The key names the moment, so that a second outage is no repetition of the first, and who of several says so.
        const std::string of = (own.holder.empty() ? "" : own.holder + ".") + text::rfc3339(now.wall);
        if (since) {
            said_at_ = now.elapsed;
            std::string why = "nothing could be stored for " + text::spoken(now.elapsed - *since) +
                              ", so nothing is done to any run: " + text::redact(ledger.last_error().message);
            courier.say(alert_row(AlertKind::store_down, of, Severity::critical, std::move(why), now.wall), &heard_);
        } else if (std::exchange(heard_, false)) {
            courier.say(alert_row(AlertKind::store_up, of, Severity::critical, "the store works again", now.wall));
        }
    }

private:
    std::optional<Elapsed> said_at_;
    bool heard_ = false;  ///< somebody knows that it is down
};

}  // namespace heeler::inline HEELER_ABI::detail
