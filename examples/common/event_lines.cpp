#include "event_lines.hpp"

#include <heeler/explain/report.hpp>

namespace common {

using heeler::text::JsonLine;

JsonLine begin_line(std::string_view key, std::string_view name, Moment at) {
    JsonLine line;
    line.begin_object().key(key).string(name).key("t").number(heeler::in_seconds(at.t));
    return line;
}

std::string line_of(const heeler::Event& event, Moment at) { return heeler::to_json(event, at.t); }

std::string line_of(const heeler::Report& report, Moment at) {
    JsonLine line;
    line.begin_object().key("report").string(report.run);
    heeler::write_report(line, report, at.epoch);
    return ended(line);
}

std::string line_of(const heeler::SettingFault& fault, Moment at) {
    JsonLine line = begin_line("warning", name_of(fault.kind), at);
    line.key("setting").string(fault.setting).key("message").string(fault.message);
    return ended(line);
}

}  // namespace common
