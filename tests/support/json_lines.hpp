// Lines of JSON as tests compare them: subsets of objects, parts of texts.
#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <simdjson.h>

namespace heeler_test {

namespace dom = simdjson::dom;

/// A line of JSON and what it says; never moved, since the value points into its parser.
struct Line {
    explicit Line(std::string written) : text{std::move(written)} {
        dom::element root;
        if (parser.parse(text).get(root) != simdjson::SUCCESS || root.get(object) != simdjson::SUCCESS)
            throw std::runtime_error{"not a JSON object: " + text};
    }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    [[nodiscard]] std::optional<dom::element> find(std::string_view key) const {
        dom::element value;
        if (object.at_key(key).get(value) != simdjson::SUCCESS) return std::nullopt;
        return value;
    }
    [[nodiscard]] std::string string_at(std::string_view key) const {
        const auto value = find(key);
        std::string_view content;
        return value && value->get(content) == simdjson::SUCCESS ? std::string{content} : std::string{};
    }
    [[nodiscard]] double number_at(std::string_view key, double otherwise) const {
        const auto value = find(key);
        double number = otherwise;
        if (value && value->get(number) != simdjson::SUCCESS) number = otherwise;
        return number;
    }

    std::string text;
    dom::parser parser;
    dom::object object;
};

// ----------------------------------------------------------------------------------------------------------

inline bool matches(dom::element wanted, dom::element got);

/// `{"~": "part"}` stands for any text that holds the part.
inline std::optional<std::string_view> wanted_part(dom::object wanted) {
    std::string_view part;
    if (wanted.size() != 1 || wanted.at_key("~").get(part) != simdjson::SUCCESS) return std::nullopt;
    return part;
}

/// `"=keys"` lists all keys that there are, in their order.
inline bool keys_match(dom::array wanted, dom::object got) {
    if (wanted.size() != got.size()) return false;
    auto field = got.begin();
    for (const dom::element key : wanted) {
        if (field.key() != std::string_view{key}) return false;
        ++field;
    }
    return true;
}

/// Every key of `wanted` is in `got` and matches there; `{"absent": true}` stands for a key that is not there.
inline bool object_matches(dom::object wanted, dom::object got) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const dom::key_value_pair& each) {
        if (each.key == "=keys") return keys_match(each.value, got);
        dom::element value;
        const bool present = got.at_key(each.key).get(value) == simdjson::SUCCESS;
        if (dom::object inner; each.value.get(inner) == simdjson::SUCCESS && inner.size() == 1)
            if (bool absent = false; inner.at_key("absent").get(absent) == simdjson::SUCCESS) return present != absent;
        return present && matches(each.value, value);
    });
}

inline bool array_matches(dom::array wanted, dom::array got) {
    if (wanted.size() != got.size()) return false;
    auto actual = got.begin();
    for (const dom::element each : wanted) {
        if (!matches(each, *actual)) return false;
        ++actual;
    }
    return true;
}

inline bool matches(dom::element wanted, dom::element got) {
    if (dom::object object; wanted.get(object) == simdjson::SUCCESS) {
        if (const auto part = wanted_part(object)) {
            std::string_view text;
            return got.get(text) == simdjson::SUCCESS && text.find(*part) != std::string_view::npos;
        }
        dom::object actual;
        return got.get(actual) == simdjson::SUCCESS && object_matches(object, actual);
    }
    if (dom::array array; wanted.get(array) == simdjson::SUCCESS) {
        dom::array actual;
        return got.get(actual) == simdjson::SUCCESS && array_matches(array, actual);
    }
    double one = 0;
    double other = 0;
    if (wanted.get(one) == simdjson::SUCCESS && got.get(other) == simdjson::SUCCESS) return one == other;
    return simdjson::minify(wanted) == simdjson::minify(got);
}

}  // namespace heeler_test
