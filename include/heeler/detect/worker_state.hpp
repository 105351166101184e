// Tells what a worker is doing from what it says of itself and from the end of its output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/detector.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/detect/needs_input.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// One of five states, the first that applies (the worker monitor): complete, needs input, error, stuck, working. At
/// most one finding, so that a worker which is done or waits is never called stuck; a working one has none.
///
/// What a host reports of a run that it registered is news. Of a run that a list brought nobody knows since when it is
/// so: its first poll is the baseline of every state, and what is still so at the second one is found.
///
/// Stuck: the last line of its output and its reported status are the same at `stuck_after` polls in a row after the
/// first one, which is the baseline. A poll is an interval of the run. A line that is not finished, as that of a
/// prompt, is one.
struct WorkerState {
    static constexpr std::string_view kind = "worker_state";
    static constexpr std::string_view reported_error = "reported_error";  ///< rule: its status says so
    static constexpr EventMask listens = events<Output, OutputLine, IntervalSample>;
    static constexpr bool while_waiting = true;
    static constexpr std::size_t line_cap = 512;  ///< bytes of a line that are kept

    struct Settings {
        std::uint32_t stuck_after = 3;  ///< polls without a change
        std::uint32_t lines = 5;        ///< of the end of the output, searched and shown
        std::vector<std::string> complete_status{"complete", "completed", "done"};
        std::vector<std::string> error_status{"error", "errored", "failed"};
        std::vector<std::string> input_status{"needs_input", "awaiting_input", "awaiting_confirmation", "waiting"};
        std::vector<std::string> error_patterns{"Error:", "ERROR:", "error:", "panic:", "PANIC:", "fatal:",
                                                "FATAL:", "failed", "Failed", "FAILED", "[1]",    "exit 1"};
        bool exit_status = true;  ///< of a command, in a line, is an error if it is not 0
        std::vector<std::string> prompts{heeler::prompt_patterns.begin(), heeler::prompt_patterns.end()};
    };

    struct Memory {
        std::vector<std::string> tail;  ///< of the output, newest last
        std::uint64_t lines = 0;        ///< that came in all
        std::uint64_t whole_line = 0;   ///< fingerprint of a last line of which less is kept, or nothing; else 0
        std::string line_then;          ///< the last line at the last poll, without blanks around it
        std::string status_then;        ///< and the reported status
        std::uint64_t whole_then = 0;   ///< and `whole_line`
        std::uint64_t asked_at = 0;     ///< so many lines had come when a question was first seen at the end; 0: none
        std::uint64_t answered = 0;     ///< questions up to this line had output after them
        std::uint32_t unchanged = 0;    ///< polls in a row
        bool based = false;             ///< the first poll was made
        bool first = false;             ///< it was the last one, and a list brought the run; not stored
        bool polled = false;            ///< an interval has ended since the last look
        bool whole = false;             ///< all of it was seen
        bool unfinished = false;        ///< the last line is

        void archive(auto& a) {
            if (a.is_loading() || tail.empty()) return archive_as(a, tail, line_then);
            // What is stored is kept for long, and read by others.
            std::vector<std::string> shown = clean(tail);
            std::string then =
                line_then == trimmed(tail.back()) ? std::string{trimmed(shown.back())} : text::redact(line_then);
            archive_as(a, shown, then);
        }

    private:
        template <class A>
        void archive_as(A& a, std::vector<std::string>& shown, std::string& then) {
            a(shown, lines, whole_line, then, status_then, whole_then, asked_at, answered, unchanged, based, polled,
              whole, unfinished);
        }
    };

    static void by_name(Settings& settings, NamedSettings& named) {
        named.count("stuck_after", settings.stuck_after, 1, 1000);
        named.count("lines", settings.lines, 1, 20);
    }
    [[nodiscard]] static Result<void> validate(const Settings& settings) {
        for (const auto* patterns : {&settings.error_patterns, &settings.prompts})
            for (const std::string& pattern : *patterns)
                if (pattern.empty())
                    return detail::invalid("worker_state: an empty pattern is found in every line; remove it");
        return {};
    }

