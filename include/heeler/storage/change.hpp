// What one commit is to change about one run, and what came of it.
#pragma once

#include <heeler/core/batch.hpp>
#include <heeler/core/run.hpp>
#include <heeler/run/watched_run.hpp>

namespace heeler::inline v0 {

/// What one commit changes about one run. `rows` holds what is new; the run's own row is written by the ledger.
template <class Detectors>
struct Change {
    RunHandle handle;
    RunCell<Detectors>* cell = nullptr;
    RunBatch rows{};   ///< forgotten if the commit fails; what must be kept goes to `RunMemory::unsaved`
    Unsaved waited{};  ///< what waited for this commit
    bool with_memory = false;
    bool fed = false;         ///< it takes a source's cursor along
    bool state_told = false;  ///< it takes a reported state along
    bool stored = false;      ///< out: it is durable
    bool conflict = false;    ///< out: somebody else changed the run; nothing of it was written
    bool taken_over = false;  ///< out: and the run is now what they made of it
    bool disowned = false;    ///< out: or another watchdog holds it
};

}  // namespace heeler::inline v0
