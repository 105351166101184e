// A run as it was recorded or made up: what happened, and what a person says about it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detection {

/// One line of a recording.
struct Happening {
    enum class Kind : std::uint8_t { call, result, assistant, thinking, user, output, compaction, other };

    Kind kind = Kind::other;
    double at = 0;  ///< seconds since the start
    std::string name{};
    std::string text{};  ///< arguments, answer, what was said
    std::string call_id{};
    std::string sha{};
    std::optional<bool> ok{};
};

/// What a person who read the run says.
struct Label {
    bool loop = false;
    bool uncertain = false;
    std::size_t first = 0;  ///< of a loop: the line (from 0) with which one could have known
    std::string kind{};
};

struct Recording {
    std::string source{};
    std::string name{};
    std::vector<Happening> lines{};
    std::optional<Label> label{};

    [[nodiscard]] std::string id() const { return source + "/" + name; }
};

/// How many calls were made up to and with this line.
[[nodiscard]] std::size_t calls_until(const Recording& run, std::size_t line);

/// What a harness may put around what happened, and what must change nothing: a constant line before or after every
/// result, other line ends, tools with names that say nothing, all times later.
enum class Disguise : std::uint8_t { none, warning, footer, carriage_returns, opaque_names, later };

inline constexpr std::array<std::string_view, 6> disguise_names{"none",         "warning", "footer", "carriage_returns",
                                                                "opaque_names", "later"};

[[nodiscard]] Recording disguised(Recording run, Disguise disguise);

/// Reads every `*.jsonl` and `*.jsonl.gz` below `folder/runs`, sorted by name, and the labels in
/// `folder/labels*.jsonl`. Throws `std::runtime_error` for what cannot be read at all.
[[nodiscard]] std::vector<Recording> read_recordings(const std::string& folder);

}  // namespace detection
