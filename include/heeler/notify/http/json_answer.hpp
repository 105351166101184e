// What a server answered as JSON, by the places of its values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Of an answer that is no JSON everything is missing. Places are JSON pointers: "/parameters/retry_after".
class JsonAnswer {
public:
    explicit JsonAnswer(const std::string& body) {
        good_ = parser_.parse(simdjson::padded_string{body}).get(root_) == simdjson::SUCCESS;
    }
    JsonAnswer(const JsonAnswer&) = delete;
    JsonAnswer& operator=(const JsonAnswer&) = delete;

    /// Empty where there is no such text. Lives as long as this.
    [[nodiscard]] std::string_view text(std::string_view place) const {
        std::string_view value;
        return at(place).get(value) == simdjson::SUCCESS ? value : std::string_view{};
    }

    /// 0 where there is no such number.
    [[nodiscard]] std::int64_t number(std::string_view place) const {
        std::int64_t value = 0;
        return at(place).get(value) == simdjson::SUCCESS ? value : 0;
    }

    [[nodiscard]] bool truth(std::string_view place) const {
        bool value = false;
        return at(place).get(value) == simdjson::SUCCESS && value;
    }

    /// How many elements the list has that is the whole answer; nothing if the answer is no list.
    [[nodiscard]] std::optional<std::size_t> size() const {
        simdjson::dom::array list;
        if (!good_ || root_.get(list) != simdjson::SUCCESS) return std::nullopt;
        return list.size();
    }

private:
    [[nodiscard]] simdjson::simdjson_result<simdjson::dom::element> at(std::string_view place) const {
        if (!good_) return simdjson::NO_SUCH_FIELD;
        return root_.at_pointer(place);
    }

    simdjson::dom::parser parser_;
    simdjson::dom::element root_;
    bool good_ = false;
};

}  // namespace heeler::inline HEELER_ABI::detail
