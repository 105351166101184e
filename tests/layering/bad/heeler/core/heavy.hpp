// Breaks a layer on purpose.
#pragma once

#include <fmt/format.h>
#include <sqlite3.h>
#include <iostream>
