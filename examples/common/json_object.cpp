#include "json_object.hpp"

#include <cmath>

#include <heeler/text/repaired_utf8.hpp>
#include <heeler/text/sanitise.hpp>

#include "time_text.hpp"

namespace common {
namespace {

namespace dom = simdjson::dom;

std::string shown(dom::element value) { return heeler::text::sanitise(simdjson::minify(value), 60); }

std::optional<std::int64_t> as_integer(dom::element value) {
    if (std::int64_t exact = 0; value.get(exact) == simdjson::SUCCESS) return exact;
    double wide = 0;
    if (value.get(wide) != simdjson::SUCCESS || wide != std::trunc(wide) || std::abs(wide) > 9e18) return std::nullopt;
    return static_cast<std::int64_t>(wide);
}

}  // namespace

std::string in_quotes(std::string_view text) { return "'" + heeler::text::sanitise(text, 140) + "'"; }

heeler::WallTime wall_of(const WrittenTime& time, heeler::WallTime epoch) {
    return time.date ? *time.date : epoch + *time.since_start;
}

void JsonObject::wrong_type(std::string_view key, dom::element value, std::string_view wanted) {
    throw BadLine{"'" + heeler::text::sanitise(key, 60) + "' is " + shown(value) + ", but must be " +
                  std::string{wanted}};
}

std::optional<dom::element> JsonObject::find(std::string_view key) const {
    dom::element value;
    if (object_.at_key(key).get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
    return value;
}

bool JsonObject::has(std::string_view key) const { return object_.at_key(key).error() == simdjson::SUCCESS; }

std::optional<std::string_view> JsonObject::text(std::string_view key) const {
    const auto value = find(key);
    if (!value) return std::nullopt;
    std::string_view text;
    if (value->get(text) != simdjson::SUCCESS) wrong_type(key, *value, "a string");
    return text;
}

std::string_view JsonObject::text_or(std::string_view key, std::string_view otherwise) const {
    return text(key).value_or(otherwise);
}

std::optional<std::int64_t> JsonObject::integer(std::string_view key) const {
    const auto value = find(key);
    if (!value) return std::nullopt;
    const auto whole = as_integer(*value);
    if (!whole) wrong_type(key, *value, "a whole number of at most 64 bits");
    return whole;
}

std::optional<double> JsonObject::number(std::string_view key) const {
    const auto value = find(key);
    if (!value) return std::nullopt;
    double number = 0;
    if (value->get(number) != simdjson::SUCCESS) wrong_type(key, *value, "a number");
    return number;
}

std::optional<bool> JsonObject::boolean(std::string_view key) const {
    const auto value = find(key);
    if (!value) return std::nullopt;
    bool answer = false;
    if (value->get(answer) != simdjson::SUCCESS) wrong_type(key, *value, "true or false");
    return answer;
}

bool JsonObject::boolean_or(std::string_view key, bool otherwise) const { return boolean(key).value_or(otherwise); }

std::optional<heeler::Duration> JsonObject::length(std::string_view key) const {
    const auto value = number(key);
    if (!value) return std::nullopt;
    const auto length = seconds(*value);
    if (!length) wrong_type(key, *find(key), "between 0 and 1e10 seconds");
    return length;
}

std::optional<WrittenTime> JsonObject::time(std::string_view key) const {
    const auto value = find(key);
    if (!value) return std::nullopt;
    double number = 0;
    std::string_view text;
    WrittenTime time;
    if (value->get(number) == simdjson::SUCCESS) time.since_start = moment(number);
    if (value->get(text) == simdjson::SUCCESS) time.date = parse_rfc3339(text);
    if (!time.since_start && !time.date) wrong_type(key, *value, "a number of seconds up to 1e10, or an RFC 3339 date");
    return time;
}

std::string JsonObject::any(std::string_view key) const {
    const auto value = find(key);
    if (!value) return {};
    std::string_view text;
    if (value->get(text) == simdjson::SUCCESS) return std::string{text};
    return simdjson::minify(*value);
}

std::vector<std::string> JsonObject::texts(std::string_view key) const {
    std::vector<std::string> all;
    const auto values = array(key);
    if (!values) return all;
    for (const dom::element value : *values) {
        std::string_view text;
        if (value.get(text) != simdjson::SUCCESS) wrong_type(key, value, "a list of strings");
        all.emplace_back(text);
    }
    return all;
}

std::vector<std::int64_t> JsonObject::integers(std::string_view key) const {
    std::vector<std::int64_t> all;
    const auto values = array(key);
    if (!values) return all;
    for (const dom::element value : *values) {
        const auto whole = as_integer(value);
        if (!whole) wrong_type(key, value, "a list of whole numbers");
        all.push_back(*whole);
    }
    return all;
}

std::optional<JsonObject> JsonObject::object(std::string_view key) const {
    const auto value = find(key);
    if (!value) return std::nullopt;
    dom::object inner;
    if (value->get(inner) != simdjson::SUCCESS) wrong_type(key, *value, "an object");
    return JsonObject{inner};
}

std::optional<dom::array> JsonObject::array(std::string_view key) const {
    const auto value = find(key);
    if (!value) return std::nullopt;
    dom::array inner;
    if (value->get(inner) != simdjson::SUCCESS) wrong_type(key, *value, "a list");
    return inner;
}

JsonObject JsonParser::parse(std::string_view text) {
    dom::element root;
    auto error = parser_.parse(text.data(), text.size()).get(root);
    if (error == simdjson::UTF8_ERROR) {
        const std::string valid = heeler::text::repaired_utf8(text);
        error = parser_.parse(valid).get(root);
    }
    if (error != simdjson::SUCCESS) throw BadLine{std::string{"not JSON: "} + simdjson::error_message(error)};
    dom::object object;
    if (root.get(object) != simdjson::SUCCESS) throw BadLine{"not a JSON object"};
    return JsonObject{object};
}

}  // namespace common