    void learn(Memory& memory, const Settings& settings, const Observation& seen) const {
        if (const auto* line = std::get_if<OutputLine>(&seen.event))
            return keep(memory, settings, line->text, seen.exact);
        if (const auto* output = std::get_if<Output>(&seen.event))
            return go_on(memory, settings, output->partial ? output->text : std::string_view{});
        memory.polled = true;
        memory.whole = std::get<IntervalSample>(seen.event).whole;
    }

    /// Compares with the last poll.
    [[nodiscard]] std::optional<Sighting> poll(Memory& memory, const Settings& settings, const Run& run,
                                               const LastCheckpoint&, Instant) const {
        ask(memory, settings);
        const std::string_view line = memory.tail.empty() ? std::string_view{} : trimmed(memory.tail.back());
        const std::string& status = run.words->reported;
        const bool same =
            line == memory.line_then && status == memory.status_then && memory.whole_line == memory.whole_then;
        if (!memory.based || !same) {
            memory.unchanged = 0;
            memory.line_then.assign(line);
            memory.status_then = status;
            memory.whole_then = memory.whole_line;
        } else if (memory.polled && memory.whole && memory.asked_at == 0) {
            ++memory.unchanged;
        }
        memory.first = run.found && !memory.based;
        memory.polled = false;
        memory.based = true;
        return std::nullopt;
    }

    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run& run,
                                               Instant now) const {
        if (memory.first) return std::nullopt;
        const std::string_view status = run.words->reported;
        if (is_one_of(status, settings.complete_status)) return found(run, Condition::complete, "reported_complete");
        if (run.state == RunState::waiting_human || is_one_of(status, settings.input_status))
            return found(run, Condition::needs_input, "waits_for_person");
        if (run.waiting_since) return std::nullopt;
        if (memory.asked_at != 0) return found(run, Condition::needs_input, "question_in_output");
        if (is_one_of(status, settings.error_status)) return found(run, Condition::failed, reported_error);
        if (line_with(memory, settings.error_patterns, 0, settings.exit_status) != nullptr)
            return found(run, Condition::failed, "error_in_output");
        if (memory.unchanged < settings.stuck_after) return std::nullopt;
        if (run.watched_less_than(settings.stuck_after * run.interval, run.last_activity.value_or(Duration{}),
                                  now.elapsed))
            return Finding::put_off(kind);
        Finding finding = *found(run, Condition::stalled, "unchanged");
        finding.evidence.add("intervals_stuck", memory.unchanged)
            .add("threshold", settings.stuck_after)
            .add("duration_s", in_seconds(memory.unchanged * run.interval));
        return finding;
    }

    /// The fields of a worker monitor's alert.
    [[nodiscard]] List<Detail> details(const Memory& memory, const Settings& settings, const Run& run,
                                       const Finding& finding) const {
        const RunWords& words = *run.words;
        if (finding.condition == Condition::complete)
            return {{"outcome", words.outcome.empty() ? words.reported : words.outcome},
                    {"completion_message", memory.tail.empty() ? std::string{} : memory.tail.back()}};
        if (finding.condition == Condition::needs_input) return prompt_of(memory, settings, words);
        if (finding.condition == Condition::failed) {
            const bool by_status = finding.evidence.rule == reported_error;
            const std::string* line = line_with(memory, settings.error_patterns, 0, settings.exit_status);
            return {{"error_source", by_status ? "status" : "output"},
                    {"error_context", by_status || line == nullptr ? words.reported : *line},
                    {"output_tail", preview(memory)}};
        }
        return {{"duration_secs", detail::words::count(finding.evidence.fact("duration_s")), true},
                {"intervals_stuck", detail::words::count(finding.evidence.fact("intervals_stuck")), true},
                {"last_output_preview", preview(memory)}};
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        if (finding.condition == Condition::complete) return "Complete";
        if (finding.condition == Condition::needs_input) return "Waits for a person";
        if (finding.condition == Condition::failed)
            return finding.evidence.rule == reported_error ? "Reports an error" : "Error in its output";
        return "Stuck: no change in " + detail::words::counted(finding.evidence.fact("intervals_stuck"), "check") +
               ", " + detail::words::count(finding.evidence.fact("duration_s")) + " s";
    }

    [[nodiscard]] static std::string bound(const Settings& settings, Duration interval, Duration period) {
        return "  worker_state: sees a stuck worker within " +
               text::spoken_bound(settings.stuck_after * interval + 2 * period) + "\n";
    }

