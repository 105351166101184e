// Lines of JSON that programs print and send: what a watchdog does and says, and what they add.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/events.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/time.hpp>
#include <heeler/explain/event_json.hpp>
#include <heeler/text/json_writer.hpp>

namespace common {

/// Where t = 0 lies, and the current t. All times are printed as seconds since the start.
struct Moment {
    heeler::WallTime epoch{};
    heeler::Duration t{};
};

[[nodiscard]] heeler::text::JsonLine begin_line(std::string_view key, std::string_view name, Moment at);

template <class Texts>
heeler::text::JsonLine& put_texts(heeler::text::JsonLine& line, std::string_view key, const Texts& values) {
    line.key(key).begin_array();
    for (const auto& value : values) line.string(value);
    return line.end_array();
}

[[nodiscard]] inline std::string ended(heeler::text::JsonLine& line) { return std::move(line.end_object()).text(); }

[[nodiscard]] std::string line_of(const heeler::Event& event, Moment at);
[[nodiscard]] std::string line_of(const heeler::Report& report, Moment at);
[[nodiscard]] std::string line_of(const heeler::SettingFault& fault, Moment at);

}  // namespace common
