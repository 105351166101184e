// What is read twice, and a file that goes back and forth.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/detect/loop/unit.hpp>
#include <heeler/text/combine.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// Reads of parts of one resource that show no line which was not seen before. Reading on never does, however it asks.
/// The lines seen are kept in a Bloom filter of two halves that take turns, so that it never fills up: what is
/// forgotten counts as new.
struct Coverage {
    struct Settings {
        bool on = true;
        std::uint32_t reads = 4;
    };
    struct Resource {
        std::uint32_t resource;
        std::uint32_t used;  ///< unit + 1; 0: free
        std::uint32_t round, edits, first;
        std::uint16_t reads;  ///< in a row without a new line
    };
    static constexpr std::uint32_t half_bits = 8192;
    static constexpr std::uint32_t most_lines = 800;     ///< in one half, before they take turns
    static constexpr std::uint32_t most_a_result = 512;  ///< further lines of a result are not looked at
    static constexpr std::uint32_t least_line = 4;       ///< characters of a line that counts

    struct Half {
        std::uint64_t bits[half_bits / 64];
    };
    struct Part {
        Half seen{};
        OnDemand<Half> before;  ///< from the first turn on
        Resource resources[8]{};
        std::uint32_t lines = 0;  ///< in the half that is written to
        bool forgets = false;     ///< there is no room for an older half; not saved

        void archive(auto& a) { a(seen, before, resources, lines); }
    };

    static constexpr std::string_view name = "coverage";
    static constexpr Basis basis = Basis::no_progress;

    static Hit learn(Part& part, const Settings& settings, const Unit& unit, const Common& common) {
        const bool beyond = unit.is(OutcomeClass::empty);  // the last page
        if (!unit.call.has_span || unit.call.kind != CallKind::read || (!beyond && !unit.is(OutcomeClass::info)))
            return {};
        Resource& read = entry_of(
            part.resources, [&](const Resource& each) { return each.resource == unit.call.resource; },
            [](const Resource& each) { return each.used; });
        const bool goes_on = read.used != 0 && read.edits == common.edits;
        const bool same_round = goes_on && read.round == common.round;
        // After an edit all that is read is new: the salt is another one.
        const Lines lines =
            add_lines(part, beyond ? std::string_view{} : unit.output, text::combine(unit.call.resource, common.edits));
        if (lines.all == 0 && !beyond) return {};
        if (!goes_on) read = {};
        if (read.reads == 0) read.first = unit.first;
        read.resource = unit.call.resource;
        read.used = common.unit + 1;
        read.round = common.round;
        read.edits = common.edits;
        if (lines.fresh != 0) {
            read.reads = 0;
            return {};
        }
        if (!same_round) count_up(read.reads);
        Hit hit;
        hit.judge(read.reads, settings.reads, 0);
        hit.first = read.first;
        hit.identity = text::combine(unit.call.resource, 6);
        hit.varied = Varied::numbers;
        return hit;
    }
    static std::string words(const Finding& finding) {
        return "reads what it has read before, " + heeler::detail::words::count(finding.evidence.fact("repeats")) +
               " times";
    }

private:
    struct Lines {
        std::uint32_t all = 0;    ///< that count
        std::uint32_t fresh = 0;  ///< of them, not seen before
    };

    static Lines add_lines(Part& part, std::string_view text, std::uint64_t salt) {
        Lines lines;
        for (std::uint32_t n = 0; n < most_a_result && !text.empty(); ++n) {
            const std::size_t end = text.find('\n');
            std::string_view line = text.substr(0, end);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
            line = without_number(line);
            if (line.size() < least_line) continue;
            ++lines.all;
            if (!add(part, text::combine(hash_of(line), salt))) ++lines.fresh;
        }
        return lines;
    }

    /// FNV-1a: short lines, a few hundred of them, are not worth what a hash library costs whoever includes this.
    static std::uint64_t hash_of(std::string_view line) noexcept {
        std::uint64_t hash = 0xCBF29CE484222325u;
        for (const char c : line) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
        return hash;
    }

