// What may be found of task trees: conditions as a host could have them.
#pragma once

#include <heeler/core/finding.hpp>

namespace heeler::inline HEELER_ABI {

/// Detectors of yours in a class for trees have numbers below 9.
struct TreeCondition {
    /// All of a task tree has come to rest, and nobody has looked at it yet.
    static constexpr Condition stopped = Condition::custom(14, "TREE_STOPPED", 75, Status::stalled);
    /// A task tree that was put in motion again and again stops all the same.
    static constexpr Condition unrestored = Condition::custom(13, "UNRESTORED", 72, Status::stalled);
    /// A task tree whose reviewer shows no sign of life, although it was woken once more.
    static constexpr Condition unreviewed = Condition::custom(11, "UNREVIEWED", 73, Status::stalled);
    /// The host of a tree refuses again and again what is asked of it.
    static constexpr Condition refused = Condition::custom(10, "HOST_REFUSES", 70, Status::stalled);
    /// Nobody knows whether what the host of a tree was asked for happened.
    static constexpr Condition unclear = Condition::custom(9, "OUTCOME_UNKNOWN", 71, Status::stalled);
    /// Work of an agent that nothing will take up again.
    static constexpr Condition stranded = Condition::custom(12, "STRANDED", 74, Status::stalled);
};

}  // namespace heeler::inline HEELER_ABI
