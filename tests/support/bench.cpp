// Gives the precompiled header of the tests that use the bench something to be compiled for.
#include "support/bench.hpp"
