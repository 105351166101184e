// Breaks a layer on purpose.
#pragma once

#include <heeler/posix/file.hpp>
#include <heeler/text/words.hpp>
#include <thread>
