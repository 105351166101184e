// What a request says: who acts, and the JSON of its body, read by key and type.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

namespace tracker {

/// A view of an object inside a `Body`. Whatever has the wrong type throws `Refused`, in one sentence.
class JsonObject {
public:
    explicit JsonObject(simdjson::dom::object object) : object_{object} {}

    /// Also if it is null.
    [[nodiscard]] bool has(std::string_view key) const;
    /// Empty if it is missing or null.
    [[nodiscard]] std::string text(std::string_view key) const;
    /// Refused if it is missing, null or empty.
    [[nodiscard]] std::string needed(std::string_view key) const;
    [[nodiscard]] bool flag(std::string_view key) const;
    [[nodiscard]] std::optional<JsonObject> object(std::string_view key) const;
    [[nodiscard]] std::vector<JsonObject> objects(std::string_view key) const;

private:
    [[nodiscard]] std::optional<simdjson::dom::element> find(std::string_view key) const;
    [[nodiscard]] std::optional<simdjson::dom::array> array(std::string_view key) const;

    simdjson::dom::object object_;
};

/// One parsed text: a JSON object, or nothing at all, which reads as `{}`.
class Body {
public:
    explicit Body(std::string_view text);

    [[nodiscard]] JsonObject object() const { return JsonObject{object_}; }

private:
    simdjson::dom::parser parser_;
    simdjson::dom::object object_;
};

}  // namespace tracker
