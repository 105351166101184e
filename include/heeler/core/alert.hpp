// An alert: one message for people, with a stable key; and the receipt that proves that somebody got it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
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
    std::uint32_t attempt = 1;        ///< of the delivery, from 1
    std::vector<std::string> tags{};  ///< of the run, the first 32
    /// Of several channels those that have it, by names that stay the same after a restart. Stored with the alert, so
    /// that nobody is told twice while others are asked again.
    std::vector<std::string> taken{};
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
