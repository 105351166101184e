// An alert as one JSON object, for programs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/alert/suggestions.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

inline constexpr std::size_t alert_text_cap = 16 * 1024;  ///< bytes of one text
inline constexpr std::size_t alert_list_cap = 100;        ///< issues, details, tags

}  // namespace detail

/// A member `"suggestions":[..]` where there are any for alerts of this kind.
inline void write_suggestions(text::JsonLine& line, std::string_view alert_kind) {
    std::string_view all = suggestions_for(alert_kind);
    if (all.empty()) return;
    line.key("suggestions").begin_array();
    for (auto end = all.find(", "); end != std::string_view::npos; end = all.find(", ")) {
        line.string(all.substr(0, end));
        all.remove_prefix(end + 2);
    }
    line.string(all).end_array();
}

/// `{"version":1,"key":..,"kind":..,"severity":"none|warning|critical","to":..,"run":{"id":..,"name":..,"work_item":..,
/// "project":..,"tags":[..]},"summary":..,"issues":[..],"details":{NAME:TEXT or JSON},"at":RFC 3339,"attempt":1}`, with
/// `suggestions` behind the details where there are any (`suggestions_for`), and a member `left_out` where there are
/// more than 100 issues, details or tags. A text of more than 16 KiB keeps its start and its end.
[[nodiscard]] inline std::string alert_json(const Alert& alert) {
    using detail::alert_text_cap, detail::alert_list_cap;
    text::JsonLine line;
    std::size_t missing = 0;
    const auto text = [&](std::string_view name, std::string_view value) {
        line.key(name).string(text::sanitise(value, alert_text_cap));
    };
    const auto shown = [&](std::size_t all) {
        const std::size_t most = detail::min_of(all, alert_list_cap);
        missing += all - most;
        return most;
    };
    const auto list = [&](std::string_view name, const std::vector<std::string>& texts) {
        line.key(name).begin_array();
        for (std::size_t i = 0, most = shown(texts.size()); i < most; ++i)
            line.string(text::sanitise(texts[i], alert_text_cap));
        line.end_array();
    };
    line.begin_object().key("version").number(1);
    text("key", alert.key);
    text("kind", alert.kind);
    line.key("severity").string(name_of(alert.severity));
    text("to", alert.to);
    line.key("run").begin_object();
    text("id", alert.run.id);
    text("name", alert.run.name);
    text("work_item", alert.run.work_item);
    text("project", alert.run.project);
    list("tags", alert.tags);
    line.end_object();
    text("summary", alert.summary);
    list("issues", alert.issues);
    line.key("details").begin_object();
    for (std::size_t i = 0, most = shown(alert.details.size()); i < most; ++i) {
        const Detail& detail = alert.details[i];
        detail.is_json ? static_cast<void>(line.key(detail.name).raw(detail.value)) : text(detail.name, detail.value);
    }
    line.end_object();
    write_suggestions(line, alert.kind);
    if (missing > 0) line.key("left_out").number(missing);
    line.key("at").string(text::rfc3339(alert.at)).key("attempt").number(alert.attempt).end_object();
    return std::move(line).text();
}

}  // namespace heeler::inline HEELER_ABI
