// Breaks a layer on purpose.
#pragma once

#include <heeler/detect/loop.hpp>
#include <heeler/heeler.hpp>
#include <heeler/store/database.hpp>
#include <heeler/testing/double.hpp>
#include <thread>
