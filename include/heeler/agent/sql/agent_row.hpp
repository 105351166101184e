// What a row of `agent_progress` says that was not reported yet: a pure function of the row and the cursor; for the
// tables of agents.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/agent/sql/agent_cursor.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/source.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/fingerprint.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// A row as the database answered it: somebody may have written anything. Texts are cut by the statement; ages are in
/// microseconds, by the database's clock.
struct AgentRow {
    std::string run{};
    bool found = false;
    bool has_token = false;
    std::int64_t archived = 0;  ///< the newest attempt that was replaced; 0: none was
    std::optional<std::string> status{};
    std::optional<std::string> attempt{};
    std::optional<std::string> checkpoint{};
    std::optional<std::int64_t> checkpoint_age{};
    std::optional<std::string> heartbeat{};
    std::optional<std::int64_t> heartbeat_age{};
    std::optional<std::string> completed_by{};
    std::optional<std::int64_t> completed_age{};
    std::optional<std::int64_t> base_age{};  ///< of the checkpoint, else of the attempt's beginning, else of the row;
                                             ///< not more than since it waited last
    std::optional<std::string> last_step{};
    std::optional<std::string> steps{};  ///< absent if it is null or longer than `longest_steps`
    std::optional<std::int64_t> steps_size{};
    std::optional<std::string> odd_plan{};  ///< the beginning of a plan that is no list of whole numbers
    std::optional<std::string> question{};  ///< of an agent that waits for a person
    std::optional<std::int64_t> updated_age{};
};

inline constexpr std::size_t longest_steps = 65536;  ///< bytes of `completed_steps`
inline constexpr std::size_t most_agent_steps = 1024;
inline constexpr std::size_t step_text_cap = 2048;  ///< bytes of `last_step` that are reported

/// A hundred years: older is as old, and nothing that is added to it overflows.
inline constexpr std::int64_t longest_age = 3'155'760'000'000'000;

/// Clocks of transactions differ from the statement's by less.
inline constexpr std::int64_t future_tolerance = 2'000'000;

/// "[1, 2, 3]": whole numbers in any order, any number of times. Absent: it is something else.
[[nodiscard]] inline std::optional<std::vector<std::int64_t>> parse_agent_steps(std::string_view text) {
    const auto blanks = [&] {
        while (!text.empty() && (text.front() == ' ' || text.front() == '\n' || text.front() == '\t'))
            text.remove_prefix(1);
    };
    std::vector<std::int64_t> steps;
    blanks();
    if (!take_char(text, '[')) return std::nullopt;
    blanks();
    while (!take_char(text, ']')) {
        if (!steps.empty() && !take_char(text, ',')) return std::nullopt;
        blanks();
        if (!take_number(text, steps.emplace_back(), 10)) return std::nullopt;
        blanks();
    }
    blanks();
    if (!text.empty()) return std::nullopt;
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return steps;
}

/// Reads one row. Each problem is said once for as long as it holds.
class AgentRowReader {
public:
    AgentRowReader(const AgentRow& row, std::string_view cursor)
        : row_{row}, before_{parse_agent_cursor(cursor, most_agent_steps).value_or(AgentCursor{})} {
        after_.checkpoint = before_.checkpoint;
        after_.heartbeat = before_.heartbeat;
        after_.ended = before_.ended;
        after_.waits = before_.waits;
    }

