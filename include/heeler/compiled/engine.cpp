// One of the sources of `heeler::compiled`: the same code as header-only, compiled once with your own flags.
#ifndef HEELER_COMPILED
#error "heeler: define HEELER_COMPILED for these sources and for all that include heeler; heeler::compiled does it"
#endif

#include <heeler/core/events-inl.hpp>
#include <heeler/engine/engine-inl.hpp>
#include <heeler/engine/runner-inl.hpp>
#include <heeler/recover/recovery_ladder-inl.hpp>
#include <heeler/recover/watch_ladder-inl.hpp>
