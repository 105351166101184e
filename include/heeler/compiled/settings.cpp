// One of the sources of `heeler::compiled`: the same code as header-only, compiled once with your own flags.
#ifndef HEELER_COMPILED
#error "heeler: define HEELER_COMPILED for these sources and for all that include heeler; heeler::compiled does it"
#endif

#include <heeler/detect/loop-inl.hpp>
#include <heeler/settings/class_differences-inl.hpp>
#include <heeler/settings/overlay-inl.hpp>
#include <heeler/settings/presets-inl.hpp>
