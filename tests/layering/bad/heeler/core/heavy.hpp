// Breaks a layer on purpose.
#pragma once

#include <fmt/format.h>
#include <sqlite3.h>
#include <iostream>

#include <cstdlib>

inline bool is_set() { return std::getenv("HEELER") != nullptr; }
