// Reads the numbers in a record that this library wrote for itself, one after the other.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/text/append.hpp>

namespace heeler::inline HEELER_ABI::text {

/// Those of one member of an object that `JsonLine` wrote, whatever brackets stand between them: `"rows":[[1,null]]`,
/// or in a text, with blanks between them: `"names":"1f a0"`. What is neither a number nor null ends it. The record
/// must live longer.
class RecordNumbers {
public:
    RecordNumbers(const std::string& record, std::string_view member, int base = 10) : base_{base} {
        const std::string key = text::concat("\"", member, "\":");
        if (const auto at = record.find(key); at != std::string::npos) next_ = record.c_str() + at + key.size();
        next_ += *next_ == '"' ? 1 : std::strspn(next_, "[");
    }

    RecordNumbers(std::string&&, std::string_view, int = 10) = delete;

    [[nodiscard]] bool over() const noexcept { return std::strchr("\"}", *next_) != nullptr; }  // or nothing is left

    /// All 64 bits count. Absent: null, or it is over.
    [[nodiscard]] std::optional<std::int64_t> next() {
        char* end = nullptr;
        errno = 0;
        const auto number = static_cast<std::int64_t>(std::strtoull(next_, &end, base_));  // negative ones wrap around
        const bool good = end != next_ && errno != ERANGE;
        next_ = good ? end : std::strncmp(next_, "null", 4) == 0 ? next_ + 4 : "";
        next_ += std::strspn(next_, "[], ");
        return good ? std::optional{number} : std::nullopt;
    }

private:
    const char* next_ = "";
    int base_;
};

}  // namespace heeler::inline HEELER_ABI::text
