// Breaks a layer on purpose.
#pragma once

#include <heeler/config.hpp>
#include <string>
#include <tl/expected.hpp>
