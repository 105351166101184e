// A command line as it is shown and stored: without the secrets that were given to the command.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/text/redact.hpp>
#include <heeler/text/sanitise.hpp>

namespace supervise {

/// Words that a shell would take apart are in quotes, so that a value is redacted to its end.
[[nodiscard]] inline std::string command_text(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += ' ';
        const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\") == std::string_view::npos;
        const char quote = word.find('\'') == std::string_view::npos ? '\'' : '"';
        text += plain ? word : quote + word + quote;  // for people: not to be run again
    }
    return heeler::text::sanitise(heeler::text::redact(text), std::numeric_limits<std::size_t>::max());
}

}  // namespace supervise
