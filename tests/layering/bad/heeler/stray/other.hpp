// Breaks a layer on purpose.
#pragma once

#include <string>
