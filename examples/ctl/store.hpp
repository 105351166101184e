// The store that heeler-ctl works on.
#pragma once

#include "../common/any_store.hpp"

namespace ctl {

using Store = common::AnyStore;

}  // namespace ctl
