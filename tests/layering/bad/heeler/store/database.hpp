// Breaks a layer on purpose.
#pragma once

#include <sqlite3.h>
#include <filesystem>
#include <heeler/core/good.hpp>
#include <heeler/engine/watchdog.hpp>
