// An operator's silence: which alerts are put on record instead of being sent, until when, and what is wrong with one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/alert/group.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/shown_name.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI {

inline constexpr Duration longest_silence = std::chrono::hours{24 * 30};
inline constexpr std::size_t longest_because = 512;  ///< bytes

namespace detail {

/// One text of a silence: valid UTF-8 without control characters, of at most `most` bytes.
[[nodiscard]] inline Result<void> check_word(std::string_view what, std::string_view text, std::size_t most) {
    const auto refuse = [&](const std::string& why) {
        return detail::invalid(
            text::concat("the ", what, " of the silence, \"", text::redact(text::shown_name(text, 96)), "\", ", why));
    };
    if (text.size() > most)
        return refuse(text::concat("has ", std::to_string(text.size()), " bytes, the limit is ", std::to_string(most),
                                   ": shorten it"));
    for (std::size_t at = 0; at < text.size();) {
        const auto next = text::decode_utf8(text, at);
        if (!next.valid) return refuse("is not valid UTF-8: write it anew");
        if (is_control(next.value)) return refuse("contains a control character: remove it");
        at += next.size;
    }
    return {};
}

/// Alerts that are not about a run are not silenced: they say that the watchdog itself is not well.
[[nodiscard]] inline bool is_about_watchdogs(std::string_view kind) noexcept {
    return kind.starts_with("watchdog.") || kind.starts_with("orchestrator.") || kind.starts_with("mail.") ||
           kind.starts_with("fleet.");
}

[[nodiscard]] inline Result<void> check_match(const AlertMatch& about) {
    if (about.empty())
        return detail::invalid(
            "the silence does not say what it is about: name at least one of run, class, tag, kind and at-most "
            "(none, warning or critical)");
    constexpr std::size_t longest = 256;
    for (const auto& [what, text] : {std::pair<std::string_view, const std::string&>{"run", about.run},
                                     {"class", about.class_name},
                                     {"tag", about.tag},
                                     {"kind", about.kind}})
        if (auto good = check_word(what, text, longest); !good) return good;
    if (is_about_watchdogs(about.kind))
        return detail::invalid(
            text::concat("alerts of the kind \"", text::shown_name(about.kind, 96),
                         "\" are about no run and are always told: silence a kind such as run.unhealthy"));
    return {};
}

[[nodiscard]] inline Result<void> check_end(const std::optional<WallTime>& until, WallTime now) {
    if (!until) return detail::invalid("the silence has no end: say until when, 30 days from now at most");
    const std::string end = text::concat("the silence ends at ", text::rfc3339(*until));
    if (*until <= now)
        return detail::invalid(
            text::concat(end, ", which is over; it is ", text::rfc3339(now), ": choose a later moment"));
    if (*until - now > longest_silence)
        return detail::invalid(text::concat(end, "; the limit is 30 days, ", text::rfc3339(now + longest_silence),
                                            ": choose an earlier moment, and silence it again then"));
    return {};
}

}  // namespace detail

/// Whether a decision of the verb `silence` is one, made at `now`. Error: `invalid_argument`, with the value, the limit
/// and what to do.
[[nodiscard]] inline Result<void> check_silence(const DecisionRow& row, WallTime now) {
    if (auto good = detail::check_match(row.about); !good) return good;
    if (auto good = detail::check_end(row.until, now); !good) return good;
    if (row.by.empty()) return detail::invalid("the silence has no author: say who decides, in 1 to 128 bytes");
    if (auto good = detail::check_word("author", row.by, 128); !good) return good;
    if (row.because.find_first_not_of(' ') == std::string::npos)
        return detail::invalid(
            "the silence has no comment: say in a few words why, for those who read what they were not told");
    return detail::check_word("comment", row.because, longest_because);
}

/// Whether the silence is about this alert. One that speaks for several runs is told: each of them was asked about
/// before they were put together, and would not be told later. One that is about no run is not kept from people for
/// the run that it happened to.
[[nodiscard]] inline bool is_about(const AlertMatch& about, const Alert& alert, std::string_view run,
                                   std::string_view class_name, const std::vector<std::string>& tags) {
    if (about.empty() || speaks_for_others(alert)) return false;
    const bool of_runs = !about.run.empty() || !about.class_name.empty() || !about.tag.empty();
    if (of_runs && alert.run.id.empty()) return false;
    if (!about.run.empty() && about.run != run) return false;
    if (!about.class_name.empty() && about.class_name != class_name) return false;
    if (!about.kind.empty() && about.kind != alert.kind) return false;
    if (about.at_most && alert.severity > *about.at_most) return false;
    return about.tag.empty() || detail::contains(tags, about.tag);
}

/// `silenced by 12 (ann until 2026-01-31T09:05:00Z: deploy)`
[[nodiscard]] inline std::string silenced_by(const DecisionRow& row) {
    return text::concat("silenced by ", std::to_string(row.number), " (", text::one_line(row.by, 128), " until ",
                        text::rfc3339(row.until.value_or(WallTime{})), ": ",
                        text::one_line(text::redact(row.because), longest_because), ")");
}

/// What a silence is about, in words: `run r1, kind run.unhealthy, at most warning`.
[[nodiscard]] inline std::string to_text(const AlertMatch& about) {
    std::string text;
    const auto add = [&](std::string_view what, std::string_view value) {
        if (!value.empty()) text::append(text, text.empty() ? "" : ", ", what, " ", text::shown_name(value, 256));
    };
    add("run", about.run);
    add("class", about.class_name);
    add("tag", about.tag);
    add("kind", about.kind);
    add("at most", about.at_most ? name_of(*about.at_most) : std::string_view{});
    return text;
}

/// Ends a silence; what a store is to commit. It is on record who did.
[[nodiscard]] inline Batch end_of_silence(std::uint64_t number, std::string_view by, WallTime at) {
    text::JsonLine line;
    line.begin_object().key("verb").string("unsilence").key("by").string(text::sanitise(by, 128));
    line.key("silence").number(number).end_object();
    Batch batch;
    batch.applied.push_back(number);
    batch.audit.push_back({at, "decision", {}, std::move(line).text()});
    batch.durable = true;
    return batch;
}

}  // namespace heeler::inline HEELER_ABI
