#include "replay.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>
#include <variant>

#include <heeler/report/metrics_text.hpp>
#include <heeler/text/sanitise.hpp>

#include "../common/time_text.hpp"

namespace replay {
namespace {

using heeler::Duration;
using heeler::TickCause;

/// The object in a line whose text mentions `word`, if it is one at all. Most lines are never looked at.
std::optional<common::JsonObject> object_with(common::JsonParser& parser, const InputLine& line,
                                              std::string_view word) {
    if (line.text.find(word) == std::string::npos) return std::nullopt;
    try {
        return parser.parse(line.text);
    } catch (const common::BadLine&) {
        return std::nullopt;
    }
}

bool is_type(const common::JsonObject& line, std::string_view type) {
    std::string_view text;
    return line.fields().at_key("type").get(text) == simdjson::SUCCESS && text == type;
}

/// Leaves out what comes after the line that says so; that one may have a time.
std::vector<InputLine> up_to_end(common::JsonParser& parser, std::vector<InputLine> lines) {
    const auto end = std::find_if(lines.begin(), lines.end(), [&](const InputLine& line) {
        const auto object = object_with(parser, line, "\"end\"");
        return object && is_type(*object, "end");
    });
    if (end != lines.end()) lines.erase(end + 1, lines.end());
    return lines;
}

bool holds_ticks(common::JsonParser& parser, const std::vector<InputLine>& lines) {
    return std::any_of(lines.begin(), lines.end(), [&](const InputLine& line) {
        const auto object = object_with(parser, line, "\"tick\"");
        return object && is_type(*object, "tick");
    });
}

/// Whether any line says when it happened.
bool holds_times(common::JsonParser& parser, const std::vector<InputLine>& lines) {
    return std::any_of(lines.begin(), lines.end(), [&](const InputLine& line) {
        const auto object = object_with(parser, line, "\"type\"");
        const auto says = [&](std::string_view key) {
            simdjson::dom::element time;
            return object->fields().at_key(key).get(time) == simdjson::SUCCESS && !time.is_null();
        };
        return object && (says("t") || says("at"));
    });
}

/// The first date in the input is t = 0; without one, 1970 is.
heeler::WallTime epoch_of(common::JsonParser& parser, const std::vector<InputLine>& lines) {
    for (const InputLine& line : lines) {
        const auto object = object_with(parser, line, "\"at\"");
        if (!object) continue;
        std::string_view text;
        if (object->fields().at_key("at").get(text) != simdjson::SUCCESS) continue;
        const auto date = heeler::text::parse_rfc3339(text);
        double t = 0;
        if (object->fields().at_key("t").get(t) != simdjson::SUCCESS) t = 0;
        if (date) return *date - common::seconds(t).value_or(Duration{0});
    }
    return heeler::WallTime{};
}

/// Whether the end of what an event tells was on record when the process died.
bool on_record(const Process& process, const heeler::Event& event) {
    if (const auto* action = std::get_if<heeler::ActionEvent>(&event))
        return process.confirmed.contains(action->action.key);
    if (const auto* alert = std::get_if<heeler::AlertEvent>(&event))
        return process.confirmed.contains(alert->row.alert.key);
    return !std::holds_alternative<heeler::ErrorEvent>(event);
}

}  // namespace

Replay::Replay(const Options& options, std::vector<Settings> settings, std::shared_ptr<StoreBackend> backend,
               std::vector<InputLine> lines, LoopWatch* watch, Pages* pages, LimitLister* limits)
    : file_{options.input_file},
      preset_{options.preset},
      watch_{pages != nullptr ? pages : watch},
      pages_{pages},
      limits_{limits},
      only_listens_{options.loops},
      settings_{std::move(settings)},
      lines_{up_to_end(parser_, std::move(lines))},
      explicit_ticks_{holds_ticks(parser_, lines_)},
      timeless_{!explicit_ticks_ && !only_listens_ && !holds_times(parser_, lines_)},
      host_{std::move(backend), epoch_of(parser_, lines_)} {}

std::uint64_t Replay::run() {
    const auto began = std::chrono::steady_clock::now();
    if (const auto defined = host_.define(rules_named(preset_)); !defined)
        print_line(line_of(heeler::ErrorEvent{"define", "", defined.error()}, now()));
    for (const InputLine& line : lines_) {
        ++summary_.lines;
        line_number_ = line.number;
        try {
            read(line);
            if (timeless_) cycle({TickCause::on_demand, std::string{name_of(TickCause::period)}, {}});
        } catch (const common::BadLine& bad) {
            complain(bad.what());
            ++summary_.skipped;
        }
        if (host_.process().dead) start_again(true);
    }
    finish();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    summary_.events_per_second = took.count() > 0 ? static_cast<double>(summary_.lines) / took.count() : 0;
    print_line(line_of(summary_));
    return summary_.lines - summary_.skipped;
}

void Replay::print_line(std::string line) const {
    if ((watch_ != nullptr && pages_ == nullptr) || limits_ != nullptr) return;
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stdout);
}

