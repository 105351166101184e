#include "output.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace replay {

using common::begin_line;
using common::ended;
using common::put_texts;
using heeler::name_of;
using heeler::text::JsonLine;

std::string line_of(const heeler::CycleReport& cycle, std::string_view cause, Moment at) {
    JsonLine line = begin_line("tick", cause, at);
    line.key("checked").number(cycle.checked).key("healthy").number(cycle.healthy);
    line.key("acted").number(cycle.acted).key("suppressed").number(cycle.suppressed);
    line.key("errors").number(cycle.errors);
    return ended(line);
}

std::string line_of(const TimerEvent& event, Moment at) {
    const heeler::Timer* one = event.about.size() == 1 ? &event.about.front() : nullptr;
    JsonLine line;
    line.begin_object().key("timer");
    one != nullptr ? line.string(one->name) : line.null();
    line.key("t").number(heeler::in_seconds(at.t)).key("event").string(event.event).key("message");
    one != nullptr ? line.string(one->message) : line.null();
    line.key("running").begin_array();
    for (const heeler::Timer& each : event.running) {
        line.begin_object().key("name").string(each.name);
        line.key("interval_s").number(heeler::in_seconds(each.interval)).key("message").string(each.message);
        line.end_object();
    }
    line.end_array();
    return ended(line);
}

std::string line_of(const heeler::TreeStatus& seen, const heeler::ScriptedTree::Request* wake, Moment at) {
    JsonLine line = begin_line("tree", seen.config.node, at);
    line.key("verdict").string(seen.active ? name_of(seen.verdict) : name_of(heeler::TreeVerdict::not_applicable));
    line.key("fingerprint");
    seen.fingerprint.empty() ? line.null() : line.string(seen.fingerprint);
    std::vector<std::string> ids = seen.live;
    ids.insert(ids.end(), seen.leaf_ids.begin(), seen.leaf_ids.end());
    put_texts(line, "leaves", ids);
    line.key("review");
    seen.review.empty() ? line.null() : line.string(seen.review);
    if (wake != nullptr) line.key("wake_key").string(wake->key).key("wake").raw(wake->text);
    line.key("attempt").number(seen.attempt).key("row").begin_object().key("badge");
    seen.review_is_open ? line.string(seen.review) : line.null();
    line.key("origin");
    if (seen.review_is_open)
        line.begin_object().key("kind").string(heeler::review_origin).key("id").string(seen.config.node).end_object();
    else
        line.null();
    line.key("audit");
    seen.review_is_open ? line.raw(seen.labels) : line.null();
    line.end_object().key("trigger_count").number(seen.triggers).key("revision").number(seen.revision);
    return ended(line);
}

std::string line_of(const heeler::ScopeAnswer& answer, std::string_view op, std::string_view target, Moment at) {
    JsonLine line;
    line.begin_object().key("allowed").boolean(answer.allowed).key("t").number(heeler::in_seconds(at.t));
    line.key("op").string(op).key("target").string(target).key("reason").string(answer.reason);
    if (!answer.ids.empty()) put_texts(line, "ids", answer.ids);
    if (!answer.state.empty()) line.key("state").string(answer.state);
    if (!answer.fingerprint.empty()) line.key("fingerprint").string(answer.fingerprint);
    return ended(line);
}

std::string line_of(const Summary& summary) {
    JsonLine line;
    line.begin_object().key("summary").boolean(true).key("lines").number(summary.lines);
    line.key("skipped").number(summary.skipped).key("runs").number(summary.runs).key("ticks").number(summary.ticks);
    line.key("events_per_second").number(summary.events_per_second);
    return ended(line);
}

}  // namespace replay
