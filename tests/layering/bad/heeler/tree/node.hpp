// Breaks a layer on purpose.
#pragma once

#include <heeler/core/good.hpp>
#include <heeler/tree/watch/watch.hpp>
