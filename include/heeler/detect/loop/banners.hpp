// Finds the lines that head or end every result of a run, whatever the tool answered: they are no answer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <heeler/detect/loop/facts.hpp>
#include <heeler/detect/loop/learned.hpp>
#include <heeler/detect/loop/result_facts.hpp>
#include <heeler/detect/loop/word_table.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// The lines of a result that are an answer: those between the banners.
struct Body {
    std::uint32_t first = 0;  ///< how many lines stand before it
    std::uint32_t lines = 0;
    std::uint32_t length = 0;
    std::uint32_t strong_lines = 0;
    LineSum sum{};
    std::uint32_t dropped_last = 0;
};

namespace detail {

inline constexpr std::uint32_t deepest_first = 4, deepest_last = 3;  ///< lines that may become banners
inline constexpr std::uint32_t deepest_strong = 3;                   ///< with a word of failure
inline constexpr std::uint32_t most_first = 6, most_last = 3;        ///< lines that are taken off

constexpr void take_line(Body& body, const LineFacts& line) noexcept {
    --body.lines;
    body.length -= line.size < body.length ? line.size + (body.lines > 0 ? 1 : 0) : body.length;
    if ((line.said & said_strong) != 0) --body.strong_lines;
}
constexpr void take_first(Body& body, const ResultFacts& result) noexcept {
    const LineFacts& line = result.head[body.first];
    take_line(body, line);
    drop_first(body.sum, line, body.lines);
    ++body.first;
}
constexpr void take_last(Body& body, const ResultFacts& result) noexcept {
    const LineFacts& line = result.tail[body.dropped_last];
    take_line(body, line);
    drop_last(body.sum, line);
    ++body.dropped_last;
}

/// Its place, or that of the one that was not seen for the longest time; a banner's only if there is no other.
[[nodiscard]] constexpr BannerCandidate& candidate_for(Learned::Candidates& all, std::uint32_t line,
                                                       std::uint32_t results) noexcept {
    for (BannerCandidate& each : all)
        if (each.line == line) return each;
    BannerCandidate* oldest = &all[0];
    std::uint32_t longest = 0;
    for (BannerCandidate& each : all) {
        const std::uint32_t time = each.seen_at.until(results) | (each.is_banner ? 0u : 0x10000u);
        oldest = time > longest ? &each : oldest;
        longest = time > longest ? time : longest;
    }
    *oldest = {};
    oldest->line = line;
    return *oldest;
}

constexpr void add_distinct(std::uint16_t (&all)[BannerCandidate::most_rests], std::uint8_t& count,
                            std::uint16_t value) noexcept {
    for (std::size_t i = 0; i < count; ++i)
        if (all[i] == value) return;
    if (count < BannerCandidate::most_rests) all[count++] = value;
}

[[nodiscard]] constexpr std::uint16_t quarter(std::uint64_t hash) noexcept {
    return static_cast<std::uint16_t>(hash ^ (hash >> 16) ^ (hash >> 32) ^ (hash >> 48));
}

struct Seen {
    const CallFacts& call;
    const ResultFacts& result;
    std::uint32_t results;  ///< of the run, with this one
    bool is_only_verb;      ///< the run has made no other kind of call
};

/// Of a line without a word of failure, `clean_verb` and `clean_rest` are who got it and what it said, digits and all;
/// 0 as soon as they differ.
constexpr void note_sameness(BannerCandidate& candidate, std::uint16_t verb, std::uint16_t line) noexcept {
    if (candidate.results == 1 || candidate.clean_verb != verb)
        candidate.clean_verb = candidate.results == 1 ? verb : 0;
    if (candidate.results == 1 || candidate.clean_rest != line)
        candidate.clean_rest = candidate.results == 1 ? line : 0;
}
/// A line without a word of failure that heads nearly everything is a banner, whatever follows it. Not the header of
/// what one call tells again and again, nor the numbers of one kind of call.
[[nodiscard]] constexpr bool is_constant(const BannerCandidate& candidate, std::uint32_t results) noexcept {
    const std::uint32_t needed = candidate.rest_count == candidate.results ? 3 : 4;
    return candidate.results >= needed && candidate.rest_count >= 2 && candidate.call_count >= 2 &&
           (candidate.clean_rest != 0 || candidate.clean_verb == 0) &&
           candidate.results * 5u >= std::uint64_t{results} * 4;
}
/// One with a word of failure, beside answers of another kind of call, and alone where that has none: a notice.
[[nodiscard]] constexpr bool stands_alone(const BannerCandidate& candidate, const Body& rest,
                                          const Seen& seen) noexcept {
    return rest.lines == 0 && seen.result.succeeded && candidate.results >= 4 && candidate.headed_clean &&
           !candidate.headed_failure && quarter(seen.call.verb) != candidate.clean_verb &&
           candidate.results * 5u >= std::uint64_t{seen.results} * 4;
}
/// One with a word of failure, of an agent with one verb: it heads different answers to different calls.
[[nodiscard]] constexpr bool heads_everything(const BannerCandidate& candidate) noexcept {
    return candidate.rest_count == BannerCandidate::most_rests && candidate.call_count == BannerCandidate::most_rests &&
           candidate.headed_clean && !candidate.headed_failure;
}

/// Notes that `line` stood before (or behind) `rest`, of which so many lines are `known` from elsewhere: no answer.
constexpr void learn_line(Learned::Candidates& all, const LineFacts& line, const Body& rest, std::uint32_t known,
                          const Seen& seen) noexcept {
    if ((line.said & (said_traceback | said_tested)) != 0 || line.shape == 0 || line.begins_with_exception) return;
    BannerCandidate& candidate = candidate_for(all, line.shape, seen.results);
    if (candidate.seen_at == seen.results) return;  // lines that are all alike are a table
    candidate.seen_at = seen.results;
    count_up(candidate.results);
    const bool strong = (line.said & said_strong) != 0;
    const std::uint16_t rest_hash = quarter(rest.sum.typed), verb = quarter(seen.call.verb);
    add_distinct(candidate.rests, candidate.rest_count, rest_hash);
    add_distinct(candidate.calls, candidate.call_count, quarter(seen.call.typed));
    candidate.headed_failure = candidate.headed_failure || seen.result.failed;
    if (!strong) {
        note_sameness(candidate, verb, quarter(line.typed));
        candidate.is_banner = candidate.is_banner || is_constant(candidate, seen.results);
        return;
    }
    if (rest.lines > known && rest.strong_lines == 0 && !seen.result.failed) {
        if (!candidate.headed_clean) {
            candidate.clean_verb = verb;
            candidate.clean_rest = rest_hash;
        }
        candidate.headed_clean = true;
        const bool is_other = verb != candidate.clean_verb && rest_hash != candidate.clean_rest;
        candidate.is_banner = candidate.is_banner || is_other;
    }
    candidate.is_banner = candidate.is_banner || (seen.is_only_verb && heads_everything(candidate)) ||
                          stands_alone(candidate, rest, seen);
}

[[nodiscard]] inline bool is_banner(const Learned::Candidates& all, const LineFacts& line) noexcept {
    if (line.shape == 0) return false;
    for (const BannerCandidate& each : all)
        if (each.line == line.shape) return each.is_banner;
    return false;
}

/// Lines at the end of this result that ended another one as well.
[[nodiscard]] inline std::uint32_t repeated_last_lines(const Learned& learned, const Seen& seen) noexcept {
    std::uint32_t lines = 0;
    for (; lines < deepest_last && lines < seen.result.lines; ++lines) {
        bool again = false;
        for (const BannerCandidate& each : learned.last)
            again = again || (each.line != 0 && each.line == seen.result.tail[lines].shape && each.results > 1);
        if (!again) break;
    }
    return lines;
}
inline void learn_first_lines(Learned& learned, const Seen& seen, Body rest) noexcept {
    const std::uint32_t known = repeated_last_lines(learned, seen);
    for (std::uint32_t i = 0; i < deepest_first && rest.lines > 0; ++i) {
        take_first(rest, seen.result);
        const bool strong = (seen.result.head[i].said & said_strong) != 0;
        if (!strong || i < deepest_strong) learn_line(learned.first, seen.result.head[i], rest, known, seen);
    }
}
inline void learn_last_lines(Learned& learned, const Seen& seen, Body rest) noexcept {
    for (std::uint32_t i = 0; i < deepest_last && rest.lines > 0; ++i) {
        take_last(rest, seen.result);
        learn_line(learned.last, seen.result.tail[i], rest, 0, seen);
    }
}

}  // namespace detail

/// Learns from a result, and says which of its lines are the answer.
[[nodiscard]] inline Body body_of(Learned& learned, const CallFacts& call, const ResultFacts& result) noexcept {
    if (learned.results < 0xFFFFFFFF) ++learned.results;
    Body body{0, result.lines, result.length, result.strong_lines, result.sum, 0};
    if (learned.verb == 0) learned.verb = call.verb;
    learned.has_other_verb = learned.has_other_verb || call.verb != learned.verb;
    const detail::Seen seen{call, result, learned.results, !learned.has_other_verb};
    detail::learn_last_lines(learned, seen, body);
    detail::learn_first_lines(learned, seen, body);
    while (body.lines > 0 && body.first < detail::most_first &&
           detail::is_banner(learned.first, result.head[body.first]))
        detail::take_first(body, result);
    while (body.lines > 0 && body.dropped_last < detail::most_last &&
           detail::is_banner(learned.last, result.tail[body.dropped_last]))
        detail::take_last(body, result);
    return body;
}

}  // namespace heeler::inline HEELER_ABI::loops
