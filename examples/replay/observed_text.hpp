// What a run was told or said, in a few words: sanitised, redacted, on one line.
#pragma once

#include <string>
#include <string_view>

#include <heeler/core/observation.hpp>

namespace replay {

/// The beginning. A secret that was cut short is not recognised, so it is taken out before the text is cut.
[[nodiscard]] std::string short_text(std::string_view text, std::size_t most);

/// "a call", "a result", and so on.
[[nodiscard]] std::string_view kind_of(const heeler::Observation& seen);

/// The text of a call, a result, a message or output; empty: it has none.
[[nodiscard]] std::string text_of(const heeler::Observation& seen, std::size_t most);

}  // namespace replay
