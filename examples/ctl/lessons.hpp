// What operators taught the watchdog: how often it was wrong, and what is no finding any more.
#pragma once

#include <string>

#include <heeler/core/batch.hpp>
#include <heeler/core/time.hpp>

namespace ctl {

/// As tables; empty if there is nothing.
[[nodiscard]] std::string lessons_text(const heeler::Snapshot& snapshot, heeler::Instant now);

/// As JSON objects.
void print_lessons(const heeler::Snapshot& snapshot);

}  // namespace ctl
