// Decisions that no cycle has applied yet, and the freeze of everything, which stays among them while it is in force.
#pragma once

#include <optional>
#include <string>

#include <heeler/core/batch.hpp>
#include <heeler/core/time.hpp>

namespace ctl {

struct Waiting {
    std::optional<heeler::DecisionRow> freeze;    // of everything: the first that lasts
    std::optional<heeler::DecisionRow> unfreeze;  // noted after it: the next cycle ends it
    heeler::List<heeler::DecisionRow> silences;   // that stand
    heeler::List<heeler::DecisionRow> rest;
};

[[nodiscard]] Waiting sort_out(heeler::List<heeler::DecisionRow> open, heeler::Instant now);

/// "FROZEN since ...", on one line.
[[nodiscard]] std::string frozen_text(const Waiting& waiting, heeler::Instant now);

/// "SILENCED: ...", a line each.
[[nodiscard]] std::string silenced_text(const Waiting& waiting, heeler::Instant now);

/// The decisions that wait, as a table; empty if there are none.
[[nodiscard]] std::string waiting_text(const Waiting& waiting, heeler::Instant now);

/// One decision as a JSON object.
void print_decision(const heeler::DecisionRow& row);

}  // namespace ctl
