// Breaks a layer on purpose.
#pragma once

#include <heeler/detect/loop.hpp>
#include <heeler/heeler.hpp>
#include <heeler/store/database.hpp>
#include <heeler/testing/double.hpp>
#include <heeler/tree/node.hpp>
#include <heeler/tree/watch/watch.hpp>
#include <thread>
