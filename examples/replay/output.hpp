// The lines that a replay prints: one JSON object each, the key that names it first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/alert/timer_set.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/time.hpp>
#include <heeler/testing/scripted_tree.hpp>
#include <heeler/tree/watch/tree_watch.hpp>

#include "../common/event_lines.hpp"

namespace replay {

using common::Moment;

struct Summary {
    std::uint64_t lines = 0;
    std::uint64_t skipped = 0;
    std::uint64_t runs = 0;
    std::uint64_t ticks = 0;
    double events_per_second = 0;
};

/// What happened to timers.
struct TimerEvent {
    std::string_view event;
    std::vector<heeler::Timer> about;  // the line names it if it is one
    std::vector<heeler::Timer> running;
};

using common::line_of;
[[nodiscard]] std::string line_of(const heeler::CycleReport& cycle, std::string_view cause, Moment at);
[[nodiscard]] std::string line_of(const TimerEvent& event, Moment at);
/// `wake`: the one that followed, if any.
[[nodiscard]] std::string line_of(const heeler::TreeStatus& seen, const heeler::ScriptedTree::Request* wake, Moment at);
[[nodiscard]] std::string line_of(const heeler::ScopeAnswer& answer, std::string_view op, std::string_view target,
                                  Moment at);
[[nodiscard]] std::string line_of(const Summary& summary);

}  // namespace replay
