// All of heeler but its adapters and doubles: include this, and one header for each of those that you use.
#pragma once

// IWYU pragma: begin_exports
#include <heeler/clock/system_clock.hpp>
#include <heeler/config.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/engine/runner.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/explain/report.hpp>
#include <heeler/fwd.hpp>
#include <heeler/notify/log_notifier.hpp>
#include <heeler/recover/incident_steps.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/store/memory_store.hpp>
// IWYU pragma: end_exports
