// Breaks a layer on purpose.
#pragma once

#include <heeler/engine/watchdog.hpp>
#include <heeler/store/database.hpp>
#include <heeler/tree/node.hpp>
