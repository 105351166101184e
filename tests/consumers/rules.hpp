// What the host watches by. Names heeler's types without reading what they are.
#pragma once

#include <heeler/fwd.hpp>

namespace host {

heeler::RunClass rules();
bool acts_on_loops(const heeler::RunClass& rules);

}  // namespace host
