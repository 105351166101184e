// A watchdog on a PostgreSQL server is killed, everywhere.
#include "crash/scratch_tables.hpp"
#include "crash/trials.hpp"
#include "support/catch.hpp"

using namespace crash;

// The names say which invariants (invariants.hpp) are at stake.

TEST_CASE("PostgreSQL: killed at any point, each continuation is started once: find I2-I7 I9 I10 [M-101]",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    dies_at_every_point(tables.place(), {&continuation_story(), Honesty::finds}, Effort::every_third);
}

TEST_CASE("PostgreSQL: killed at any point, each continuation is started once: repeat I2-I7 I9 I10 [M-101]",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    dies_at_every_point(tables.place(), {&continuation_story(), Honesty::repeats}, Effort::every_third);
}

TEST_CASE("PostgreSQL: killed at any point, what nobody can tell is a person's business I2-I7 I10 [M-101]",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    dies_at_every_point(tables.place(), {&continuation_story(), Honesty::neither}, Effort::every_third);
}

TEST_CASE("PostgreSQL: killed at any point, two runs are continued once each I2-I7 I9 I10 [M-101]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    dies_at_every_point(tables.place(), {&continuation_story(), Honesty::finds, {"a", "b"}}, Effort::every_third);
}

TEST_CASE("PostgreSQL: killed at any point, nothing is destroyed before a nudge had its time I1 I2 I5 I9 [M-101]",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    dies_at_every_point(tables.place(), {&ladder_story(), Honesty::finds}, Effort::every_third);
    dies_at_every_point(tables.place(), {&ladder_story(), Honesty::neither}, Effort::every_third);
}

TEST_CASE("PostgreSQL: killed at any point, cooldowns hold and each alert arrives I5-I9 [M-101]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    dies_at_every_point(tables.place(), {&alert_story(), Honesty::finds}, Effort::every_third);
    dies_at_every_point(tables.place(), {&alert_story(), Honesty::neither}, Effort::every_third);
}

TEST_CASE(
    "PostgreSQL: killed at any point, each edge is told once and then the context is cleared I2 I6 I7 [M-101] [M-131]",
    "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    dies_at_every_point(tables.place(), {&monitor_story(), Honesty::finds, {"asks", "fails"}}, Effort::every_ninth);
}

TEST_CASE("PostgreSQL: killed again while it recovers I2-I7 I9 I10 [M-101]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    dies_twice(tables.place(), {&continuation_story(), Honesty::finds}, Effort::every_third);
    dies_twice(tables.place(), {&ladder_story(), Honesty::finds}, Effort::every_third);
}

TEST_CASE("PostgreSQL: killed at any moment, in the middle of a commit too I2-I7 I9 I10 [M-101]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    is_killed_at_any_moment(tables.place(), {&continuation_story(), Honesty::finds});
    is_killed_at_any_moment(tables.place(), {&ladder_story(), Honesty::repeats});
}

TEST_CASE("PostgreSQL: a watchdog under a lease is killed at any point, and restarted I2-I7 I9 I10 [M-101]",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    dies_at_every_point(tables.place(), {&continuation_story(), Honesty::finds, {"r"}, Leases::same_name},
                        Effort::every_ninth);
}

TEST_CASE("PostgreSQL: a watchdog under a lease is killed at any point, and another takes over I2-I7 I9 I10 [M-101]",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    dies_at_every_point(tables.place(), {&continuation_story(), Honesty::finds, {"r"}, Leases::own_names},
                        Effort::every_ninth);
}

TEST_CASE("PostgreSQL: a watchdog that stood still longer than its lease changes nothing any more I3 I9 I10 [M-101]",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    // At the very moment of an effect only the agent control can tell one from the other: it knows the key.
    stands_still(tables.place(), {&continuation_story(), Honesty::repeats, {"r"}, Leases::own_names, false},
                 Effort::every_ninth);
}

TEST_CASE("PostgreSQL: killed after each nudge, nothing is destroyed while none is confirmed I1 I5 [M-101]",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    dies_after_each(tables.place(), {&ladder_story(), Honesty::neither}, "inject");
}

TEST_CASE("PostgreSQL: killed after each spawn, each continuation is started once I3 I5 [M-101]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchTables tables;
    dies_after_each(tables.place(), {&continuation_story(), Honesty::finds}, "spawn");
}
