// Task trees: what heeler.hpp is for runs. Include it where trees are watched.
#pragma once

#include <heeler/engine/tree_watch.hpp>
#include <heeler/settings/task_tree.hpp>
