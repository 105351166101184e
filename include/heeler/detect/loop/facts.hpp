// What the loop detector knows of a tool call and of its result: numbers that are computed from the text alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/last_value.hpp>
#include <heeler/core/observation.hpp>

namespace heeler::inline HEELER_ABI {

/// How calls of a tool are treated, whatever its name and its arguments look like.
enum class ToolTreatment : std::uint8_t {
    as_named,  ///< by the word tables
    read,      ///< looks at something
    write,     ///< changes something
    poll,      ///< asks again and again for something that takes its time: judged by time, never by count
    wait,      ///< does nothing but wait
    exempt,    ///< not judged at all
};

[[nodiscard]] constexpr ToolTreatment last_value(ToolTreatment) noexcept { return ToolTreatment::exempt; }

/// What a host knows better about its tools. The first rule that fits a name counts.
struct ToolRule {
    std::string tools{};  ///< a tool's name; `*` stands for any characters, case does not matter
    ToolTreatment treatment = ToolTreatment::as_named;
    std::uint32_t repeats = 0;  ///< equal calls with equal outcomes that are a loop; 0: the detector's own counts
};

namespace loops {

using Overrides = std::vector<ToolRule>;

enum class CallKind : std::uint8_t { read, write, wait };

[[nodiscard]] constexpr CallKind last_value(CallKind) noexcept { return CallKind::wait; }

/// The first words and numbers of a call's arguments as sorted, distinct hashes.
struct TokenSet {
    static constexpr std::size_t most = 48;

    std::array<std::uint16_t, most> tokens{};
    std::uint8_t count = 0;

    [[nodiscard]] bool has(std::uint16_t token) const noexcept;
};

/// Whether the two share at least `numerator / denominator` of all their tokens; two empty sets do.
[[nodiscard]] bool are_alike(const TokenSet& a, const TokenSet& b, std::uint32_t numerator,
                             std::uint32_t denominator) noexcept;

/// A call. Hashes of what is absent are 0.
struct CallFacts {
    std::uint32_t exact = 0;     ///< of name and arguments without free text and volatile keys
    std::uint32_t typed = 0;     ///< the same with times, ids and the like masked
    std::uint32_t shape = 0;     ///< the same with all digits masked besides
    std::uint32_t tool = 0;      ///< of the name
    std::uint32_t verb = 0;      ///< of the name and the first word of the command
    std::uint32_t resource = 0;  ///< reads with a span: of everything but the span
    std::uint32_t file = 0;      ///< edits: of the path
    std::uint32_t old_text = 0;  ///< edits: of what is replaced
    std::uint32_t new_text = 0;  ///< edits: of what replaces it
    std::uint32_t whole = 0;     ///< edits: of a file's whole new content
    CallKind kind = CallKind::read;
    bool nop : 1 = false;         ///< a command that does nothing
    bool clock : 1 = false;       ///< asks for the time or a random number
    bool search : 1 = false;      ///< looks for something: an empty answer says something
    bool shell : 1 = false;       ///< has a command
    bool long_shell : 1 = false;  ///< a command of more than 80 characters
    bool has_span : 1 = false;    ///< reads a part: lines from to, a page, from an offset on
    bool exempt : 1 = false;      ///< the host says that it is not to be judged
    bool declared : 1 = false;    ///< the host has said what kind it is
    std::uint8_t rule = 0;        ///< which of the host's rules fits, from 1; 0: none, or beyond the 255th
    TokenSet tokens{};
};

/// One line of a result: where it stands in the text, and its hashes.
struct LineFacts {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    std::uint32_t index = 0;  ///< among the lines that are not blank
    std::uint16_t letters = 0;
    std::uint16_t words = 0;  ///< which tables had a word in it: `Said`
    std::uint64_t typed = 0;  ///< times, ids and the like masked
    std::uint64_t timed = 0;  ///< only times masked
    std::uint64_t shape = 0;  ///< all digits masked
};

/// Hashes of a text that lines can be taken off at both ends: sums of line hashes, each times a power of a number.
struct LineSum {
    std::uint64_t typed = 0;
    std::uint64_t timed = 0;
    std::uint64_t shape = 0;
};

/// A result, before anything is known about its call or about what stands around every result of its run.
struct ResultFacts {
    static constexpr std::size_t head_lines = 8;
    static constexpr std::size_t tail_lines = 4;

    std::array<LineFacts, head_lines> head{};  ///< the first lines that are not blank
    std::array<LineFacts, tail_lines> tail{};  ///< the last ones, the newest first; may be the same as the first
    LineSum sum{};                             ///< of all lines
    std::uint64_t sha = 0;                     ///< of `output_sha`; 0: absent. Part of every hash of the result
    std::uint32_t lines = 0;                   ///< that are not blank
    std::uint32_t length = 0;                  ///< from the first such line to the end of the last one
    std::uint32_t strong_lines = 0;            ///< searched lines with a strong word
    LineFacts error_line{};                    ///< the first searched line behind `head` that tells of an error
    LineFacts exception_line{};                ///< the last searched line that begins with an exception's name
    bool has_error_line = false;
    bool has_exception_line = false;
    bool failed = false;     ///< the host says so
    bool succeeded = false;  ///< the host says so
};

[[nodiscard]] CallFacts facts_of(const ToolCall& call, const Overrides& overrides) noexcept;
[[nodiscard]] ResultFacts facts_of(const ToolResult& result) noexcept;

}  // namespace loops

}  // namespace heeler::inline HEELER_ABI
