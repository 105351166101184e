// Which limits would fit, by what runs did: how long the silences, calls and runs were that nothing was wrong with.
// Advice for people. Nothing is judged by it, and no limit is ever changed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/core/events.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/core/time.hpp>
#include <heeler/detect/heartbeat_contract.hpp>
#include <heeler/detect/never_started.hpp>
#include <heeler/detect/run_timeout.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/bits.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/fingerprint.hpp>
#include <heeler/text/one_line.hpp>

namespace heeler::inline HEELER_ABI {

/// Any number of lengths, in at most 6 KB: counted in buckets that grow with them. A quantile is never below the real
/// one and at most a sixteenth above it; how many there are and the longest are exact.
class Lengths {
public:
    void add(Duration length) {
        const std::size_t at = bucket_of(std::max(length, Duration{}));
        if (at >= counts_.size()) counts_.resize(at + 1);
        ++counts_[at];
        ++count_;
        longest_ = std::max(longest_, length);
    }
    void add(const Lengths& more) {
        if (more.counts_.size() > counts_.size()) counts_.resize(more.counts_.size());
        for (std::size_t i = 0; i < more.counts_.size(); ++i) counts_[i] += more.counts_[i];
        count_ += more.count_;
        longest_ = std::max(longest_, more.longest_);
    }

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    [[nodiscard]] Duration longest() const noexcept { return longest_; }
    /// What so many of a hundred do not exceed; zero if there are none.
    [[nodiscard]] Duration quantile(std::uint64_t percent) const noexcept {
        const std::uint64_t wanted = count_ / 100 * percent + (count_ % 100 * percent + 99) / 100;
        std::uint64_t passed = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            passed += counts_[i];
            if (passed >= wanted) return std::min(end_of(i), longest_);
        }
        return longest_;
    }

private:
    /// Below 16 us one each, and from there on 16 from each power of two to the next.
    [[nodiscard]] static std::size_t bucket_of(Duration length) noexcept {
        constexpr std::uint64_t most = (std::uint64_t{1} << 50) - 1;  // 35 years
        const std::uint64_t us = std::min(static_cast<std::uint64_t>(length.count()), most);
        if (us < 16) return static_cast<std::size_t>(us);
        const auto power = detail::highest_one(us);
        return (power - 3) * 16 + static_cast<std::size_t>((us >> (power - 4)) & 15);
    }
    [[nodiscard]] static Duration end_of(std::size_t bucket) noexcept {
        if (bucket < 16) return Duration{static_cast<Duration::rep>(bucket)};
        return Duration{static_cast<Duration::rep>(((bucket % 16 + 17) << (bucket / 16 - 1)) - 1)};
    }

    std::vector<std::uint64_t> counts_{};
    std::uint64_t count_ = 0;
    Duration longest_{};
};

/// What is known of one limit.
struct LimitAdvice {
    /// Of fewer nothing is said; and of fewer than `enough_to_lower` not that a limit could be lower: among so many,
    /// one in a hundred that is longer would have been seen.
    static constexpr std::uint64_t enough = 30, enough_to_lower = 300;

    enum class Kind : std::uint8_t {
        too_few,    ///< to say anything
        unset,      ///< there is no limit; `fits` is one
        too_short,  ///< it is less than half as long again as the longest: it will cry wolf; `fits` would not
        fits,       ///< it is as it should be
        too_long,   ///< `fits` would find the same sooner
    };

    std::string about{};    ///< "silence", "calls of Bash": clean text
    std::string setting{};  ///< by which name the limit is set
    std::optional<Duration> limit{};
    Lengths seen{};                ///< of healthy ones
    Lengths left_out{};            ///< those that ended in an incident, which teach nothing
    std::string_view what{"gap"};  ///< what one of them is
    Kind kind = Kind::too_few;     ///< set by `judge`
    Duration fits{};               ///< likewise

