#include "request.hpp"

#include "tracker.hpp"

namespace tracker {
namespace {

[[noreturn]] void wrong(std::string_view key, const char* wanted) {
    throw Refused{400, "'" + std::string{key} + "' must be " + wanted};
}

}  // namespace

std::optional<simdjson::dom::element> JsonObject::find(std::string_view key) const {
    simdjson::dom::element value;
    if (object_[key].get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
    return value;
}

bool JsonObject::has(std::string_view key) const { return object_[key].error() == simdjson::SUCCESS; }

std::optional<simdjson::dom::array> JsonObject::array(std::string_view key) const {
    const auto value = find(key);
    if (!value) return std::nullopt;
    simdjson::dom::array list;
    if (value->get(list) != simdjson::SUCCESS) wrong(key, "a list");
    return list;
}

std::string JsonObject::text(std::string_view key) const {
    const auto value = find(key);
    if (!value) return {};
    std::string_view text;
    if (value->get(text) != simdjson::SUCCESS) wrong(key, "a text");
    return std::string{text};
}

std::string JsonObject::needed(std::string_view key) const {
    std::string value = text(key);
    if (value.empty()) throw Refused{400, "'" + std::string{key} + "' is missing"};
    return value;
}

bool JsonObject::flag(std::string_view key) const {
    const auto value = find(key);
    bool set = false;
    if (value && value->get(set) != simdjson::SUCCESS) wrong(key, "true or false");
    return set;
}

std::optional<JsonObject> JsonObject::object(std::string_view key) const {
    const auto value = find(key);
    if (!value) return std::nullopt;
    simdjson::dom::object inner;
    if (value->get(inner) != simdjson::SUCCESS) wrong(key, "an object");
    return JsonObject{inner};
}

std::vector<JsonObject> JsonObject::objects(std::string_view key) const {
    std::vector<JsonObject> found;
    if (const auto list = array(key))
        for (const simdjson::dom::element each : *list) {
            simdjson::dom::object inner;
            if (each.get(inner) != simdjson::SUCCESS) wrong(key, "a list of objects");
            found.emplace_back(inner);
        }
    return found;
}

Body::Body(std::string_view text) {
    const bool blank = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
    const simdjson::padded_string padded{blank ? std::string_view{"{}"} : text};
    simdjson::dom::element root;
    if (const auto error = parser_.parse(padded).get(root); error != simdjson::SUCCESS)
        throw Refused{400, std::string{"the body is no JSON: "} + simdjson::error_message(error)};
    if (root.get(object_) != simdjson::SUCCESS) throw Refused{400, "the body must be a JSON object"};
}

}  // namespace tracker
