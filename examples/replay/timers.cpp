#include "timers.hpp"

#include <string_view>
#include <utility>

#include <heeler/core/result.hpp>
#include <heeler/text/sanitise.hpp>

namespace replay {

using heeler::Duration;
using heeler::Elapsed;
using heeler::ErrorCode;
using heeler::Timer;

std::vector<TimerEvent> Timers::obey(const common::JsonObject& line, Duration t) {
    auto name = line.text("name");
    if (name && name->empty()) name = "default";
    const auto op = line.text("op");
    const auto present = line.boolean("target_present");
    if (!op && !present) throw common::BadLine{"'op' is missing"};
    if (op && *op != "start" && *op != "stop" && *op != "status")
        throw common::BadLine{"the op '" + heeler::text::sanitise(*op, 60) +
                              "' is not known; known are start, stop, status"};
    if (op == "start") {
        const std::string_view started = name.value_or("default");
        const TimerEvent event = start(line, started, t);
        if (present) note_target(started, *present);
        return {event};
    }
    if (present) note_target(name, *present);
    if (op == "stop") return stop(name);
    if (op == "status") return {status(name)};
    return {};
}

/// Without a name it concerns all timers, also those that are started later.
void Timers::note_target(std::optional<std::string_view> name, bool present) {
    if (name) {
        target_present_.insert_or_assign(std::string{*name}, present);
    } else {
        targets_present_ = present;
        target_present_.clear();
    }
}

bool Timers::is_target_present(const std::string& name) const {
    const auto known = target_present_.find(name);
    return known == target_present_.end() ? targets_present_ : known->second;
}

TimerEvent Timers::start(const common::JsonObject& line, std::string_view name, Duration t) {
    Timer timer{.name = std::string{name}, .message = std::string{line.text_or("message", "")}};
    timer.interval = line.length("interval_s").value_or(timer.interval);
    const auto started = timers_.start(std::move(timer), Elapsed{t});
    if (!started) throw common::BadLine{started.error().message};
    const bool replaced = *started == heeler::TimerSet::Outcome::replaced;
    return {replaced ? "replaced" : "started", timers_.status(name), timers_.status()};
}

std::vector<TimerEvent> Timers::stop(std::optional<std::string_view> name) {
    std::vector<TimerEvent> events;
    for (Timer& each : timers_.status(name)) events.push_back({"stopped", {std::move(each)}, {}});
    timers_.stop(name);
    for (TimerEvent& each : events) each.running = timers_.status();
    return events;
}

TimerEvent Timers::status(std::optional<std::string_view> name) const {
    return {"status", timers_.status(name), timers_.status(name)};
}

std::optional<Duration> Timers::next_deadline() const {
    const auto due = timers_.next_deadline();
    if (!due) return std::nullopt;
    return due->time_since_epoch();
}

std::vector<TimerEvent> Timers::fire(Duration t) {
    const auto send = [&](const Timer& timer) -> heeler::Result<void> {
        if (is_target_present(timer.name)) return {};
        return heeler::fail(ErrorCode::no_recipient, "the target is missing, as the scenario says");
    };
    std::vector<TimerEvent> events;
    for (heeler::FiredTimer& each : timers_.fire(Elapsed{t}, send))
        events.push_back({each.warning ? "missing_target" : "fired", {std::move(each.timer)}, timers_.status()});
    return events;
}

}  // namespace replay
