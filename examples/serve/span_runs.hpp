// Runs that are known by their spans: what OpenTelemetry tells of agents, told to the watchdog.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <simdjson.h>

#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/source/transcript/otel.hpp>

#include "requests.hpp"

namespace serve {

/// What became of an export.
struct Taken {
    std::size_t rejected = 0;  ///< spans or log records
    std::string why{};         ///< the first one was
};

/// A conversation is a run, and so is a trace that names none. A run begins with its first span. That of a trace ends
/// with the trace's root; a conversation then has nothing to do until its next span. What is told twice (an exporter
/// tries again, a log tells of a span) counts once. One of which nothing is told for a week is over. Thread-safe.
class SpanRuns {
public:
    using Say = std::function<void(const std::string&)>;

    SpanRuns(Dog& dog, std::string preset, Say say) : dog_{dog}, preset_{std::move(preset)}, say_{std::move(say)} {}

    /// An `ExportTraceServiceRequest`. Error: it is no JSON object.
    [[nodiscard]] heeler::Result<Taken> take_spans(std::string_view json);
    /// An `ExportLogsServiceRequest`: of its records those that tell of a model's call.
    [[nodiscard]] heeler::Result<Taken> take_logs(std::string_view json);

    /// To be called after each cycle.
    void end_silent_ones();

private:
    using Value = heeler::detail::JsonValue;

    struct Run {
        heeler::RunHandle handle{};
        heeler::OtelTranscript reader{};
        heeler::Conversation conversation{};
        heeler::Elapsed told_at{};
        bool is_trace = false;
        bool lacks_arguments = false;  ///< which was said
    };
    struct Span {
        Value value{};
        std::string_view service{};
        std::string_view end{};  ///< as digits; the shorter is earlier
    };

    [[nodiscard]] heeler::Result<Value> parse(std::string_view json);
    void learn_conversation(const Value& span);
    /// Empty: it tells of no agent, and of no run that is known.
    [[nodiscard]] std::string run_of(const Value& span);
    [[nodiscard]] heeler::Result<void> take(const Span& span);
    [[nodiscard]] heeler::Result<Run*> begin(const std::string& id, const Span& span);
    [[nodiscard]] bool is_new(const Value& span);
    [[nodiscard]] heeler::Result<void> pass_on(const std::string& id, Run& run);
    [[nodiscard]] heeler::Result<void> end(const std::string& id, Run& run, const Value& root);

    Dog& dog_;
    std::string preset_;
    Say say_;
    std::mutex lock_;
    simdjson::dom::parser parser_;
    std::map<std::string, Run, std::less<>> runs_;
    std::map<std::string, std::string, std::less<>> conversations_;  ///< by trace
    std::deque<std::string> traces_in_order_;
    std::set<std::string> told_;  ///< ids of spans, the newest of all runs
    std::deque<std::string> told_in_order_;
};

}  // namespace serve
