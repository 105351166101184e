// What of the library is seen outside.
#pragma once

#include <heeler/fwd.hpp>

namespace host {

[[gnu::visibility("default")]] heeler::RunClass rules();
[[gnu::visibility("default")]] bool acts_on_loops(const heeler::RunClass& rules);

}  // namespace host