    /// The number that a tool puts before each line, and white space at both ends.
    static std::string_view without_number(std::string_view line) noexcept {
        const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
        const auto skip = [&] {
            while (!line.empty() && blank(line.front())) line.remove_prefix(1);
        };
        skip();
        std::size_t digits = 0;
        while (digits < line.size() && line[digits] >= '0' && line[digits] <= '9') ++digits;
        std::string_view rest = line.substr(digits);
        if (digits > 0 && digits <= 7 &&
            (rest.empty() || blank(rest[0]) || rest[0] == ':' || rest[0] == '|' || rest.substr(0, 3) == "→"))
            line = rest.substr(rest.substr(0, 3) == "→" ? 3 : rest.empty() ? 0 : 1);
        skip();
        while (!line.empty() && blank(line.back())) line.remove_suffix(1);
        return line;
    }

    /// Whether it was there.
    static bool add(Part& part, std::uint64_t print) {
        const Half& before = *part.before;
        bool here = true, there = true;
        for (unsigned k = 0; k < 4; ++k) {
            const auto bit = static_cast<std::uint32_t>(print >> (13 * k)) % half_bits;
            const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
            here = here && (part.seen.bits[bit / 64] & mask) != 0;
            there = there && (before.bits[bit / 64] & mask) != 0;
            part.seen.bits[bit / 64] |= mask;
        }
        if (!here && ++part.lines >= most_lines) {
            if (!part.forgets) part.before.edit() = part.seen;
            part.seen = {};
            part.lines = 0;
        }
        return here || there;
    }
};

/// An edit that takes an earlier one back, or a content that the file had before.
struct Oscillation {
    struct Settings {
        bool on = true;
        std::uint32_t times = 3;
    };
    struct File {
        std::uint32_t file;
        std::uint32_t used;  ///< unit + 1; 0: free
        std::uint32_t first, round;
        std::uint32_t before[8], after[8];  ///< what was replaced, and by what; of a whole content 0
        std::uint16_t back;
        std::uint8_t next;
    };
    struct Part {
        File files[4];
    };

    static constexpr std::string_view name = "oscillation";
    static constexpr Basis basis = Basis::state;

    static Hit learn(Part& part, const Settings& settings, const Unit& unit, const Common& common) noexcept {
        const bool whole = unit.call.whole != 0;
        const bool failed = unit.is(OutcomeClass::negative) || unit.is(OutcomeClass::infra);
        if (failed || unit.call.file == 0 || (!whole && unit.call.old_text == unit.call.new_text)) return {};
        File& file = entry_of(
            part.files, [&](const File& each) { return each.file == unit.call.file; },
            [](const File& each) { return each.used; });
        if (file.used == 0) {
            file.file = unit.call.file;
            file.first = unit.first;
        }
        const std::uint32_t before = whole ? 0 : unit.call.old_text;
        const std::uint32_t after = whole ? unit.call.whole : unit.call.new_text;
        const std::size_t newest = (file.next + std::size(file.before) - 1) % std::size(file.before);
        if (whole && file.after[newest] == after) return {};  // the same once more: no step back
        bool back = false;
        for (std::size_t i = 0; i < std::size(file.before); ++i)
            back = back || (whole ? file.after[i] == after && file.before[i] == 0
                                  : file.before[i] == after && file.after[i] == before);
        if (back && file.round != common.round) count_up(file.back);
        file.before[file.next % std::size(file.before)] = before;
        file.after[file.next % std::size(file.before)] = after;
        file.next = static_cast<std::uint8_t>((file.next + 1) % std::size(file.before));
        file.used = common.unit + 1;
        file.round = common.round;
        Hit hit;
        if (!back) return hit;
        hit.judge(file.back, settings.times, 0);
        hit.first = file.first;
        hit.identity = text::combine(unit.call.file, 7);
        return hit;
    }
    static std::string words(const Finding& finding) {
        return "takes its own edits back, " + heeler::detail::words::count(finding.evidence.fact("repeats")) + " times";
    }
};

}  // namespace heeler::inline HEELER_ABI::loops
