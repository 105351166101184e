// An alert: one message for people, with a stable key; and the receipt that proves that somebody got it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/finding.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// Which run an alert is about, in the words that people know it by. Empty `id`: the watchdog itself.
struct RunRef {
    std::string id{};
    std::string name{};
    std::string work_item{};
    std::string project{};
};

/// One named text of an alert's body.
struct Detail {
    std::string name{};
    std::string value{};
    bool is_json = false;  ///< the value is JSON: a number, a list
};

/// The names of those that code looks for, too.
namespace detail_name {
inline constexpr char seen[] = "seen", done[] = "done", next[] = "next", silenced[] = "silenced";
inline constexpr char summary[] = "summary", recommendation[] = "recommendation";
}  // namespace detail_name

/// The kinds of alert that the library makes. What a class tells of its conditions (`AlertSettings::conditions`) may
/// have others.
enum class AlertKind : std::uint8_t {
    unhealthy,
    recovered,
    ended,
    escalation,
    worker_stuck,
    worker_error,
    worker_needs_input,
    worker_complete,
    store_down,
    store_up,
    run_unstored,
    run_stored,
    orchestrator_lost,
    mail_urgent,
    mail_pending,
    mail_command,  ///< nobody is told of it: the kind of its record
    unobservable,
    observable,
    fleet_stalled,
    fleet_recovered,
    unwell,
    well,
    flapping,
    steady,
};

inline constexpr std::array<std::string_view, 24> alert_kind_names{
    "run.unhealthy",      "run.recovered",         "run.ended",
    "escalation",         "worker.stuck",          "worker.error",
    "worker.needs_input", "worker.complete",       "watchdog.store_down",
    "watchdog.store_up",  "watchdog.run_unstored", "watchdog.run_stored",
    "orchestrator.lost",  "mail.urgent",           "mail.pending_responses",
    "mail.command",       "run.unobservable",      "run.observable",
    "fleet.stalled",      "fleet.recovered",       "watchdog.unwell",
    "watchdog.well",      "run.flapping",          "run.steady"};

[[nodiscard]] constexpr std::string_view name_of(AlertKind kind) noexcept {
    return alert_kind_names[static_cast<std::size_t>(kind)];
}

/// Absent: none of the library's.
[[nodiscard]] constexpr std::optional<AlertKind> alert_kind_of(std::string_view name) noexcept {
    for (std::size_t i = 0; i < alert_kind_names.size(); ++i)
        if (alert_kind_names[i] == name) return static_cast<AlertKind>(i);
    return std::nullopt;
}

/// What a notifier is asked to deliver. All text is sanitised and redacted already.
struct Alert {
    std::string key{};   ///< stable: a repeated delivery carries the same key
    std::string kind{};  ///< the name of an `AlertKind`, or of a kind of the host's own
    std::string to{};    ///< route; empty: the notifier's default
    RunRef run{};
    Severity severity = Severity::warning;
    std::string summary{};              ///< one line
    std::vector<std::string> issues{};  ///< one text per condition
    List<Detail> details{};             ///< seen, done, next, stop, summary of progress
    WallTime at{};
    std::uint32_t attempt = 1;        ///< of the delivery, from 1
    std::vector<std::string> tags{};  ///< of the run, the first 32
    /// Of several channels those that have it, by names that stay the same after a restart. Stored with the alert, so
    /// that nobody is told twice while others are asked again.
    std::vector<std::string> taken{};

    [[nodiscard]] bool is(AlertKind of) const noexcept { return kind == name_of(of); }
};

/// Proof of delivery. No recipient is a failure, not a receipt.
struct Receipt {
    static constexpr std::size_t most_names = 16;

    std::uint32_t recipients = 1;
    /// Who has it, as far as the channel knows and may say: people, sessions, channels; no address and no secret. They
    /// are stored with the alert, the first 16.
    std::vector<std::string> names{};

    /// Adds those of another channel; one that names nobody counts under its own name.
    void add(Receipt other, std::string_view channel) {
        recipients += other.recipients;
        if (other.names.empty() && other.recipients > 0) other.names.emplace_back(channel);
        for (std::string& name : other.names)
            if (names.size() < most_names) names.push_back(std::move(name));
    }
};

}  // namespace heeler::inline HEELER_ABI