    void judge() {
        const Duration longest = std::max(seen.longest(), Duration{1});
        fits = limit.value_or(Duration{});
        kind = Kind::fits;
        if (seen.count() < enough) {
            kind = Kind::too_few;
        } else if (!limit || *limit < longest + longest / 2) {
            kind = limit ? Kind::too_short : Kind::unset;
            fits = round_up(longest + longest / 2);
        } else if (seen.count() >= enough_to_lower && round_up(3 * longest) < *limit / 3) {
            kind = Kind::too_long;
            fits = round_up(3 * longest);
        }
    }

    /// In one line: "silence: longest of 412 healthy gaps 48s (median 2.1s, p99 31s); limit 1m 0s (silence_s) is 1.25
    /// times the longest: raise it to 1m 30s or it will cry wolf".
    [[nodiscard]] std::string text() const {
        std::string line = about + ": ";
        if (seen.count() == 0)
            text::append(line, "no healthy ", what, " was seen");
        else
            text::append(line, "longest of ", counted(seen.count()), " ", shown(seen.longest()), " (median ",
                         shown(seen.quantile(50)), ", p99 ", shown(seen.quantile(99)), ")");
        line += "; ";
        if (limit)
            text::append(line, "limit ", shown(*limit), " (", setting, ")");
        else
            text::append(line, "no limit is set (", setting, ")");
        if (kind == Kind::too_few) {
            text::append(line, ": ", std::to_string(enough), " are needed to say more");
        } else {
            if (limit) text::append(line, " is ", times(*limit), " the longest");
            if (kind == Kind::too_short) text::append(line, ": raise it to ", shown(fits), " or it will cry wolf");
            if (kind == Kind::unset) text::append(line, ": ", shown(fits), " would fit");
            if (kind == Kind::fits) line += ": it fits";
            if (kind == Kind::too_long) text::append(line, ": ", shown(fits), " would find it sooner");
        }
        if (left_out.count() > 0)
            text::append(line, "; not counted: ", std::to_string(left_out.count()), " in an incident, up to ",
                         shown(left_out.longest()));
        return line;
    }

    /// The next length that people would set.
    [[nodiscard]] static Duration round_up(Duration length) {
        constexpr Duration s = std::chrono::seconds{1}, m = 60 * s, h = 60 * m;
        for (const Duration each :
             {10 * s, 15 * s, 20 * s, 30 * s, 45 * s, m,     90 * s, 2 * m, 3 * m, 5 * m, 10 * m, 15 * m,
              20 * m, 30 * m, 45 * m, h,      90 * m, 2 * h, 3 * h,  4 * h, 6 * h, 8 * h, 12 * h})
            if (length <= each) return each;
        return (length + 24 * h - Duration{1}) / (24 * h) * (24 * h);
    }

private:
    [[nodiscard]] static std::string shown(Duration length) {
        if (length >= std::chrono::seconds{10}) return text::spoken(length);
        const auto tenths = (std::max(length, Duration{}).count() + 50'000) / 100'000;
        return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10)) + "s";
    }
    [[nodiscard]] std::string counted(std::uint64_t count) const {
        return text::concat(std::to_string(count), " healthy ", what, count == 1 ? "" : "s");
    }
    [[nodiscard]] std::string times(Duration length) const {
        const auto hundredths = length / std::max(seen.longest() / 100, Duration{1});
        std::string text = std::to_string(hundredths / 100);
        if (hundredths < 1000 && hundredths % 100 != 0)
            text::append(text, hundredths % 100 < 10 ? ".0" : ".", std::to_string(hundredths % 100));
        return text + " times";
    }
};

/// Measures what the runs of one class do, by the clocks that its limits count: told what the watchdog is told, and
/// what the watchdog makes of it. What lasts while an incident is open, or ends in one, is left out: a hang must not
/// teach that hangs are normal. One thread at a time. It keeps at most 64 tools, and of each run that is going on 256
/// open calls and the last 512 different results.
class LimitAdvisor {
public:
    explicit LimitAdvisor(RunClass rules) : rules_{std::move(rules)} {}