private:
    /// The last line, which begins now unless it is unfinished.
    [[nodiscard]] static std::string& last_line(Memory& memory, const Settings& settings) {
        if (memory.unfinished && !memory.tail.empty()) return memory.tail.back();
        ++memory.lines;
        memory.whole_line = 0;
        if (memory.tail.size() < settings.lines) return memory.tail.emplace_back();
        for (std::size_t i = 1; i < memory.tail.size(); ++i) memory.tail[i - 1].swap(memory.tail[i]);
        memory.tail.back().clear();
        return memory.tail.back();
    }

    static void keep(Memory& memory, const Settings& settings, std::string_view line, std::uint64_t exact) {
        last_line(memory, settings).assign(line.substr(0, line_cap));
        memory.whole_line = line.size() > line_cap || line.empty() ? exact : 0;
        memory.unfinished = false;
    }

    /// What there is of a line by now. What was printed over, behind a carriage return, is gone.
    static void go_on(Memory& memory, const Settings& settings, std::string_view text) {
        text.remove_prefix(text.rfind('\n') + 1);
        if (text.empty()) return;
        std::string& line = last_line(memory, settings);
        memory.unfinished = true;
        if (const std::size_t shown = text.find_last_not_of('\r'); shown != std::string_view::npos) {
            const std::size_t behind = text.substr(0, shown).rfind('\r') + 1;
            text.remove_prefix(behind);
            if (behind != 0 || line.ends_with('\r')) {
                line.clear();
                memory.whole_line = 0;
            }
        }
        const std::size_t room = line_cap - detail::min_of(line.size(), line_cap);
        line.append(text.substr(0, room));
        if (text.size() > room) memory.whole_line += text.size() - room;
    }

    /// A question is open as long as no output followed after it was first seen.
    static void ask(Memory& memory, const Settings& settings) {
        if (memory.asked_at != 0 && memory.lines != memory.asked_at) {
            memory.answered = memory.asked_at;
            memory.asked_at = 0;
        }
        if (memory.asked_at == 0 && line_with(memory, settings.prompts, memory.answered) != nullptr)
            memory.asked_at = memory.lines;
    }

    [[nodiscard]] static std::string_view trimmed(std::string_view text) noexcept {
        constexpr std::string_view blank = " \t\r\n\f\v";
        const std::size_t first = text.find_first_not_of(blank);
        if (first == std::string_view::npos) return {};
        return text.substr(first, text.find_last_not_of(blank) - first + 1);
    }

    [[nodiscard]] static std::optional<Finding> found(const Run& run, const Condition& condition,
                                                      std::string_view rule) noexcept {
        const Level level = condition.opens_incident() ? Level::nudge : Level::watch;
        return Finding{condition, level, kind, {.rule = rule, .last = run.observations - (run.observations != 0)}};
    }

    /// In any case.
    [[nodiscard]] static bool is_one_of(std::string_view status, const std::vector<std::string>& words) noexcept {
        const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
        for (const std::string& word : words) {
            std::size_t i = 0;
            while (i < word.size() && i < status.size() && lower(word[i]) == lower(status[i])) ++i;
            if (i == word.size() && i == status.size()) return true;
        }
        return false;
    }

    /// A pattern that ends in a digit is not the beginning of a longer number. "0 failed" and "Failed: 0" are none.
    [[nodiscard]] static bool has(std::string_view line, std::string_view pattern) noexcept {
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        for (std::size_t at = line.find(pattern); at != std::string_view::npos; at = line.find(pattern, at + 1)) {
            const std::size_t end = at + pattern.size();
            const std::string_view behind = line.substr(end),
                                   count = trimmed(line.substr(end + behind.starts_with(':')));
            const bool none = (line.substr(0, at).ends_with("0 ") && (at == 2 || !is_digit(line[at - 3]))) ||
                              (behind.starts_with(':') && (count == "0" || count.starts_with("0,")));
            if (!none && (!is_digit(pattern.back()) || behind.empty() || !is_digit(behind.front()))) return true;
        }
        return false;
    }

    /// `exit status 2`, `Exit code: 127`, `exit 2` at the end, or a shell's own `[2]+  Exit 127  make`; never a 0.
    [[nodiscard]] static bool has_exit_status(std::string_view line) noexcept {
        for (std::size_t at = line.find("xit "); at != std::string_view::npos; at = line.find("xit ", at + 1)) {
            if (at == 0 || (line[at - 1] != 'e' && line[at - 1] != 'E')) continue;
            std::string_view rest = line.substr(at + 4);
            bool is_named = line.starts_with('[');
            for (const std::string_view word : {"status", "code"})
                if (rest.starts_with(word)) {
                    rest.remove_prefix(word.size());
                    is_named = true;
                }
            rest.remove_prefix(detail::min_of(rest.find_first_not_of(" :=-"), rest.size()));
            const std::size_t end = detail::min_of(rest.find_first_not_of("0123456789"), rest.size());
            const bool is_zero = rest.substr(0, end).find_first_not_of('0') == std::string_view::npos;
            if (!is_zero && (is_named || trimmed(rest.substr(end)).empty())) return true;
        }
        return false;
    }

    /// The newest of the last lines, after the one of this number, that has one of the patterns, or an exit status if
    /// that is looked for; null: none has.
    [[nodiscard]] static const std::string* line_with(const Memory& memory, const std::vector<std::string>& patterns,
                                                      std::uint64_t after, bool exits = false) noexcept {
        for (std::size_t i = memory.tail.size(); i > 0; --i) {
            if (memory.lines - (memory.tail.size() - i) <= after) return nullptr;
            if (exits && has_exit_status(memory.tail[i - 1])) return &memory.tail[i - 1];
            for (const std::string& pattern : patterns)
                if (has(memory.tail[i - 1], pattern)) return &memory.tail[i - 1];
        }
        return nullptr;
    }

    [[nodiscard]] static List<Detail> prompt_of(const Memory& memory, const Settings& settings, const RunWords& words) {
        std::string_view prompt = words.prompt;
        if (prompt.empty())
            if (const std::string* line = line_with(memory, settings.prompts, memory.answered)) prompt = *line;
        PromptType type = prompt_type_of(prompt);
        if (type == PromptType::input && words.reported == "awaiting_confirmation") type = PromptType::confirmation;
        return detail::prompt_details(type, prompt);
    }

    [[nodiscard]] static std::string preview(const Memory& memory) {
        std::string text;
        for (const std::string& line : memory.tail) text::append(text, text.empty() ? "" : "\n", line);
        return text;
    }

    /// Without the secrets, also those over two lines. Never less than one line.
    [[nodiscard]] static std::vector<std::string> clean(const std::vector<std::string>& lines) {
        std::string all;
        for (const std::string& line : lines) text::append(all, &line == &lines.front() ? "" : "\n", line);
        all = text::redact(all);
        std::vector<std::string> shown{1};
        for (const char c : all) {
            if (c == '\n') shown.emplace_back();
            if (c != '\n') shown.back() += c;
        }
        return shown;
    }
};

}  // namespace heeler::inline HEELER_ABI
