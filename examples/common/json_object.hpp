// One parsed JSON object, read by key and type; whatever has the wrong type is said in one sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include <heeler/core/time.hpp>

namespace common {

/// What is wrong with a line. Thrown while it is read, and caught where lines are counted.
struct BadLine : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What somebody wrote, for a sentence about it.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// A time as written: seconds since the start, or a date.
struct WrittenTime {
    std::optional<heeler::Duration> since_start;
    std::optional<heeler::WallTime> date;
};

/// A date as it is, anything else from `epoch` on.
[[nodiscard]] heeler::WallTime wall_of(const WrittenTime& time, heeler::WallTime epoch);

/// A view of an object inside a `JsonParser`, valid until it parses again. A missing key and a `null` read the same
/// unless `has` is asked.
class JsonObject {
public:
    explicit JsonObject(simdjson::dom::object object) : object_{object} {}

    [[nodiscard]] bool has(std::string_view key) const;
    [[nodiscard]] std::optional<std::string_view> text(std::string_view key) const;
    [[nodiscard]] std::string_view text_or(std::string_view key, std::string_view otherwise) const;
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key) const;
    [[nodiscard]] std::optional<double> number(std::string_view key) const;
    [[nodiscard]] std::optional<bool> boolean(std::string_view key) const;
    [[nodiscard]] bool boolean_or(std::string_view key, bool otherwise) const;
    [[nodiscard]] std::optional<heeler::Duration> length(std::string_view key) const;
    [[nodiscard]] std::optional<WrittenTime> time(std::string_view key) const;
    /// A text as it is, anything else as compact JSON; empty if missing.
    [[nodiscard]] std::string any(std::string_view key) const;
    [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
    [[nodiscard]] std::vector<std::int64_t> integers(std::string_view key) const;
    [[nodiscard]] std::optional<JsonObject> object(std::string_view key) const;
    [[nodiscard]] std::optional<simdjson::dom::array> array(std::string_view key) const;

    [[nodiscard]] simdjson::dom::object fields() const { return object_; }

    [[noreturn]] static void wrong_type(std::string_view key, simdjson::dom::element value, std::string_view wanted);

private:
    [[nodiscard]] std::optional<simdjson::dom::element> find(std::string_view key) const;

    simdjson::dom::object object_;
};

/// Parses one text after the other.
class JsonParser {
public:
    /// The object in `text`. Bytes that are not UTF-8 become U+FFFD. Throws `BadLine`.
    [[nodiscard]] JsonObject parse(std::string_view text);

private:
    simdjson::dom::parser parser_;
};

}  // namespace common