    /// A run is watched from now on.
    void begin(std::string_view run, MetricKind metric, WallTime at) {
        Watched& watched = runs_[std::string{run}];
        watched = {};
        watched.metric = metric;
        watched.began = at;
        ++begun_;
    }

    /// What the watchdog is told: anything that `Watchdog::observe` takes, a checkpoint, or something that takes long.
    template <class What>
    void saw(std::string_view run, const What& what, WallTime at) {
        const auto known = runs_.find(run);
        if (known == runs_.end()) return;
        Watched& watched = known->second;
        if (at >= watched.wait_until) watched.go_on(watched.wait_until);
        const Duration now = watched.working(at);
        if constexpr (std::is_same_v<What, Heartbeat>) {
            sign(watched, life, now);
        } else if constexpr (std::is_same_v<What, Expect>) {
            if (what.over && watched.expected > 0) --watched.expected;
            if (!what.over) ++watched.expected;
            watched.excused = true;
        } else if constexpr (std::is_same_v<What, StateChange>) {
            sign(watched, life, now);
            if (is_terminal(what.state)) return end(run, what.state, at);
            is_waiting(what.state) ? watched.wait(at, what.until) : watched.go_on(at);
        } else if constexpr (std::is_same_v<What, Usage> || std::is_same_v<What, Compaction>) {
            sign(watched, life, now);
        } else if constexpr (std::is_same_v<What, Message>) {
            sign(watched, life, now);
            if (what.is_own()) sign(watched, activity, now);
        } else if constexpr (is_work<What>) {
            sign(watched, life, now);
            sign(watched, activity, now);
            if (is_progress(watched, what)) sign(watched, progress, now);
            if constexpr (std::is_same_v<What, CheckpointNote>) sign(watched, checkpoint, now);
            if constexpr (std::is_same_v<What, ToolCall>) watched.open(what, now);
            if constexpr (std::is_same_v<What, ToolResult>) close(watched, what, now);
        }
    }

    /// What a cycle reports: whether something is wrong with a run.
    void note(const Event& event) {
        const auto* status = std::get_if<StatusEvent>(&event);
        if (status != nullptr) trouble(status->run, status->level >= Level::nudge);
    }
    void trouble(std::string_view run, bool is_ill) {
        const auto known = runs_.find(run);
        if (known == runs_.end()) return;
        known->second.ill = is_ill;
        if (!is_ill) return;
        known->second.spoiled = ~0u;
        for (OpenCall& call : known->second.calls) call.spoiled = true;
    }

    /// The run is over, or nothing more is known of it (`running`).
    void end(std::string_view run, RunState how, WallTime at) {
        const auto known = runs_.find(run);
        if (known == runs_.end()) return;
        const bool well = !known->second.ill && (how == RunState::completed || !is_terminal(how));
        (well ? whole_ : whole_left_out_).add(known->second.working(at));
        runs_.erase(known);
    }
    /// Of all runs nothing more is known.
    void end_all(WallTime at) {
        while (!runs_.empty()) end(std::string{runs_.begin()->first}, RunState::running, at);
    }

