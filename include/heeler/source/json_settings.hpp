// Reads settings from a JSON file: one object, for example {"interval_s": 60, "action_budget": {"per_tick": 1}}.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <simdjson.h>

#include <heeler/core/named_setting.hpp>
#include <heeler/core/result.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

inline constexpr std::size_t largest_settings = std::size_t{1} << 20;
inline constexpr std::size_t deepest_settings = 8;  ///< objects and lists inside each other

namespace detail {

namespace lazy = simdjson::ondemand;

/// Reads the value and all that is in it. The first error ends it.
template <class Value>
[[nodiscard]] inline bool walk(Value value, std::size_t depth) {
    lazy::json_type type{};
    if (depth > deepest_settings || value.type().get(type) != simdjson::SUCCESS) return false;
    if (type == lazy::json_type::object) {
        lazy::object object;
        if (value.get_object().get(object) != simdjson::SUCCESS) return false;
        for (auto field : object) {
            lazy::value inner;
            if (field.value().get(inner) != simdjson::SUCCESS || !walk(inner, depth + 1)) return false;
        }
        return true;
    }
    if (type == lazy::json_type::array) {
        lazy::array array;
        if (value.get_array().get(array) != simdjson::SUCCESS) return false;
        for (auto each : array) {
            lazy::value inner;
            if (each.get(inner) != simdjson::SUCCESS || !walk(inner, depth + 1)) return false;
        }
        return true;
    }
    if (type == lazy::json_type::number) return value.get_double().error() == simdjson::SUCCESS;
    if (type == lazy::json_type::boolean) return value.get_bool().error() == simdjson::SUCCESS;
    return type == lazy::json_type::null || value.get_string().error() == simdjson::SUCCESS;
}

/// "line 2, column 7", or empty where the place cannot be told.
[[nodiscard]] inline std::string place_of_error(std::string_view text) {
    const simdjson::padded_string padded{text};
    lazy::parser parser;
    lazy::document document;
    const char* at = nullptr;
    if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return {};
    if (walk<lazy::document&>(document, 1) || document.current_location().get(at) != simdjson::SUCCESS) return {};
    const auto before = std::string_view{padded.data(), padded.size()}.substr(
        0, static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, at - padded.data())));
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const auto last = before.rfind('\n');
    const auto column = before.size() - (last == std::string_view::npos ? 0 : last + 1);
    return "line " + std::to_string(lines + 1) + ", column " + std::to_string(column + 1);
}

[[nodiscard]] inline SettingValue setting_of(simdjson::dom::element value);

[[nodiscard]] inline std::vector<NamedSetting> settings_of(simdjson::dom::object object) {
    std::vector<NamedSetting> settings;
    for (const auto field : object) settings.push_back({std::string{field.key}, setting_of(field.value)});
    return settings;
}

/// No setting takes a list: it becomes its text, for the message.
[[nodiscard]] inline SettingValue setting_of(simdjson::dom::element value) {
    simdjson::dom::object object;
    std::string_view text;
    std::int64_t whole = 0;
    double number = 0;
    bool yes = false;
    if (value.is_null()) return {};
    if (value.get(object) == simdjson::SUCCESS) return {settings_of(object)};
    if (value.get(text) == simdjson::SUCCESS) return {std::string{text}};
    if (value.get(yes) == simdjson::SUCCESS) return {yes};
    if (value.get(whole) == simdjson::SUCCESS) return {whole};
    if (value.get(number) == simdjson::SUCCESS) return {number};
    return {simdjson::minify(value)};
}

[[nodiscard]] inline tl::unexpected<Error> too_large() {
    return fail(ErrorCode::invalid_argument, "settings are larger than " + std::to_string(largest_settings) +
                                                 " bytes; leave out what is no setting");
}

}  // namespace detail

/// The settings in the text, in its order; a name that stands there twice is twice in the result. Which names are
/// known, and what they take, is for `overlay`. Error: `invalid_argument` for anything but one JSON object of at most
/// 1 MiB and eight levels, with line and column where they can be told.
[[nodiscard]] inline Result<std::vector<NamedSetting>> settings_from_json(std::string_view text) {
    if (text.size() > largest_settings) return detail::too_large();
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    simdjson::dom::object object;
    auto error = parser.allocate(std::max<std::size_t>(text.size(), 64), deepest_settings);
    if (error == simdjson::SUCCESS) error = parser.parse(text.data(), text.size()).get(root);
    if (error != simdjson::SUCCESS) {
        const std::string place = detail::place_of_error(text);
        return fail(ErrorCode::invalid_argument,
                    "not JSON: " + (place.empty() ? "" : place + ": ") + simdjson::error_message(error));
    }
    if (root.get(object) != simdjson::SUCCESS)
        return fail(ErrorCode::invalid_argument,
                    "settings are " + text::sanitise(simdjson::minify(root), 60) + "; they must be one JSON object");
    return detail::settings_of(object);
}

/// The settings in a regular file. Errors: `io` if it cannot be read; `invalid_argument` as above, with the path.
[[nodiscard]] inline Result<std::vector<NamedSetting>> settings_from_file(const std::filesystem::path& path) {
    const std::string name = "'" + text::sanitise(path.native(), 200) + "'";
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found)
        return fail(ErrorCode::io, name + " does not exist; name a file with settings");
    if (error) return fail(ErrorCode::io, "cannot read " + name + ": " + error.message());
    if (!std::filesystem::is_regular_file(status))
        return fail(ErrorCode::io, name + " is no regular file; settings are read from regular files only");
    std::ifstream file{path, std::ios::binary};
    std::string text(largest_settings + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.is_open() || file.bad()) return fail(ErrorCode::io, "cannot read " + name + "; check who may read it");
    text.resize(static_cast<std::size_t>(file.gcount()));
    auto settings = settings_from_json(text);
    if (settings) return settings;
    return fail(settings.error().code, name + ": " + settings.error().message);
}

}  // namespace heeler::inline HEELER_ABI
