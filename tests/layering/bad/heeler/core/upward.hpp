// Breaks a layer on purpose.
#pragma once

#include <heeler/text/words.hpp>
#include <string>