    [[nodiscard]] std::vector<LimitAdvice> advice() const {
        std::vector<LimitAdvice> all;
        const AgeLimits* of_tools = nullptr;
        const auto add_age = [&](Clock clock, std::string_view kind, std::string about, std::string setting) {
            const AgeLimits* age = nullptr;
            for (const auto& entry : rules_.detectors.entries())
                if (entry.ops->kind == kind) age = entry.settings.as<AgeLimits>();
            LimitAdvice one{std::move(about), std::move(setting)};
            one.seen = outside_[clock];
            one.left_out = left_out_[clock];
            // While a call is open, another limit counts, if there is one.
            if (age == nullptr || !age->in_tool || age->beats_within) one.seen.add(inside_[clock]);
            if (age != nullptr) one.limit = age->act_after;
            if (age != nullptr && age->informs) one.setting = "silence_levels.critical_s";
            if (age != nullptr && age->in_tool && !age->beats_within &&
                (of_tools == nullptr || *age->in_tool < *of_tools->in_tool))
                of_tools = age;
            if (age != nullptr || one.seen.count() > 0) all.push_back(std::move(one));
        };
        add_age(life, AliveAge::kind, "signs of life", "liveness.lost_s");
        add_age(activity, ActivityAge::kind, "silence", "silence_s");
        add_age(progress, ProgressAge::kind, "progress", "progress_age.acted_on_s");
        add_age(checkpoint, CheckpointAge::kind, "checkpoints", "checkpoint_age_s");
        const auto* start = rules_.detectors.find<NeverStarted>();
        if (start != nullptr || starts_.count() > 0) {
            LimitAdvice one{"beginning", "never_started_s"};
            if (start != nullptr) one.limit = start->grace;
            one.seen = starts_;
            one.left_out = starts_left_out_;
            one.what = "start";
            all.push_back(std::move(one));
        }
        for (const auto& [tool, lengths] : tools_) {
            LimitAdvice one{"calls of " + text::one_line(tool, 64), "tool_calls.allowed_s"};
            if (of_tools != nullptr) one.limit = limit_of(*of_tools, tool);
            one.seen = lengths.seen;
            one.left_out = lengths.left_out;
            one.what = "call";
            all.push_back(std::move(one));
        }
        const auto* timeout = rules_.detectors.find<RunTimeout>();
        LimitAdvice one{"whole run", "duration_limit_s"};
        if (timeout != nullptr) one.limit = timeout->limit;
        one.seen = whole_;
        one.left_out = whole_left_out_;
        one.what = "run";
        all.push_back(std::move(one));
        for (LimitAdvice& each : all) each.judge();
        return all;
    }

    /// A line for each, below one for the class.
    [[nodiscard]] std::string text() const {
        std::string lines = text::concat("class ", text::one_line(rules_.name, 64), ": ", std::to_string(begun_),
                                         begun_ == 1 ? " run\n" : " runs\n");
        for (const LimitAdvice& each : advice()) text::append(lines, "  ", each.text(), "\n");
        return lines;
    }

private:
    enum Clock : std::size_t { life, activity, progress, checkpoint, clocks };

    static constexpr std::size_t most_tools = 64, most_open = 256, most_results = 512, longest_name = 128;
    static constexpr std::string_view other_tools = "other tools";

    template <class What>
    static constexpr bool is_work =
        std::is_same_v<What, Output> || std::is_same_v<What, ToolCall> || std::is_same_v<What, ToolResult> ||
        std::is_same_v<What, Progress> || std::is_same_v<What, CheckpointNote>;

    [[nodiscard]] static std::string cut(std::string_view name) { return std::string{name.substr(0, longest_name)}; }

    struct OpenCall {
        std::string id, tool;
        Duration at{};
        bool spoiled = false;   ///< in an incident
        bool declared = false;  ///< how long it may take: no limit of the class's is about it
    };
    struct OfTool {
        Lengths seen{}, left_out{};
    };
    struct Watched {
        MetricKind metric = MetricKind::output_lines;
        WallTime began{}, waiting_since{}, wait_until = WallTime::max();
        Duration waited{};
        bool waits = false, ill = false;
        std::uint32_t spoiled = 0;  ///< a bit for each clock: there was an incident since its last sign
        std::uint32_t expected = 0;
        bool excused = false;  ///< something was to take long since the last sign of work
        std::optional<Duration> last[clocks]{};
        std::vector<OpenCall> calls{};
        std::optional<std::int64_t> value{};
        std::optional<std::uint64_t> note{};  ///< the last checkpoint
        std::deque<std::uint64_t> results{};

        [[nodiscard]] Duration working(WallTime at) const {
            const Duration waiting = waits ? at - waiting_since : Duration{};
            return std::max(at - began - waited - waiting, Duration{});
        }
        void wait(WallTime at, const std::optional<WallTime>& until) {
            if (!waits) waiting_since = at;
            waits = true;
            wait_until = until.value_or(WallTime::max());
        }
        void go_on(WallTime at) {
            if (waits) waited += std::max(at - waiting_since, Duration{});
            waits = false;
            wait_until = WallTime::max();
        }
        void open(const ToolCall& call, Duration now) {
            if (calls.size() >= most_open) calls.erase(calls.begin());
            calls.push_back({cut(call.call_id), cut(call.name), now, ill, call.timeout.has_value()});
        }
    };

