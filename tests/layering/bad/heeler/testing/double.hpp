// Breaks a layer on purpose.
#pragma once

#include <catch2/catch_all.hpp>
#include <heeler/core/good.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/testing/contract/catch.hpp>
