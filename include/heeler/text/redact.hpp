// Takes secrets out of text before it is stored or shown: keys, tokens, passwords, and values that the host names.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/secret_finder.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI {

/// Takes secrets out of text: by their shape, and the exact values it was given. Copies are independent; const calls
/// may come from any thread.
class Redactor {
public:
    /// Adds a value that must never be shown. `invalid_argument` below 4 bytes: such a value is found everywhere.
    Result<void> add(std::string_view value) {
        if (value.size() < 4)
            return fail(ErrorCode::invalid_argument, "a value to redact has " + std::to_string(value.size()) +
                                                         " bytes, at least 4 are needed: leave it out");
        keep(value);
        for (const std::string& seen : {cleaned(value), without_controls(value)})
            if (seen.size() >= 4 && seen != value) keep(seen);
        return {};
    }

    /// `text` with every secret replaced by `[redacted]`. Linear in `text`. Who reads it sees no controls and nothing
    /// invisible, so secrets are looked for in what is seen: with one among it, all of the text is sanitised.
    [[nodiscard]] std::string redact(std::string_view text) const {
        if (std::all_of(text.begin(), text.end(), is_plain)) return redact_as_it_is(text);
        // A sequence that a control begins is not seen either, but it may have taken a letter of the secret's.
        for (const std::string& clean : {cleaned(text), without_controls(text)})
            if (std::string shown = redact_as_it_is(clean); shown != clean) return shown;
        return redact_as_it_is(text);
    }

    /// What may be stored of a run's output: sanitised, redacted, and of that the last `keep` characters behind a note
    /// of how much is missing.
    [[nodiscard]] std::string evidence_text(std::string_view text, std::size_t keep = 4000) const {
        std::string clean = redact_as_it_is(cleaned(text));
        std::size_t start = clean.size();
        for (std::size_t kept = 0; start > 0 && kept < keep;)
            if (!is_utf8_continuation(clean[--start])) ++kept;
        if (start == 0) return clean;
        return "[... " + std::to_string(start) + " bytes left out ...]\n" + clean.substr(start);
    }

private:
    void keep(std::string_view value) {
        starts_[static_cast<unsigned char>(value.front())] = true;
        values_.emplace_back(value);
    }

    [[nodiscard]] static std::string cleaned(std::string_view text) {
        return sanitise(text, std::numeric_limits<std::size_t>::max());
    }

    [[nodiscard]] static bool is_plain(char c) noexcept {
        return (c >= ' ' && c < '\x7F') || c == '\n' || c == '\r' || c == '\t';
    }

    [[nodiscard]] static std::string without_controls(std::string_view text) {
        std::string out;
        for (const char c : text)
            if (is_plain(c) || static_cast<unsigned char>(c) >= 0x80) out += c;
        return out;
    }

    [[nodiscard]] std::string redact_as_it_is(std::string_view text) const {
        auto spans = detail::SecretFinder(text).find();
        add_exact(text, spans);
        if (spans.empty()) return std::string{text};
        std::string shown = replaced(text, std::move(spans));
        // Where a value stood that had kept its surroundings from being seen, there may be one more secret now.
        for (int round = 0; round < 3; ++round) {
            auto more = detail::SecretFinder(shown).find();
            if (more.empty()) break;
            shown = replaced(shown, std::move(more));
        }
        return shown;
    }

    [[nodiscard]] static std::string replaced(std::string_view text, std::vector<detail::Span> spans) {
        std::sort(spans.begin(), spans.end(), [](auto a, auto b) { return a.begin < b.begin; });
        std::string out;
        std::size_t shown = 0;
        for (const auto span : spans) {
            if (span.begin > shown || shown == 0) {
                out += text.substr(shown, span.begin - shown);
                out += redacted_mark;
            }
            shown = std::max(shown, span.end);
        }
        out += text.substr(shown);
        return out;
    }

    void add_exact(std::string_view text, std::vector<detail::Span>& spans) const {
        if (values_.empty()) return;
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (!starts_[static_cast<unsigned char>(text[at])]) continue;
            for (const auto& value : values_)
                if (text.substr(at).starts_with(value)) spans.push_back({at, at + value.size()});
        }
    }

    std::vector<std::string> values_;
    std::array<bool, 256> starts_{};
};

/// `Redactor::redact` for secrets that are known by their shape alone.
[[nodiscard]] inline std::string redact(std::string_view text) { return Redactor().redact(text); }

/// `sanitise(text, cap_bytes)` without secrets. They are looked for before it is cut, so that none is cut in two.
[[nodiscard]] inline std::string redacted(std::string_view text, std::size_t cap_bytes) {
    return sanitise(redact(sanitise(text, 4 * cap_bytes)), cap_bytes);
}

/// `Redactor::evidence_text` for secrets that are known by their shape alone.
[[nodiscard]] inline std::string evidence_text(std::string_view text, std::size_t keep = 4000) {
    return Redactor().evidence_text(text, keep);
}

}  // namespace heeler::inline HEELER_ABI
