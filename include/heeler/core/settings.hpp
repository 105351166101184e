// The settings of a class of runs: schedule, detectors, ladder, alerts. Plain values; a preset is a function that
// returns one.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/action.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline v0 {

using namespace std::chrono_literals;

/// When the runs of a class are looked at.
struct Schedule {
    /// Between two cycles. Zero: each run's own interval. 1 s to 24 h otherwise.
    Duration period{};
    /// At wall-clock multiples of the period (:00, :15, ...) instead of counting from the registration.
    bool aligned = false;
};

/// How the interval of a run follows from its expected duration (S001: 60 s short, 300 s long or unknown).
struct IntervalSettings {
    Duration short_task = 60s;
    Duration long_task = 300s;
    Duration short_until = 1800s;     ///< expected durations up to this are short
    std::optional<Duration> fixed{};  ///< the same for every run, whatever it expects

    [[nodiscard]] Duration interval_for(const std::optional<Duration>& expected) const noexcept {
        if (fixed) return *fixed;
        return expected && *expected <= short_until ? short_task : long_task;
    }
};

/// Which runs are not worth watching, or must not be.
struct ApplicabilitySettings {
    Duration shortest = 60s;  ///< runs that expect to take less are skipped
    bool skip_interactive = true;
};

/// One entry of a rung's plan.
struct Step {
    ActionKind action = ActionKind::nudge;
    std::optional<ActionKind> needs{};  ///< carried out only if this earlier entry is done
};

using Plan = std::vector<Step>;

/// What is done about one condition.
struct Response {
    Condition condition = Condition::stalled;
    std::vector<Plan> rungs{};  ///< attempt n takes rung n; the last one is repeated
    bool hold =
        false;  ///< the rung asks a person: no verification, no further attempt; escalated again after `max_pause`
};

/// What follows when an action fails or is rejected.
enum class OnFailure : std::uint8_t { final_rung, escalate };

/// The recovery ladder as data.
struct LadderSettings {
    std::vector<Response> responses{};
    Plan final_rung{{ActionKind::snapshot, {}}, {ActionKind::escalate, {}}};
    std::uint32_t max_attempts = 2;  ///< per incident, across conditions; 1 to 100
    Duration verify_after{};         ///< zero: one interval of the run
    OnFailure on_failure = OnFailure::escalate;
    Duration max_pause = 1800s;
    std::uint32_t debounce = 1;  ///< cycles in a row with a finding before anything is done; 1 to 1000
    std::optional<std::uint32_t> rungs_per_tick{};         ///< 0: nothing is ever done, findings still reported
    std::optional<std::uint32_t> rungs_per_run_per_day{};  ///< likewise
};

/// How alerts are tried again.
struct OutboxSettings {
    Duration first_retry = 1s;
    Duration longest_retry = 300s;  ///< doubles from the first up to this
    Duration give_up_after = 24h;   ///< then the alert becomes a dead letter, visibly
};

enum class Mode : std::uint8_t {
    active,
    shadow,  ///< everything is decided and recorded, nothing is touched or sent
};

/// What a prompt is made of. Text of the agent is in `checkpoint` only.
struct PromptFacts {
    std::string_view run{};
    std::string_view goal{};
    std::string_view scope{};            ///< of the delegation contract; empty: none
    std::string_view stop_conditions{};  ///< likewise
    Condition condition = Condition::stalled;
    std::string_view evidence{};  ///< rule and numbers, one line
    Duration elapsed{};
    std::string_view checkpoint{};  ///< last successful checkpoint, as quoted lines; empty: none
    std::optional<std::int64_t> step{};
    std::string_view metric{};  ///< what counts as progress
    std::optional<std::int64_t> value{};
    std::uint32_t attempt = 1;
    std::uint32_t max_attempts = 2;
};

/// The texts that a run is sent. An empty function stands for the library's own text.
struct PromptSettings {
    std::function<std::string(const PromptFacts&)> nudge{};
    std::function<std::string(const PromptFacts&)> break_pattern{};
    std::function<std::string(const PromptFacts&)> summary{};
    bool quote_agent_text = true;
};

/// Settings of the detectors that are on, each kept by its detector's type.
class DetectorSettings {
public:
    template <class D>
    DetectorSettings& turn_on(typename D::Settings settings = {}) {
        turn_off<D>();
        entries_.push_back({D::kind, std::any{std::move(settings)}, &tag<D>});
        return *this;
    }
    template <class D>
    DetectorSettings& turn_off() {
        std::erase_if(entries_, [](const Entry& entry) { return entry.type == &tag<D>; });
        return *this;
    }
    /// The settings of a detector, or null if it is off.
    template <class D>
    [[nodiscard]] const typename D::Settings* find() const noexcept {
        for (const Entry& entry : entries_)
            if (entry.type == &tag<D>) return std::any_cast<typename D::Settings>(&entry.settings);
        return nullptr;
    }
    [[nodiscard]] std::vector<std::string_view> kinds() const {
        std::vector<std::string_view> names;
        for (const Entry& entry : entries_) names.push_back(entry.kind);
        return names;
    }

private:
    template <class D>
    static constexpr char tag = 0;

    struct Entry {
        std::string_view kind;
        std::any settings;
        const char* type;
    };
    std::vector<Entry> entries_{};
};

/// Named settings of a kind of run.
struct RunClass {
    std::string name{};
    Schedule schedule{};
    IntervalSettings interval{};
    ApplicabilitySettings applicability{};
    DetectorSettings detectors{};
    LadderSettings ladder{};
    OutboxSettings outbox{};
    PromptSettings prompts{};
    Mode mode = Mode::active;
    Duration
        grace{};  ///< verdicts are held this long after a gap of the watchdog itself; zero: one interval of the run
    bool tell_people = true;  ///< one alert when an incident begins, one message when it ends
};

}  // namespace heeler::inline v0
