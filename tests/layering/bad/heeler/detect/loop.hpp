// Breaks a layer on purpose.
#pragma once

#include <filesystem>
#include <heeler/alert/outbox.hpp>
#include "../core/good.hpp"
