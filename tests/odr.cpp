// Every header in two sources of one program: a function that is defined twice, because it is not inline, breaks the
// link.
#include <every_header.hpp>
