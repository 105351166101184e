// Reads values of a parsed JSON text that may have any shape: what is missing or of another type is empty. Needs
// simdjson (heeler::json).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include <heeler/core/time.hpp>
#include <heeler/text/rfc3339.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// A value, or nothing. Valid as long as its parser does not parse again.
class JsonValue {
public:
    JsonValue() = default;
    explicit JsonValue(simdjson::dom::element element) : element_{element} {}

    [[nodiscard]] explicit operator bool() const noexcept { return element_.has_value(); }

    [[nodiscard]] JsonValue operator[](std::string_view key) const {
        simdjson::dom::object object;
        simdjson::dom::element found;
        if (!element_ || element_->get(object) != simdjson::SUCCESS) return {};
        if (object.at_key(key).get(found) != simdjson::SUCCESS || found.is_null()) return {};
        return JsonValue{found};
    }

    [[nodiscard]] std::string_view text() const {
        std::string_view found;
        if (!element_ || element_->get(found) != simdjson::SUCCESS) return {};
        return found;
    }
    [[nodiscard]] std::int64_t integer() const {
        std::int64_t found = 0;
        if (element_ && element_->get(found) == simdjson::SUCCESS) return found > 0 ? found : 0;
        return 0;
    }
    [[nodiscard]] double number() const {
        double found = 0;
        if (element_ && element_->get(found) == simdjson::SUCCESS) return found > 0 ? found : 0;
        return 0;
    }
    [[nodiscard]] std::optional<bool> boolean() const {
        bool found = false;
        if (!element_ || element_->get(found) != simdjson::SUCCESS) return std::nullopt;
        return found;
    }
    [[nodiscard]] bool is_true() const { return boolean().value_or(false); }
    [[nodiscard]] bool is_text() const { return element_ && element_->is_string(); }
    [[nodiscard]] bool is_object() const { return element_ && element_->is_object(); }
    [[nodiscard]] bool is_array() const { return element_ && element_->is_array(); }

    /// A text as it is, anything else as JSON; empty if there is nothing.
    [[nodiscard]] std::string written() const {
        if (!element_) return {};
        return is_text() ? std::string{text()} : simdjson::minify(*element_);
    }

    /// RFC 3339, also without a zone (UTC), or seconds or milliseconds since 1970. What is none is no time.
    [[nodiscard]] std::optional<WallTime> time() const {
        if (is_text()) {
            const auto found = text::parse_timestamp(text());
            return found && *found > WallTime{} ? found : std::nullopt;
        }
        constexpr std::int64_t year_5138 = 100'000'000'000;  // in seconds; a larger number counts milliseconds
        const std::int64_t since_1970 = integer();
        if (since_1970 <= 0 || since_1970 / 1000 >= year_5138) return std::nullopt;
        return since_1970 < year_5138 ? WallTime{std::chrono::seconds{since_1970}}
                                      : WallTime{std::chrono::milliseconds{since_1970}};
    }

    template <class Each>
    void each(Each each) const {
        simdjson::dom::array array;
        if (!element_ || element_->get(array) != simdjson::SUCCESS) return;
        for (const simdjson::dom::element item : array) each(JsonValue{item});
    }

    template <class Each>
    void each_member(Each each) const {
        simdjson::dom::object object;
        if (!element_ || element_->get(object) != simdjson::SUCCESS) return;
        for (const auto& [key, value] : object) each(key, JsonValue{value});
    }

private:
    std::optional<simdjson::dom::element> element_;
};

/// The content of a message or a result: a text, or blocks of which those with a `text` are joined by line ends.
[[nodiscard]] inline std::string text_of_blocks(const JsonValue& content) {
    if (content.is_text()) return std::string{content.text()};
    std::string joined;
    content.each([&](const JsonValue& block) {
        const std::string_view text = block.is_text() ? block.text() : block["text"].text();
        if (text.empty()) return;
        if (!joined.empty()) joined += '\n';
        joined += text;
    });
    if (joined.empty() && content.is_object()) joined = content["text"] ? content["text"].written() : content.written();
    return joined;
}

[[nodiscard]] inline bool is_one_of(std::string_view text, std::initializer_list<std::string_view> known) noexcept {
    for (const std::string_view each : known)
        if (each == text) return true;
    return false;
}

}  // namespace heeler::inline HEELER_ABI::detail
