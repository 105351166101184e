// Folds what a host reports into the run's memory: counts, fingerprints, clocks. Constant cost, no verdict.
#pragma once

#include <algorithm>
#include <string_view>

#include <heeler/core/observation.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/text/canonical_args.hpp>
#include <heeler/text/fingerprint.hpp>

namespace heeler::inline v0 {

/// All of it is called under the cell's lock. Only `Observation`s reach the detectors.
template <class Detectors>
class Folder {
public:
    Folder(RunMemory<Detectors>& cell, Instant now)
        : cell_{cell}, run_{cell.run}, at_{cell.run.working(now.elapsed)}, now_{now} {}

    void operator()(const Heartbeat&) { alive(); }
    void operator()(const SignOfLife&) {
        raise(run_.last_sign);
        alive();
    }

    void operator()(const Output& seen) {
        const std::int64_t before = run_.lines;
        cell_.lines.feed(seen.text, seen.partial, [&](std::string_view line, Fingerprint print) {
            ++run_.lines;
            learn(OutputLine{line}, print);
        });
        active();
        if (run_.metric == MetricKind::output_lines && run_.lines != before) progressed();
        ++run_.observations;
    }

    void operator()(const ToolCall& seen) {
        ++run_.calls;
        ++run_.open_calls;
        learn(seen, fingerprint_call(seen.name, seen.args));
        active();
        ++run_.observations;
    }

    void operator()(const ToolResult& seen) {
        const std::uint64_t print = fingerprint_text(seen.output_sha.empty() ? seen.output : seen.output_sha);
        learn(seen, {print, static_cast<std::uint32_t>(print)});
        if (run_.open_calls > 0) --run_.open_calls;
        active();
        if (cell_.results.add(print)) progressed();
        ++run_.observations;
    }

    void operator()(const Message& seen) {
        const std::uint64_t print = fingerprint_text(seen.text);
        learn(seen, {print, static_cast<std::uint32_t>(print)});
        if (seen.from_assistant)
            active();
        else
            alive();
        ++run_.observations;
    }

    void operator()(const Progress& seen) {
        if (run_.reported_value != seen.value) progressed();
        run_.reported_value = seen.value;
        learn(seen, {});
        active();
        ++run_.observations;
    }

    void operator()(const Usage& seen) {
        add(run_.usage.tokens_in, seen.tokens_in);
        add(run_.usage.tokens_out, seen.tokens_out);
        add(run_.usage.api_calls, seen.api_calls);
        add(run_.usage.bytes_written, seen.bytes_written);
        run_.usage.cost_usd += seen.cost_usd;
        learn(seen, {});
        alive();
        ++run_.observations;
    }

    void operator()(const Compaction& seen) {
        learn(seen, {});
        alive();
        ++run_.observations;
    }

    void operator()(const OutputAccess& seen) {
        run_.output_readable = seen.ok;
        if (!seen.ok) cell_.sampling.spoiled = true;
        ++run_.observations;
    }

    void operator()(const StateChange& seen) {
        learn(seen, {});
        enter(seen.state);
        cell_.state_told = true;
        if (is_waiting(seen.state) && seen.until) cell_.waits_until = elapsed_at(now_, *seen.until);
        if (!is_terminal(seen.state)) alive();
        ++run_.observations;
    }

    /// A step or text that is new is progress.
    void checkpoint(std::optional<std::int64_t> step, std::string_view text, CheckpointReason reason) {
        LastCheckpoint& last = cell_.checkpoint;
        if (!last.at || last.text != text || last.step != step) progressed();
        if (step) complete(*step);
        run_.checkpoint_base = std::max(run_.checkpoint_base.value_or(at_), at_);
        last.text.assign(text);
        last.step = step;
        last.at = at_;
        last.reason = reason;
        active();
        ++run_.observations;
    }

    /// A fresh agent has taken the run up, or may have: all ages begin anew. Counted once for each continuation,
    /// however often its outcome is taken in.
    void begin_attempt(std::uint32_t continuation) {
        run_.incarnation = std::max(run_.incarnation, continuation + 1);
        if (run_.attempt > continuation) return;
        run_.attempt = continuation + 1;
        run_.checkpoint_base = at_;
        run_.open_calls = 0;
        progressed();
        active();
    }

    /// Nobody has taken it up: who worked on it is heard again.
    void keep_attempt() { run_.incarnation = run_.attempt; }

    /// Stops or starts the working clock as the state asks.
    void enter(RunState state) {
        if (is_waiting(state) && !run_.waiting_since) run_.waiting_since = now_.elapsed;
        if (!is_waiting(state)) stop_waiting(now_.elapsed);
        run_.state = state;
        if (!is_waiting(state)) run_.paused_by_watchdog = false;
    }

    void learn_sample(const IntervalSample& sample) { learn(sample, {}); }
    void learn_watermark() { learn(Watermark{}, {}); }

private:
    static constexpr std::size_t most_steps = 4096;

    void complete(std::int64_t step) {
        auto& steps = cell_.steps;
        const auto at = std::lower_bound(steps.begin(), steps.end(), step);
        if ((at == steps.end() || *at != step) && steps.size() < most_steps) steps.insert(at, step);
    }

    void stop_waiting(Elapsed now) {
        cell_.waits_until.reset();
        if (!run_.waiting_since) return;
        run_.waited += std::max(Duration{}, now - *run_.waiting_since);
        run_.waiting_since.reset();
    }

    void alive() {
        raise(run_.last_alive);
        rebase();
    }
    void active() {
        raise(run_.last_activity);
        alive();
    }
    void progressed() { raise(run_.last_progress); }

    /// Reports may come in any order: an older one takes nothing back.
    void raise(std::optional<Duration>& moment) const {
        if (!moment || *moment < at_) moment = at_;
    }

    /// Totals stop at a number that two of them can be added up to.
    static void add(std::int64_t& total, std::int64_t more) noexcept {
        total = std::min(total + more, std::int64_t{1} << 61);
    }

    /// What is reported at the very moment of the registration belongs to the baseline of the first interval.
    void rebase() {
        if (at_ != Duration{} || cell_.sampling.number != 0) return;
        cell_.sampling.value = run_.metric_value();
        cell_.sampling.lines = run_.lines;
        cell_.sampling.usage = run_.usage;
    }

    template <class Event>
    void learn(const Event& event, Fingerprint print) {
        Detectors::learn(cell_.memories, cell_.rules->settings,
                         Observation{at_, run_.observations, print.exact, print.normal, event});
    }

    RunMemory<Detectors>& cell_;
    Run& run_;
    Duration at_;
    Instant now_;
};

}  // namespace heeler::inline v0