    void sign(Watched& watched, Clock clock, Duration now) {
        const std::uint32_t bit = 1u << clock;
        const bool spoiled = watched.ill || (watched.spoiled & bit) != 0;
        const bool excused = watched.excused && (clock == activity || clock == progress);
        if (const auto last = std::exchange(watched.last[clock], now)) {
            if (spoiled)
                left_out_[clock].add(now - *last);
            else if (!excused)
                (watched.calls.empty() ? outside_ : inside_)[clock].add(now - *last);
        } else if (clock == activity) {
            (spoiled ? starts_left_out_ : starts_).add(now);
        }
        watched.spoiled = watched.ill ? watched.spoiled | bit : watched.spoiled & ~bit;
        if (clock == progress && watched.expected == 0) watched.excused = false;
    }

    void close(Watched& watched, const ToolResult& result, Duration now) {
        auto& calls = watched.calls;
        const auto call = std::find_if(calls.begin(), calls.end(), [&](const OpenCall& each) {
            return result.call_id.empty() || each.id == cut(result.call_id);
        });
        if (call == calls.end()) return;
        const bool known = tools_.size() < most_tools || tools_.contains(call->tool);
        OfTool& tool = tools_[known ? call->tool : std::string{other_tools}];
        if (!call->declared) (call->spoiled || watched.ill ? tool.left_out : tool.seen).add(now - call->at);
        calls.erase(call);
    }

    /// As the watchdog counts it: a value or note that is another, a result never seen before, or a line of output
    /// where lines are what counts.
    template <class What>
    [[nodiscard]] bool is_progress(Watched& watched, const What& what) const {
        if constexpr (std::is_same_v<What, Output>) {
            return watched.metric == MetricKind::output_lines && what.text.find('\n') != std::string_view::npos;
        } else if constexpr (std::is_same_v<What, Progress>) {
            const auto before = watched.value;
            if (before && (rules_.metric_grows ? what.value <= *before : what.value == *before)) return false;
            watched.value = what.value;
            return true;
        } else if constexpr (std::is_same_v<What, CheckpointNote>) {
            const std::uint64_t print = text::fingerprint_text(
                text::concat(what.step ? std::to_string(*what.step) : std::string{}, ":", what.text));
            return std::exchange(watched.note, print) != print;
        } else if constexpr (std::is_same_v<What, ToolResult>) {
            const std::uint64_t print = text::fingerprint_text(what.output_sha.empty() ? what.output : what.output_sha);
            if (std::find(watched.results.begin(), watched.results.end(), print) != watched.results.end()) return false;
            if (watched.results.size() >= most_results) watched.results.pop_front();
            watched.results.push_back(print);
            return true;
        } else {
            return false;
        }
    }

    [[nodiscard]] static Duration limit_of(const AgeLimits& age, std::string_view tool) {
        Duration limit = *age.in_tool;
        std::size_t longest = 0;
        for (const ToolTier& tier : age.tool_tiers)
            if (tier.prefix.size() > longest && tool.starts_with(tier.prefix)) {
                longest = tier.prefix.size();
                limit = tier.limit;
            }
        return limit;
    }

    RunClass rules_;
    std::map<std::string, Watched, std::less<>> runs_{};
    std::uint64_t begun_ = 0;
    Lengths outside_[clocks]{}, inside_[clocks]{};  ///< gaps that ended without, and in, an open call
    Lengths left_out_[clocks]{};
    Lengths starts_{}, starts_left_out_{}, whole_{}, whole_left_out_{};
    std::map<std::string, OfTool, std::less<>> tools_{};
};

}  // namespace heeler::inline HEELER_ABI
