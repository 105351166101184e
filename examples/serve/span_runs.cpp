#include "span_runs.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/explain/observed_error.hpp>
#include <heeler/text/repaired_utf8.hpp>

namespace serve {
namespace {

using heeler::ErrorCode;
using heeler::Result;
using heeler::detail::JsonValue;

/// So many traces of conversations are remembered, and so many spans that may be told again.
constexpr std::size_t most_traces = 10'000, most_told = 50'000;

/// A run of which nothing is told for so long is over.
constexpr std::chrono::hours longest_silence{7 * 24};

constexpr std::string_view details_event = "gen_ai.client.inference.operation.details";

JsonValue attribute(const JsonValue& owner, std::string_view key) {
    JsonValue found;
    owner["attributes"].each([&](const JsonValue& each) {
        if (each["key"].text() == key) found = each["value"]["stringValue"];
    });
    return found;
}

bool is_of_agent(const JsonValue& span) { return !attribute(span, "gen_ai.operation.name").text().empty(); }

bool is_root(const JsonValue& span) {
    return !span["spanId"].text().empty() && span["parentSpanId"].text().empty() && span["endTimeUnixNano"];
}

bool failed(const JsonValue& span) { return span["status"]["code"].written() == "2" || attribute(span, "error.type"); }

template <class Each>
void each_of(const JsonValue& request, std::string_view resources, std::string_view scopes, std::string_view items,
             Each each) {
    request[resources].each([&](const JsonValue& resource) {
        const std::string_view service = attribute(resource["resource"], "service.name").text();
        resource[scopes].each(
            [&](const JsonValue& scope) { scope[items].each([&](const JsonValue& item) { each(item, service); }); });
    });
}

}  // namespace

Result<JsonValue> SpanRuns::parse(std::string_view json) {
    simdjson::dom::element root;
    auto error = parser_.parse(json.data(), json.size()).get(root);
    if (error == simdjson::UTF8_ERROR) error = parser_.parse(heeler::text::repaired_utf8(json)).get(root);
    if (error != simdjson::SUCCESS)
        return heeler::fail(ErrorCode::invalid_argument, std::string{"not JSON: "} + simdjson::error_message(error));
    if (!root.is_object()) return heeler::fail(ErrorCode::invalid_argument, "not a JSON object");
    return JsonValue{root};
}

void SpanRuns::learn_conversation(const Value& span) {
    const std::string_view conversation = attribute(span, "gen_ai.conversation.id").text();
    const std::string trace{span["traceId"].text()};
    if (conversation.empty() || trace.empty()) return;
    if (!conversations_.try_emplace(trace, conversation).second) return;
    traces_in_order_.push_back(trace);
    if (traces_in_order_.size() <= most_traces) return;
    conversations_.erase(traces_in_order_.front());
    traces_in_order_.pop_front();
}

std::string SpanRuns::run_of(const Value& span) {
    if (const auto named = attribute(span, "gen_ai.conversation.id").text(); !named.empty()) return std::string{named};
    std::string trace{span["traceId"].text()};
    const auto known = conversations_.find(trace);
    if (known != conversations_.end()) trace = known->second;
    // The root may be told to another process than its trace was.
    const bool is_known = runs_.contains(trace) || (is_root(span) && dog_.find(trace));
    return is_known || is_of_agent(span) ? trace : std::string{};
}

Result<Taken> SpanRuns::take_spans(std::string_view json) {
    const std::lock_guard one{lock_};
    const auto request = parse(json);
    if (!request) return tl::unexpected<heeler::Error>(request.error());
    std::vector<Span> spans;
    each_of(*request, "resourceSpans", "scopeSpans", "spans", [&](const Value& span, std::string_view service) {
        learn_conversation(span);
        spans.push_back({span, service, span["endTimeUnixNano"].text()});
    });
    // Of several libraries in one process each has its own list.
    std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
        return a.end.size() != b.end.size() ? a.end.size() < b.end.size() : a.end < b.end;
    });
    Taken taken;
    for (const Span& span : spans)
        if (const auto told = take(span); !told && ++taken.rejected == 1) taken.why = told.error().message;
    return taken;
}

