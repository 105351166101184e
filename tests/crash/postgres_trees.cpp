// A watchdog of task trees on a PostgreSQL server is killed, everywhere.
#include "crash/scratch_tables.hpp"
#include "crash/trees.hpp"
#include "support/catch.hpp"

using namespace crash;

TEST_CASE("PostgreSQL: killed at any point, each stop of a tree is reviewed once [M-101] [M-157] [M-158]",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    tree_dies_at_every_point(tables.place(), Honesty::finds, 5);
    tree_dies_at_every_point(tables.place(), Honesty::repeats, 9);
}
