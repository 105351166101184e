#include "run_spec.hpp"

#include <string>
#include <vector>

namespace common {
namespace {

/// One name, a list of names, or only `true`.
std::vector<std::string> sharers(const JsonObject& line) {
    simdjson::dom::element value;
    if (line.fields().at_key("shared_run").get(value) != simdjson::SUCCESS) return {};
    if (value.is_bool()) return bool(value) ? std::vector<std::string>{"others"} : std::vector<std::string>{};
    if (value.is_string()) return {std::string{*line.text("shared_run")}};
    return line.texts("shared_run");
}

}  // namespace

heeler::RunSpec spec_of(const JsonObject& line, heeler::WallTime epoch) {
    heeler::RunSpec spec;
    spec.id = line.text_or("run", line.text_or("name", ""));
    spec.name = line.text_or("name", "");
    spec.task = line.text_or("task", "");
    spec.work_item = line.any("work_item");
    spec.expected = line.length("expected_s");
    spec.timeout = line.length("timeout_s");
    spec.plan = line.integers("plan");
    spec.tags = line.texts("tags");
    spec.shared_run = sharers(line);
    spec.parent = line.text_or("parent", "");
    if (const auto metric = line.text("metric")) {
        spec.metric = heeler::MetricKind::reported;
        spec.metric_name = *metric;
    } else if (line.has("metric")) {
        spec.metric = heeler::MetricKind::undefined;
    }
    spec.continues = line.text_or("continues", "");
    spec.project = line.text_or("project", "");
    spec.origin = line.text_or("origin", "");
    spec.owner = line.text_or("owner", "");
    spec.interactive = line.boolean_or("interactive", false);
    spec.single_prompt = line.boolean_or("single_prompt", false);
    if (const auto created = line.time("created_at")) spec.created_at = wall_of(*created, epoch);
    if (const auto started = line.time("started_at")) spec.started_at = wall_of(*started, epoch);
    spec.start_unknown = line.has("started_at") && !spec.started_at;
    return spec;
}

}  // namespace common
