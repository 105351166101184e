// Takes secrets out of text before it is stored or shown: keys, tokens, passwords, and values that the host names.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI::detail {
struct Span;
}

namespace heeler::inline HEELER_ABI::text {

/// Takes secrets out of text: by their shape, and the exact values it was given. Copies are independent; const calls
/// may come from any thread.
class Redactor {
public:
    /// Adds a value that must never be shown. `invalid_argument` below 4 bytes: such a value is found everywhere.
    Result<void> add(std::string_view value);

    /// `text` with every secret replaced by `[redacted]`. Linear in `text`. Who reads it sees no controls and nothing
    /// invisible, and knows a letter with an accent, so secrets are looked for in what is left without them.
    [[nodiscard]] std::string redact(std::string_view text) const;

    /// What may be stored of a run's output: sanitised, redacted, and of that the last `keep` characters behind a note
    /// of how much is missing.
    [[nodiscard]] std::string evidence_text(std::string_view text, std::size_t keep = 4000) const;

private:
    struct Seen;
    struct Plain;

    void keep(std::string_view value);
    void add_exact(std::string_view text, List<detail::Span>& spans) const;
    /// `clean`: what was seen last that held no secret; it is not looked through again.
    template <class See>
    [[nodiscard]] std::string redact_seen(std::string_view text, See see, std::string& clean) const;

    std::vector<std::string> values_;
    bool starts_[256]{};
};

/// `Redactor::redact` for secrets that are known by their shape alone.
[[nodiscard]] std::string redact(std::string_view text);

/// `sanitise(text, cap_bytes)` without secrets. They are looked for before it is cut, so that none is cut in two.
[[nodiscard]] std::string redacted(std::string_view text, std::size_t cap_bytes);

/// `Redactor::evidence_text` for secrets that are known by their shape alone.
[[nodiscard]] std::string evidence_text(std::string_view text, std::size_t keep = 4000);

}  // namespace heeler::inline HEELER_ABI::text

#ifndef HEELER_COMPILED
#include <heeler/text/redact-inl.hpp>
#endif
