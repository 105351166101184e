// Breaks a layer on purpose.
#pragma once

#include <unistd.h>
#include <filesystem>
#include <heeler/core/good.hpp>
#include <heeler/notify/command.hpp>
