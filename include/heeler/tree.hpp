// Task trees: what heeler.hpp is for runs. Include it where trees are watched.
#pragma once

#include <heeler/tree/watch/presets.hpp>
#include <heeler/tree/watch/tree_watch.hpp>
