// How secrets are found in what is seen of a text, and replaced.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/result.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/secret_finder.hpp>
#include <heeler/text/unseen.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI::detail {

[[nodiscard]] inline bool is_plain(char c) noexcept { return (c >= ' ' && c < '\x7F') || c == '\n' || c == '\t'; }

[[nodiscard]] inline std::string replaced(std::string_view text, List<Span> spans) {
    detail::sort(spans, [](auto a, auto b) { return a.begin < b.begin; });
    std::string out;
    std::size_t shown = 0;
    for (const auto span : spans) {
        if (span.begin > shown || shown == 0) {
            out += text.substr(shown, span.begin - shown);
            out += text::redacted_mark;
        }
        shown = detail::max_of(shown, span.end);
    }
    out += text.substr(shown);
    return out;
}

}  // namespace heeler::inline HEELER_ABI::detail

namespace heeler::inline HEELER_ABI::text {

/// What a reader takes in of a text.
struct Redactor::Seen {
    std::string text{};
    List<std::size_t> places{};  ///< where each of its bytes stands in the text

    /// `sequences`: without what escape sequences take, else only without the control that begins them.
    [[nodiscard]] static Seen of(std::string_view text, bool sequences) {
        Seen seen;
        seen.text.reserve(text.size());
        seen.places.reserve(text.size());
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t begin = at;
            if (detail::is_plain(text[at])) {
                seen.text += text[at];
                seen.places.push_back(at++);
                continue;
            }
            const Decoded next = decode_utf8(text, at);
            at += next.size;
            if (next.value == '\r' && detail::peek(text, at) == '\n') continue;
            const bool line_end = next.value == '\r' || next.value == 0x2028 || next.value == 0x2029;
            const bool control = detail::is_control(next.value) && !line_end && !detail::is_plain(text[begin]);
            if (control && sequences) at = detail::skip_escape(text, at, next.value);
            if (control || detail::is_unseen(next.value) || detail::is_accent(next.value)) continue;
            for (std::size_t byte = line_end ? at - 1 : begin; byte < at; ++byte) {
                seen.text += line_end ? '\n' : text[byte];
                seen.places.push_back(byte);
            }
        }
        return seen;
    }

    [[nodiscard]] std::string_view view() const noexcept { return text; }
    /// With what is not seen in front of it: an escape there would take the mark apart.
    [[nodiscard]] detail::Span place(detail::Span span) const {
        return {span.begin == 0 ? 0 : places[span.begin - 1] + 1, places[span.end - 1] + 1};
    }
};

struct Redactor::Plain {
    std::string_view text;

    [[nodiscard]] std::string_view view() const noexcept { return text; }
    [[nodiscard]] static detail::Span place(detail::Span span) noexcept { return span; }
};

template <class See>
std::string Redactor::redact_seen(std::string_view text, See see, std::string& clean) const {
    std::string shown{text};
    // Where a value stood that had kept its surroundings from being seen, there may be one more secret now.
    for (int round = 0; round < 4; ++round) {
        const auto seen = see(std::string_view{shown});
        List<detail::Span> spans;
        if (seen.view() != clean) spans = detail::SecretFinder(seen.view()).find();
        if (round == 0) add_exact(seen.view(), spans);
        if (spans.empty()) {
            clean = seen.view();
            break;
        }
        for (detail::Span& span : spans) span = seen.place(span);
        shown = detail::replaced(shown, std::move(spans));
    }
    return shown;
}

HEELER_INLINE void Redactor::keep(std::string_view value) {
    starts_[static_cast<unsigned char>(value.front())] = true;
    values_.emplace_back(value);
}

HEELER_INLINE void Redactor::add_exact(std::string_view text, List<detail::Span>& spans) const {
    if (values_.empty()) return;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!starts_[static_cast<unsigned char>(text[at])]) continue;
        for (const auto& value : values_)
            if (text.substr(at).starts_with(value)) spans.push_back({at, at + value.size()});
    }
}

HEELER_INLINE Result<void> Redactor::add(std::string_view value) {
    if (value.size() < 4)
        return fail(ErrorCode::invalid_argument, "a value to redact has " + std::to_string(value.size()) +
                                                     " bytes, at least 4 are needed: leave it out");
    keep(value);
    for (const bool sequences : {true, false})
        if (const auto seen = Seen::of(value, sequences); seen.text.size() >= 4 && seen.text != value) keep(seen.text);
    return {};
}

HEELER_INLINE std::string Redactor::redact(std::string_view text) const {
    std::string clean;
    if (!detail::any_of(text, [](char c) { return !detail::is_plain(c); }))
        return redact_seen(
            text, [](std::string_view t) { return Plain{t}; }, clean);
    // A sequence that a control begins is not seen either, but it may have taken a letter of the secret's; and then
    // what stands in its place now may be seen otherwise.
    std::string shown{text};
    for (const bool sequences : {true, false, true})
        shown = redact_seen(
            shown, [&](std::string_view t) { return Seen::of(t, sequences); }, clean);
    return shown;
}

HEELER_INLINE std::string Redactor::evidence_text(std::string_view text, std::size_t keep) const {
    std::string clean = sanitise(redact(text), std::numeric_limits<std::size_t>::max());
    std::size_t start = clean.size();
    for (std::size_t kept = 0; start > 0 && kept < keep;)
        if (!is_utf8_continuation(clean[--start])) ++kept;
    if (start == 0) return clean;
    return "[... " + std::to_string(start) + " bytes left out ...]\n" + clean.substr(start);
}

HEELER_INLINE std::string redact(std::string_view text) { return Redactor().redact(text); }

HEELER_INLINE std::string redacted(std::string_view text, std::size_t cap_bytes) {
    if (text.size() <= 4 * cap_bytes) return sanitise(redact(text), cap_bytes);
    return sanitise(redact(sanitise(text, 4 * cap_bytes)), cap_bytes);
}

HEELER_INLINE std::string evidence_text(std::string_view text, std::size_t keep) {
    return Redactor().evidence_text(text, keep);
}

}  // namespace heeler::inline HEELER_ABI::text
