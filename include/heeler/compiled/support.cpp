// One of the sources of `heeler::compiled`: the same code as header-only, compiled once with your own flags.
#ifndef HEELER_COMPILED
#error "heeler: define HEELER_COMPILED for these sources and for all that include heeler; heeler::compiled does it"
#endif

#include <heeler/explain/report-inl.hpp>
#include <heeler/notify/log_notifier-inl.hpp>
#include <heeler/store/memory_spend-inl.hpp>
#include <heeler/store/memory_store-inl.hpp>
#include <heeler/text/redact-inl.hpp>
