// Makes lines of a scenario of what a coding agent wrote about its own session.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "input.hpp"

namespace replay {

/// A transcript in the words of a scenario.
struct TranscriptInput {
    std::string format;            // empty: the input is no transcript, and `lines` is what came in
    std::vector<InputLine> lines;  // each with the number of the line that it comes from
    std::vector<std::string> notes;
};

/// Looks at the content alone. What cannot be read of a transcript stays a line as it is, so that it is reported and
/// counted like any other bad line.
[[nodiscard]] TranscriptInput from_transcript(std::vector<InputLine> lines);

/// The names of the formats, separated by commas.
[[nodiscard]] std::string transcript_formats();

}  // namespace replay
