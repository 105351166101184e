// A watchdog that watches a task tree, killed between any two things that it does.
#pragma once

#include <string_view>

#include "crash/worker.hpp"

namespace crash {

/// A tree stops, is reviewed, stops otherwise, and is reviewed again, while a reviewer asks what it may do. In each
/// trial a process dies at one point (of all, or of every `stride`-th), the next one plays to the end; with `twice`
/// that one dies as well, somewhere. In the end there is one review task; nobody was woken twice under a key; where the
/// host can tell what it did, there was one wake for each stop, and what is stored is as if nobody had died; where it
/// cannot, whoever may not have been woken is a person's business; and all of it is on record.
void tree_dies_at_every_point(const Place& place, Honesty honesty, int every, bool twice = false);

}  // namespace crash
