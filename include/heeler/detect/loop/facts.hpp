// What the loop detector knows of a tool call and of its result: numbers that are computed from the text alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/core/last_value.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/text/combine.hpp>

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
    std::string tools{};  ///< a glob for names: `*` is any text, `?` one character
    ToolTreatment treatment = ToolTreatment::as_named;
    std::uint32_t repeats = 0;  ///< equal calls with equal outcomes that are a loop; 0: the detector's own counts
};

namespace loops {

using Overrides = List<ToolRule>;

enum class CallKind : std::uint8_t { read, write, wait };

[[nodiscard]] constexpr CallKind last_value(CallKind) noexcept { return CallKind::wait; }

/// The first words and numbers of a call's arguments as sorted, distinct hashes.
struct TokenSet {
    static constexpr std::size_t most = 48;

    std::uint16_t tokens[most]{};
    std::uint8_t count = 0;

    [[nodiscard]] constexpr bool has(std::uint16_t token) const noexcept {
        for (std::size_t i = 0; i < size() && tokens[i] <= token; ++i)
            if (tokens[i] == token) return true;
        return false;
    }
    /// Whatever a store says, nothing is read beyond the end.
    [[nodiscard]] constexpr std::size_t size() const noexcept { return count < most ? count : most; }
    /// Of more than fit, the smallest stay: which ones does not depend on the order in which they come.
    constexpr void add(std::uint16_t token) noexcept {
        std::size_t place = count;
        while (place > 0 && tokens[place - 1] >= token) --place;
        if (place < count && tokens[place] == token) return;
        if (place == most) return;
        std::size_t last = count < most ? count++ : most - 1;
        for (; last > place; --last) tokens[last] = tokens[last - 1];
        tokens[place] = token;
    }
};

/// How many tokens the two share.
[[nodiscard]] constexpr std::uint32_t common_tokens(const TokenSet& a, const TokenSet& b) noexcept {
    std::size_t i = 0, j = 0;
    std::uint32_t common = 0;
    while (i < a.size() && j < b.size()) {
        const std::uint16_t left = a.tokens[i], right = b.tokens[j];
        common += left == right ? 1 : 0;
        i += left <= right ? 1 : 0;
        j += right <= left ? 1 : 0;
    }
    return common;
}

/// Whether the two share at least `numerator / denominator` of all their tokens; two empty sets do.
[[nodiscard]] constexpr bool are_alike(const TokenSet& a, const TokenSet& b, std::uint32_t numerator,
                                       std::uint32_t denominator) noexcept {
    const std::uint32_t common = common_tokens(a, b);
    const auto all = static_cast<std::uint32_t>(a.size() + b.size()) - common;
    return all == 0 || common * denominator >= all * numerator;
}

/// What is kept of a call until its result comes. Hashes of what is absent are 0.
struct CallNumbers {
    std::uint32_t typed = 0;     ///< of name and arguments; times, ids and the like masked
    std::uint32_t shape = 0;     ///< the same with all digits masked besides
    std::uint32_t tool = 0;      ///< of the name
    std::uint32_t verb = 0;      ///< of the name and the first word of the command
    std::uint32_t resource = 0;  ///< reads with a span: of everything but the span; commands: but for what they name
    std::uint32_t file = 0;      ///< edits: of the path
    std::uint32_t old_text = 0;  ///< edits: of what is replaced
    std::uint32_t new_text = 0;  ///< edits: of what replaces it
    std::uint32_t whole = 0;     ///< edits: of a file's whole new content
    std::uint32_t command = 0;   ///< of the first line of a command, as a terminal prints it again
    CallKind kind = CallKind::read;
    bool nop : 1 = false;         ///< a command that does nothing
    bool clock : 1 = false;       ///< asks for the time or a random number
    bool status : 1 = false;      ///< a command that asks how far something has come
    bool search : 1 = false;      ///< looks for something: an empty answer says something
    bool shell : 1 = false;       ///< has a command
    bool long_shell : 1 = false;  ///< a command of more than 80 characters
    bool has_span : 1 = false;    ///< reads a part: lines from to, a page, from an offset on
    bool exempt : 1 = false;      ///< the host says that it is not to be judged
    bool declared : 1 = false;    ///< the host has said what kind it is
    bool has_path : 1 = false;    ///< names a file or folder
    std::uint8_t rule = 0;        ///< which of the host's rules fits, from 1; 0: none, or beyond the 255th
    bool wordless : 1 = false;    ///< its tokens were given up
    std::uint16_t name = 0;       ///< the token that the tool's name is, where it is one word
};

/// A call.
struct CallFacts : CallNumbers {
    std::uint32_t exact = 0;  ///< as `typed`, but without free text and volatile keys only
    TokenSet tokens{};
};

/// One line of a result: where it stands in the text, what its words say, and its hashes.
struct LineFacts {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    std::uint16_t said = 0;  ///< `Said`
    bool begins_with_exception = false;
    std::uint32_t shape = 0;  ///< all digits masked; of the first and the last lines only, and of those with letters
    std::uint64_t typed = 0;  ///< times and ids masked
    std::uint64_t timed = 0;  ///< only times masked
};

/// Hashes of a text that lines can be taken off at both ends: the sum of the lines' hashes, each times a power of an
/// odd number.
struct LineSum {
    std::uint64_t typed = 0;
    std::uint64_t timed = 0;
};

/// A result, before anything is known about its call or about what stands around every result of its run. Lines that
/// are blank do not count, nor does what a harness tells the agent in `<system-reminder>`.
struct ResultFacts {
    static constexpr std::size_t head_lines = 8;
    static constexpr std::size_t tail_lines = 4;
    static constexpr std::size_t hashed_lines = 64;

    LineFacts head[head_lines]{};  ///< the first lines
    LineFacts tail[tail_lines]{};  ///< the last ones, the very last one first
    LineSum sum{};                 ///< of all lines
    std::uint64_t sha = 0;         ///< of `output_sha`, part of every hash of the result; 0: absent
    std::uint32_t lines = 0;
    std::uint32_t length = 0;        ///< bytes of the lines, and one for each break between them
    std::uint32_t measures = 0;      ///< durations that were measured; not in lines that say how it went
    std::uint64_t measured = 0;      ///< of these
    std::uint32_t strong_lines = 0;  ///< of the searched lines, with a word of failure
    LineFacts error_line{};          ///< the first searched line behind `head` that tells of a failure
    LineFacts exception_line{};      ///< the last searched line that begins with an exception's name
    bool has_error_line = false;
    bool has_exception_line = false;
    bool has_traceback = false;
    bool failed = false;     ///< the host says so, or an exit code in the text where the host does not know
    bool succeeded = false;  ///< likewise
    std::uint8_t hashed = 0;
    std::uint32_t shapes[hashed_lines]{};  ///< of the first lines with at least 6 letters, digits masked

    /// What some or all (`sum`) of its lines tell, whatever time it is.
    [[nodiscard]] constexpr std::uint32_t told(const LineSum& some) const noexcept {
        return static_cast<std::uint32_t>(text::combine(some.timed, sha));
    }
};

}  // namespace loops

}  // namespace heeler::inline HEELER_ABI
