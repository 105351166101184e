// Plays a story in real processes that are killed, at every point of it, and checks what is left.
#pragma once

#include <string_view>

#include "crash/invariants.hpp"

namespace crash {

/// Each test below fails at the first trial that breaks an invariant, and names store, story and points of death.

/// How many of the points are tried. HEELER_CRASH_ALL in the environment asks for more, a sanitizer for less.
enum class Effort { every_point = 1, every_third = 3, every_ninth = 9 };

/// A process dies at each point in turn; the next one plays to the end.
void dies_at_every_point(const Place& place, const Scene& scene, Effort effort = Effort::every_point);

/// The next one dies too, at each of its points in turn. Only with HEELER_CRASH_ALL these are all pairs, of
/// every third points if so little effort is made.
void dies_twice(const Place& place, const Scene& scene, Effort effort = Effort::every_point);

/// Every process dies after its first call of this name, until the story is over.
void dies_after_each(const Place& place, const Scene& scene, std::string_view call);

/// A process stands still at each point in turn while another one plays to the end, and then goes on: nothing that is
/// stored changes any more.
void stands_still(const Place& place, const Scene& scene, Effort effort = Effort::every_point);

/// Processes are killed from outside at any moment, a few times in each trial.
void is_killed_at_any_moment(const Place& place, const Scene& scene);

}  // namespace crash
