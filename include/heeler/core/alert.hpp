// An alert: one message for people, with a stable key; and the receipt that proves that somebody got it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <heeler/core/finding.hpp>
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

/// What a notifier is asked to deliver. All text is sanitised and redacted already.
struct Alert {
    std::string key{};  ///< stable: a repeated delivery carries the same key
    /// run.unhealthy, run.recovered, run.ended, escalation, worker.stuck, worker.error, worker.needs_input,
    /// worker.complete, watchdog.store_down, watchdog.store_up, orchestrator.lost
    std::string kind{};
    std::string to{};  ///< route; empty: the notifier's default
    RunRef run{};
    Severity severity = Severity::warning;
    std::string summary{};              ///< one line
    std::vector<std::string> issues{};  ///< one text per condition
    std::vector<Detail> details{};      ///< seen, done, next, stop, summary of progress
    WallTime at{};
    std::uint32_t attempt = 1;  ///< of the delivery, from 1
};

/// Proof of delivery. No recipient is a failure, not a receipt.
struct Receipt {
    std::uint32_t recipients = 1;
};

}  // namespace heeler::inline HEELER_ABI
