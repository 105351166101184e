// The ledger of what runs spend, and the caps on it.
#pragma once

// IWYU pragma: begin_exports
#include <heeler/detect/spend_cap.hpp>
#include <heeler/run/spend_ledger.hpp>
#ifndef HEELER_COMPILED
#include <heeler/store/memory_spend-inl.hpp>
#endif
// IWYU pragma: end_exports
