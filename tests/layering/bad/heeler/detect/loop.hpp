// Breaks a layer on purpose.
#pragma once

#include <filesystem>
#include <heeler/deliver/outbox.hpp>
#include "../core/good.hpp"
