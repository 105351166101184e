// Breaks a layer on purpose.
#pragma once

#include <fmt/format.h>
#include <xxhash.h>
#include <heeler/core/good.hpp>
#include <heeler/detect/loop.hpp>
#include <regex>