/// An empty message was said before.
void Replay::complain(const std::string& message) {
    if (message.empty() || only_listens_ || limits_ != nullptr) return;  // of many files it is too much
    const std::string line = file_ + ":" + std::to_string(line_number_) + ": " + message + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

void Replay::read(const InputLine& line) {
    if (line.too_long)
        throw common::BadLine{"the line is longer than " + std::to_string(max_line_bytes >> 20) + " MB; cut its text"};
    const common::JsonObject object = parser_.parse(line.text);
    const auto type = object.text("type");
    if (!type) throw common::BadLine{"the line has no 'type'"};
    move_to(object);
    if (only_listens_ && handler_of(*type) != nullptr && !is_told(*type)) return;
    if (const Handler handler = handler_of(*type)) return (this->*handler)(object);
    ++summary_.skipped;
    if (unknown_types_.emplace(*type).second)
        complain("the type '" + heeler::text::sanitise(*type, 60) + "' is not known here; such lines are skipped");
}

void Replay::move_to(const common::JsonObject& line) {
    auto time = line.time("t");
    if (!time) time = line.time("at");
    if (!time) return;
    const Duration t = time->date ? *time->date - host_.epoch() : *time->since_start;
    if (t < host_.t()) {
        complain("its time, " + std::to_string(heeler::in_seconds(t)) + " s, lies before the last one, " +
                 std::to_string(heeler::in_seconds(host_.t())) + " s, which is taken instead");
        return;
    }
    if (t == host_.t()) return;
    run_before(t);
    host_.set_time(t);
}

/// What was folded up to a moment is there when the cycle of that moment runs; timers fire after it.
void Replay::run_before(Duration t) {
    run_pending_tick();
    for (;;) {
        const Duration due = std::min(next_cycle().value_or(t), t);
        fire_timers_before(due);
        if (due == t) return;
        host_.set_time(due);
        cycle({TickCause::period, std::string{name_of(TickCause::period)}, {}});
    }
}

/// By the watchdog's own schedule.
std::optional<Duration> Replay::next_cycle() {
    const auto deadline = explicit_ticks_ || only_listens_ ? std::nullopt : host_.next_deadline();
    if (!deadline) return std::nullopt;
    const Duration due = std::max(*deadline, host_.t());
    return last_cycle_ && due <= *last_cycle_ ? *last_cycle_ + std::chrono::seconds{1} : due;
}

void Replay::fire_timers_before(Duration t) {
    for (auto due = timers_.next_deadline(); due && *due < t; due = timers_.next_deadline()) {
        host_.set_time(*due);
        print(timers_.fire(*due));
    }
}

void Replay::run_pending_tick() {
    if (!pending_tick_) return;
    const PendingTick tick = *std::exchange(pending_tick_, std::nullopt);
    cycle(tick);
}

void Replay::cycle(const PendingTick& tick) {
    host_.process().confirmed.clear();
    const auto report = tick.node ? host_.trees()->cycle(*tick.node) : host_.dog().cycle(tick.cause);
    ++summary_.ticks;
    last_cycle_ = host_.t();
    if (host_.process().dead) {
        print_until_lost(report.events);
        start_again(true);
        return cycle(tick);
    }
    for (const heeler::Event& event : report.events) print(event);
    print_trees();
    if (report.acted > 0 || report.suppressed > 0 || report.errors > 0) print_line(line_of(report, tick.label, now()));
}

/// What was seen of each tree, with the wake that followed.
void Replay::print_trees() {
    if (host_.trees() == nullptr) return;
    const auto requests = host_.tree().requests();
    for (const heeler::TreeStatus& seen : host_.trees()->take_scanned()) {
        const heeler::ScriptedTree::Request* wake = nullptr;
        for (std::size_t i = std::min(tree_requests_, requests.size()); i < requests.size(); ++i)
            if (requests[i].verb == heeler::TreeVerb::wake && requests[i].key == seen.wake_key) wake = &requests[i];
        print_line(line_of(seen, wake, now()));
    }
    tree_requests_ = requests.size();
}

void Replay::print_records() {
    for (heeler::AuditRow& row : host_.take_records()) print_line(line_of(heeler::AuditEvent{std::move(row)}, now()));
}

void Replay::print_allowed(std::string_view op, std::string_view target, const heeler::ScopeAnswer& answer) {
    print_line(line_of(answer, op, target, now()));
}

void Replay::print(const heeler::Event& event) {
    truths_.note(event, host_.t());
    if (pages_ != nullptr) pages_->happened(event, host_.wall());
    if (limits_ != nullptr) limits_->note(event);
    if (const auto* audit = std::get_if<heeler::AuditEvent>(&event)) print_doubt(audit->row);
    std::string line = line_of(event, now());
    if (const auto* status = std::get_if<heeler::StatusEvent>(&event)) {
        // A watchdog that starts again looks at every run for the first time; what it sees is only news if it changed.
        std::string seen{name_of(status->status)};
        seen += name_of(status->level);
        for (const heeler::Finding& finding : status->findings) seen += name_of(finding.condition);
        if (std::exchange(last_status_[status->run], seen) == seen) return;
    }
    print_line(std::move(line));
}

void Replay::print(const std::vector<TimerEvent>& events) {
    for (const TimerEvent& event : events) print_line(line_of(event, now()));
}

/// What contradicts a run's own settings is said as what contradicts the class's is.
void Replay::print_doubt(const heeler::AuditRow& row) {
    if (row.kind != heeler::detail::doubt_record || row.run.empty()) return;
    common::JsonParser parser;
    const common::JsonObject doubt = parser.parse(row.body);
    print_warning({heeler::SettingFault::Kind::contradiction, std::string{doubt.text_or("setting", "")},
                   std::string{doubt.text_or("message", "")}});
}

void Replay::print_warning(const heeler::SettingFault& fault) { print_line(line_of(fault, now())); }

void Replay::print_until_lost(const heeler::List<heeler::Event>& events) {
    // A rung's events stand in the order of its plan, in which the last one may be on record before the first.
    for (const heeler::Event& event : events)
        if (on_record(host_.process(), event)) print(event);
}

void Replay::start_again(bool keep_store) {
    if (!keep_store) last_status_.clear();
    if (const auto started = host_.start_again(keep_store); !started)
        print_line(line_of(heeler::ErrorEvent{"restart", "", started.error()}, now()));
}

void Replay::finish() {
    run_before(host_.t() + Duration{1});
    if (limits_ != nullptr) return limits_->end_file(host_.wall());
    summary_.runs = host_.runs().size();
    for (const auto& [id, run] : host_.runs()) {
        if (const auto report = host_.dog().report(id)) {
            print_line(line_of(*report, now()));
            if (pages_ != nullptr) keep_page(*report);
            truths_.note_end(id, report->final_status);
        } else {
            print_line(line_of(heeler::ErrorEvent{"report", id, report.error()}, now()));
        }
    }
    if (truths_.any()) print_line(to_json(truths_.measured()));
}

/// One that cannot be written is said, and the rest goes on.
void Replay::keep_page(const heeler::Report& report) {
    if (const auto written = pages_->write(report, host_.wall()); !written)
        print_line(line_of(heeler::ErrorEvent{"html", report.run, written.error()}, now()));
}

}  // namespace replay
