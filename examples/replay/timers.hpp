// The named timers of a scenario's host, and whether their targets are there.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <heeler/alert/timer_set.hpp>
#include <heeler/core/time.hpp>

#include "../common/json_object.hpp"
#include "output.hpp"

namespace replay {

/// Times are seconds since the start. They belong to the host: a watchdog that starts again changes nothing about them.
class Timers {
public:
    /// A `timer` line. Answers what is to be said about it; throws `common::BadLine`.
    [[nodiscard]] std::vector<TimerEvent> obey(const common::JsonObject& line, heeler::Duration t);
    [[nodiscard]] std::optional<heeler::Duration> next_deadline() const;
    [[nodiscard]] std::vector<TimerEvent> fire(heeler::Duration t);

private:
    void note_target(std::optional<std::string_view> name, bool present);
    [[nodiscard]] TimerEvent start(const common::JsonObject& line, std::string_view name, heeler::Duration t);
    [[nodiscard]] std::vector<TimerEvent> stop(std::optional<std::string_view> name);
    [[nodiscard]] TimerEvent status(std::optional<std::string_view> name) const;
    [[nodiscard]] bool is_target_present(const std::string& name) const;

    heeler::TimerSet timers_;
    bool targets_present_ = true;
    std::map<std::string, bool, std::less<>> target_present_;  // of timers for which it was said
};

}  // namespace replay
