// Lists the silences of a store, and ends one.
#pragma once

#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/table.hpp>

#include "exit_status.hpp"
#include "options.hpp"
#include "store.hpp"

namespace ctl {

/// Silences as people read them.
inline const heeler::text::TableRow silence_heads{"Silence", "About", "Until", "By", "Since", "Because"};
[[nodiscard]] std::vector<heeler::text::TableRow> silence_rows(const heeler::List<heeler::DecisionRow>& silences,
                                                               heeler::Instant now);

/// Those that stand, in order of their numbers.
[[nodiscard]] Quit show_silences(const Options& options, Store& store, heeler::Instant now);

/// Nothing is changed if there is no such silence.
[[nodiscard]] Quit unsilence(const Options& options, Store& store, heeler::Instant now);

}  // namespace ctl
