// See odr.cpp.
#include <every_header.hpp>
