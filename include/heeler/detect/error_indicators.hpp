// Looks for words of failure in what a tool answered, where nobody says whether the call worked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <heeler/core/min_max.hpp>
#include <heeler/core/observation.hpp>

namespace heeler::inline HEELER_ABI {

/// What counts as a word of failure, in any case (the session monitor). Plain substrings: "0 errors" contains one.
inline constexpr std::array<std::string_view, 8> error_indicators{
    "error", "exception", "failed", "traceback", "fatal", "cannot", "not found", "permission denied"};

/// Only so much of the beginning of an output is searched.
inline constexpr std::size_t longest_searched_output = 4096;

namespace detail {

[[nodiscard]] constexpr char lower_ascii(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

/// Tells of two neighbouring bytes how far the search may step: 0 if they can end the first five bytes of an
/// indicator, the full step if they are in none of them. Other bytes may look like letters, never the reverse.
class IndicatorSteps {
public:
    static constexpr std::size_t block = 5;  ///< the length of the shortest indicator

    constexpr IndicatorSteps() {
        for (auto& step : steps_) step = block - 1;
        for (const std::string_view indicator : error_indicators)
            for (std::size_t i = 1; i < block; ++i) {
                auto& step = steps_[slot(indicator[i - 1], indicator[i])];
                step = detail::min_of(step, static_cast<std::uint8_t>(block - 1 - i));
            }
    }
    [[nodiscard]] constexpr std::size_t of(char first, char second) const noexcept {
        return steps_[slot(first, second)];
    }

private:
    [[nodiscard]] static constexpr std::size_t slot(char first, char second) noexcept {
        return (static_cast<unsigned char>(first) & 31u) << 5 | (static_cast<unsigned char>(second) & 31u);
    }
    std::uint8_t steps_[1024]{};
};

inline constexpr IndicatorSteps indicator_steps{};

[[nodiscard]] constexpr bool starts_with_indicator(std::string_view text) noexcept {
    const char first = lower_ascii(text.front());
    for (const std::string_view indicator : error_indicators) {
        if (first != indicator.front() || text.size() < indicator.size()) continue;
        std::size_t same = 1;
        while (same < indicator.size() && lower_ascii(text[same]) == indicator[same]) ++same;
        if (same == indicator.size()) return true;
    }
    return false;
}

}  // namespace detail

/// Whether the first 4 KiB of `output` contain a word of failure. Linear, steps over most bytes, never allocates.
[[nodiscard]] constexpr bool has_error_indicator(std::string_view output) noexcept {
    constexpr std::size_t block = detail::IndicatorSteps::block;
    output = output.substr(0, longest_searched_output);
    for (std::size_t end = block; end <= output.size();) {
        const std::size_t step = detail::indicator_steps.of(output[end - 2], output[end - 1]);
        if (step == 0 && detail::starts_with_indicator(output.substr(end - block))) return true;
        end += detail::max_of<std::size_t>(step, 1);
    }
    return false;
}

/// Whether the host says that the call failed or, where it does not know, the tool says so in its first word.
[[nodiscard]] constexpr bool says_failed(const ToolResult& result) noexcept {
    return result.ok ? !*result.ok : result.output.starts_with("Error: ");
}

}  // namespace heeler::inline HEELER_ABI
