// A watchdog of task trees on a SQLite file is killed, everywhere.
#include "crash/scratch_file.hpp"
#include "crash/trees.hpp"
#include "support/catch.hpp"

using namespace crash;

TEST_CASE("SQLite: killed at any point, each stop of a tree is reviewed once: find [M-101] [M-157] [M-158]") {
    const ScratchFile file;
    tree_dies_at_every_point(file.place(), Honesty::finds, 1);
}

TEST_CASE("SQLite: killed at any point, each stop of a tree is reviewed once: repeat [M-101] [M-157] [M-158]") {
    const ScratchFile file;
    tree_dies_at_every_point(file.place(), Honesty::repeats, 1);
}

TEST_CASE("SQLite: killed at any point, a wake that nobody can tell of is a person's business [M-101] [M-158]") {
    const ScratchFile file;
    tree_dies_at_every_point(file.place(), Honesty::neither, 1);
}

TEST_CASE("SQLite: killed twice, each stop of a tree is reviewed once [M-101] [M-157] [M-158]") {
    const ScratchFile file;
    tree_dies_at_every_point(file.place(), Honesty::finds, 11, true);
}
