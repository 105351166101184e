// The class of all runs, and the place of a watchdog among several.
#pragma once

#include <cstdint>

#include <heeler/settings/engine_settings.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/store/postgres/open.hpp>

#include "options.hpp"

namespace fleet {

/// The preset, with seconds in place of minutes.
[[nodiscard]] inline heeler::RunClass rules(const Times& times) {
    heeler::RunClass rules = heeler::presets::checkpoint_continuation();
    rules.name = "fleet";
    rules.schedule = {in_seconds(times.period), false, false};
    rules.interval.fixed = in_seconds(times.period);
    rules.detectors.turn_on<heeler::HeartbeatContract<heeler::CheckpointAge>>({.act_after = in_seconds(times.stall)});
    return rules;
}

[[nodiscard]] inline heeler::EngineSettings place_of(const Options& options, const Times& times) {
    heeler::EngineSettings settings;
    settings.holder = options.watchdog;
    settings.flush_every = in_seconds(times.tick);
    settings.lease = in_seconds(times.lease);
    settings.renew_every = in_seconds(0.3 * times.lease);
    settings.lease_margin = in_seconds(0.2 * times.lease);
    // Two make a fair share.
    settings.claim_runs = static_cast<std::uint64_t>(options.runs / (2 * options.watchdogs) + 1);
    return settings;
}

/// Whoever is paused in the middle of a transaction must not hold its locks for longer than its lease.
[[nodiscard]] inline heeler::PostgresSettings store_settings(const Options& options) {
    const Times times{options.pace};
    heeler::PostgresSettings settings;
    settings.schema = options.store.schema;
    settings.statement_timeout = in_seconds(0.5 * times.lease);
    settings.lock_timeout = in_seconds(0.2 * times.lease);
    return settings;
}

}  // namespace fleet