Result<Taken> SpanRuns::take_logs(std::string_view json) {
    const std::lock_guard one{lock_};
    const auto request = parse(json);
    if (!request) return tl::unexpected<heeler::Error>(request.error());
    Taken taken;
    each_of(*request, "resourceLogs", "scopeLogs", "logRecords", [&](const Value& record, std::string_view service) {
        const Value named = attribute(record, "event.name");
        if ((named ? named.text() : record["eventName"].text()) != details_event) return;
        learn_conversation(record);
        if (const auto told = take({record, service, {}}); !told && ++taken.rejected == 1)
            taken.why = told.error().message;
    });
    return taken;
}

Result<void> SpanRuns::take(const Span& span) {
    const std::string id = run_of(span.value);
    if (id.empty()) return {};
    const auto run = begin(id, span);
    if (!run) return tl::unexpected<heeler::Error>(run.error());
    (*run)->told_at = dog_.clock().now().elapsed;
    if (!is_new(span.value)) return {};
    (*run)->reader.read(span.value, (*run)->conversation);
    const auto told = pass_on(id, **run);
    return told && is_root(span.value) ? end(id, **run, span.value) : told;
}

void SpanRuns::end_silent_ones() {
    const std::unique_lock one{lock_, std::try_to_lock};
    if (!one) return;  // then after the next cycle
    const heeler::Elapsed now = dog_.clock().now().elapsed;
    std::erase_if(runs_, [&](const auto& each) {
        const Run& run = each.second;
        if (now - run.told_at < longest_silence) return false;
        // One that could not be stored is over here, and stored later.
        static_cast<void>(
            dog_.finish(run.handle, run.is_trace ? heeler::RunEnd::cancelled : heeler::RunEnd::completed));
        return true;
    });
}

Result<SpanRuns::Run*> SpanRuns::begin(const std::string& id, const Span& span) {
    if (const auto known = runs_.find(id); known != runs_.end()) return &known->second;
    heeler::RunSpec spec;
    spec.id = id;
    const std::string_view agent = attribute(span.value, "gen_ai.agent.name").text();
    spec.name = agent.empty() ? span.service : agent;
    auto handle = dog_.attach(std::move(spec), preset_);
    if (!handle) return tl::unexpected<heeler::Error>(std::move(handle.error()));
    Run& run = runs_[id];
    run.handle = *handle;
    run.is_trace = id == span.value["traceId"].text();
    return &run;
}

bool SpanRuns::is_new(const Value& span) {
    if (span["spanId"].text().empty()) return true;
    std::string id = std::string{span["traceId"].text()}.append(span["spanId"].text());
    if (!told_.insert(id).second) return false;
    told_in_order_.push_back(std::move(id));
    if (told_in_order_.size() > most_told) {
        told_.erase(told_in_order_.front());
        told_in_order_.pop_front();
    }
    return true;
}

Result<void> SpanRuns::pass_on(const std::string& id, Run& run) {
    heeler::Observed worst = heeler::Observed::ok;
    const auto tell = [&](const auto& what) {
        if constexpr (heeler::is_observation<std::decay_t<decltype(what)>>) {
            const auto answer = dog_.observe(run.handle, what);
            if (answer != heeler::Observed::ok) worst = answer;
        }
    };
    for (const auto& event : run.conversation.events()) {
        const auto* const change = std::get_if<heeler::StateChange>(&event.what);
        // A turn that has ended asks nobody anything: the run has nothing to do.
        if (change != nullptr && change->state == heeler::RunState::waiting_human)
            tell(heeler::StateChange{heeler::RunState::queued});
        else
            std::visit(tell, event.what);
    }
    run.conversation.clear();
    if (!run.lacks_arguments && !run.conversation.unknown().empty()) {
        run.lacks_arguments = true;
        say_("the spans of the run '" + id +
             "' lack gen_ai.tool.call.arguments: its tool calls are not told; ask the "
             "agent's library to record them");
    }
    if (worst == heeler::Observed::ok) return {};
    if (worst != heeler::Observed::refused) runs_.erase(id);
    return tl::unexpected<heeler::Error>(heeler::error_of(worst, id));
}

Result<void> SpanRuns::end(const std::string& id, Run& run, const Value& root) {
    if (!run.is_trace) {
        run.conversation.ends_turn();
        return pass_on(id, run);
    }
    auto ended = dog_.finish(run.handle, failed(root) ? heeler::RunEnd::failed : heeler::RunEnd::completed);
    runs_.erase(id);
    return ended;
}

}  // namespace serve