    [[nodiscard]] Polled read() {
        read_attempt();
        if (row_.odd_plan)
            say("plan", shown(row_.odd_plan), "write a JSON list of whole numbers, for example [1,2,3]; none is known");
        if (!row_.has_token) say("token", "nothing", "set it, or nobody can write to the row");
        read_steps();
        read_checkpoint();
        read_heartbeat();
        read_wait();
        read_status();
        polled_.cursor = write_agent_cursor(after_);
        // A moment in the future, told again and again, would never grow old.
        if (row_.base_age && *row_.base_age >= -future_tolerance)
            polled_.checkpoint_age = Duration{std::clamp<std::int64_t>(*row_.base_age, 0, longest_age)};
        polled_.incarnation = attempt_;
        return std::move(polled_);
    }

private:
    void say(std::string_view column, std::string_view value, std::string_view advice) {
        std::string message =
            "agent_progress, run \"" + text::shown_name(row_.run, 160) + "\": column " + std::string{column};
        message += " holds " + std::string{value} + "; " + std::string{advice};
        const std::uint64_t print = text::fingerprint_text(message);
        after_.said.push_back(print);
        if (std::find(before_.said.begin(), before_.said.end(), print) != before_.said.end()) return;
        polled_.problems.push_back({ErrorCode::invalid_argument, std::move(message)});
    }

    [[nodiscard]] static std::string shown(const std::optional<std::string>& value) {
        return value ? '"' + text::one_line(*value, 64) + '"' : std::string{"nothing"};
    }

    [[nodiscard]] static std::optional<std::int64_t> whole(const std::optional<std::string>& value) {
        std::int64_t number = 0;
        std::string_view text = value ? std::string_view{*value} : std::string_view{};
        if (!take_number(text, number, 10) || !text.empty()) return std::nullopt;
        return number;
    }

    /// Attempts are raised by claims alone, and each claim archives the one before.
    void read_attempt() {
        const std::int64_t most = std::numeric_limits<std::uint32_t>::max() - 1;
        const std::int64_t ours = std::clamp<std::int64_t>(row_.archived, 0, most) + 1;
        attempt_ = static_cast<std::uint32_t>(ours);
        if (whole(row_.attempt) != ours)
            say("attempt", shown(row_.attempt), "write " + std::to_string(ours) + ", as its archived attempts say");
    }

    void add(Reported what, std::optional<std::int64_t> age) {
        SourceEvent event{what, {}, {}, attempt_};
        if (age) event.age = Duration{std::clamp<std::int64_t>(*age, 0, longest_age)};
        polled_.events.push_back(event);
    }

    /// Whether a moment is new; one that lies in the future counts as now. Moments may be equal where `with` is not.
    [[nodiscard]] bool is_new(const char* column, const std::optional<std::string>& value,
                              const std::optional<std::int64_t>& age, std::string_view with, std::uint64_t& seen) {
        if (!value) return false;
        if (!age)
            say(column, shown(value), "write the database's own time");
        else if (*age < -future_tolerance)
            say(column, shown(value), "it lies in the future and counts as now: write the database's own time");
        const std::uint64_t print =
            text::combine(text::fingerprint_text(*value), text::fingerprint_text(with)) | 1;  // 0: none was seen
        return std::exchange(seen, print) != print && age.has_value();
    }

    void read_steps() {
        const auto steps = row_.steps ? parse_agent_steps(*row_.steps) : std::nullopt;
        if (steps && steps->size() <= most_agent_steps) {
            after_.steps = *steps;
            std::set_difference(steps->begin(), steps->end(), before_.steps.begin(), before_.steps.end(),
                                std::back_inserter(new_steps_));
            return;
        }
        after_.steps = before_.steps;
        std::string value = shown(row_.steps);
        if (!row_.steps && row_.steps_size) value = std::to_string(*row_.steps_size) + " bytes";
        if (steps) value = std::to_string(steps->size()) + " steps";
        say("completed_steps", value, "write a JSON list of at most 1024 whole numbers, for example [1,2,3]");
    }

    /// The text belongs to the newest step.
    void read_checkpoint() {
        const std::string_view text = row_.last_step ? std::string_view{*row_.last_step} : std::string_view{};
        const bool fresh = is_new("last_checkpoint", row_.checkpoint, row_.checkpoint_age, text, after_.checkpoint);
        const auto age = row_.checkpoint_age ? row_.checkpoint_age : row_.base_age;
        for (std::size_t i = 0; i < new_steps_.size(); ++i)
            add(CheckpointNote{new_steps_[i], i + 1 == new_steps_.size() ? text : "", {}, attempt_}, age);
        if (fresh && new_steps_.empty()) add(CheckpointNote{{}, text, {}, attempt_}, age);
    }

    void read_heartbeat() {
        if (is_new("last_heartbeat", row_.heartbeat, row_.heartbeat_age, {}, after_.heartbeat))
            add(Heartbeat{}, row_.heartbeat_age);
    }

    [[nodiscard]] std::string_view status() const noexcept {
        return row_.status ? std::string_view{*row_.status} : std::string_view{};
    }

    /// A wait stops the run's clock from when the row was changed until it waits no more, or its agent has worked. A
    /// checkpoint of the agent stands between two waits.
    void read_wait() {
        const bool queued = status() == "queued", waits = queued || status() == "waiting_human";
        const std::string_view question = row_.question && !queued ? std::string_view{*row_.question} : "";
        if (after_.waits != 0 && (has_worked() || (!waits && !is_over()))) resume();
        if (!waits) return static_cast<void>(after_.waits = 0);
        const std::uint64_t print =
            text::combine(text::fingerprint_text(status()), text::fingerprint_text(question)) | 1;
        if (std::exchange(after_.waits, print) == print) return;
        // Until it was known that it is queued, nobody has counted.
        if (queued)
            add(StateChange{RunState::queued, {}, {}, {}, {}}, std::nullopt);
        else
            add(StateChange{RunState::waiting_human, {}, {}, question, {}}, row_.updated_age);
    }

    [[nodiscard]] bool is_over() const noexcept {
        return status() == "completed" || status() == "failed" || status() == "stalled";
    }

    [[nodiscard]] bool has_worked() const noexcept {
        for (const SourceEvent& event : polled_.events)
            if (std::holds_alternative<CheckpointNote>(event.what)) return true;
        return false;
    }

    /// Before all that is reported with it.
    void resume() {
        after_.waits = 0;
        SourceEvent event{StateChange{RunState::running, {}, {}, {}, {}}, {}, {}, attempt_};
        if (row_.updated_age) event.age = Duration{std::clamp<std::int64_t>(*row_.updated_age, 0, longest_age)};
        for (const SourceEvent& each : polled_.events)
            if (each.age && (!event.age || *event.age < *each.age)) event.age = each.age;
        polled_.events.insert(polled_.events.begin(), event);
    }

    void read_status() {
        const std::string_view status = this->status();
        if (status == "in_progress" || status == "queued" || status == "waiting_human") {
            after_.ended = 0;
        } else if (status == "completed") {
            completed();
        } else if (status == "failed" || status == "stalled") {
            end(status == "failed" ? RunState::failed : RunState::abandoned, std::nullopt);
        } else {
            say("status", shown(row_.status),
                "write in_progress, queued, waiting_human, completed, failed or stalled; it counts as in_progress");
        }
    }

    /// Nobody but the agent of the current attempt can have written it.
    void completed() {
        if (row_.completed_by && whole(row_.completed_by) != std::int64_t{attempt_})
            say("completed_by", shown(row_.completed_by), "it counts as " + std::to_string(attempt_));
        end(RunState::completed, row_.completed_age);
    }

    void end(RunState state, std::optional<std::int64_t> age) {
        if (std::exchange(after_.ended, 1) == 0) add(StateChange{state, {}, {}, {}}, age);
    }

    const AgentRow& row_;
    AgentCursor before_;
    AgentCursor after_{};
    Polled polled_{};
    std::uint32_t attempt_ = 1;
    std::vector<std::int64_t> new_steps_{};
};

/// What is new in `row` since `cursor`. Views refer to the row, which must stay.
[[nodiscard]] inline Result<Polled> news_of(const AgentRow& row, std::string_view cursor) {
    if (row.found) return AgentRowReader{row, cursor}.read();
    return fail(ErrorCode::unknown_run, "agent_progress has no row for the run \"" + text::shown_name(row.run, 160) +
                                            "\": enlist it, or put the row back");
}

}  // namespace heeler::inline HEELER_ABI::detail
