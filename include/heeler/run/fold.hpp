// Folds what a host reports into the run's memory: counts, fingerprints, clocks. Constant cost, no verdict.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/result.hpp>
#include <heeler/detect/loop/facts.hpp>
#include <heeler/run/heartbeat_log.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/text/canonical_args.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/fingerprint.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// All of it is called under the run's lock. Only `Observation`s reach the detectors.
class Folder {
public:
    Folder(RunMemory& watched, Instant now)
        : watched_{watched}, run_{watched.run}, at_{watched.run.working(now.elapsed)}, now_{now} {}

    void operator()(const Heartbeat&) { alive(); }
    void operator()(const SignOfLife& seen) {
        raise(run_.last_sign);
        alive();
        if (seen.progress <= run_.children->told) return;
        run_.children.edit().told = seen.progress;
        (void)watched_.advance(now_.elapsed);
    }

    void operator()(const Output& seen) {
        const std::int64_t before = run_.lines;
        watched_.lines.edit().feed(seen.text, seen.partial, [&](std::string_view line, text::Fingerprint print) {
            ++run_.lines;
            learn(OutputLine{line}, print);
        });
        learn(seen, {});
        active();
        if (run_.metric == MetricKind::output_lines && run_.lines != before) progressed();
        ++run_.observations;
    }

    /// `facts`: what the detector `loop` reads in it, read beforehand; null: it reads it itself.
    void operator()(const ToolCall& seen, const loops::CallFacts* facts = nullptr) {
        ++run_.calls;
        ++run_.open_calls;
        const bool asked = watched_.of_class()->call_prints;
        Observation what =
            observation(seen, asked ? text::fingerprint_call(seen.name, seen.args) : text::Fingerprint{});
        what.call = facts;
        watched_.detectors.learn(what);
        active();
        ++run_.observations;
    }

    void operator()(const ToolResult& seen, const loops::ResultFacts* facts = nullptr) {
        const std::uint64_t print = text::fingerprint_text(seen.output_sha.empty() ? seen.output : seen.output_sha);
        Observation what = observation(seen, {print, static_cast<std::uint32_t>(print)});
        what.result = facts;
        const std::uint32_t told = facts != nullptr ? facts->told(facts->sum) : static_cast<std::uint32_t>(print);
        const NewResult is_new = watched_.results.edit().add(told, static_cast<std::uint16_t>(print >> 48));
        if (facts != nullptr) {
            what.told_before = !is_new.told;
            what.results = &watched_.results.edit();
        }
        watched_.detectors.learn(what);
        if (run_.open_calls > 0) --run_.open_calls;
        active();
        if (is_new.text) gained();
        ++run_.observations;
    }

    void operator()(const Message& seen) {
        const std::uint64_t print = text::fingerprint_text(seen.text);
        learn(seen, {print, static_cast<std::uint32_t>(print)});
        if (seen.is_own())
            active();
        else
            alive();
        ++run_.observations;
    }

    void operator()(const Progress& seen) {
        const bool known = run_.reported_value && (watched_.rules().metric_grows ? seen.value <= *run_.reported_value
                                                                                 : seen.value == *run_.reported_value);
        if (!known) {
            gained();
            run_.reported_value = seen.value;
        }
        learn(seen, {});
        active();
        ++run_.observations;
    }

    void operator()(const Usage& seen) {
        UsageTotals& usage = run_.usage.edit();
        add(usage.tokens_in, seen.tokens_in);
        add(usage.tokens_out, seen.tokens_out);
        add(usage.api_calls, seen.api_calls);
        add(usage.bytes_written, seen.bytes_written);
        usage.cost_usd += seen.cost_usd;
        learn(seen, {});
        alive();
        ++run_.observations;
    }

    void operator()(const Reading& seen) {
        learn(seen, {});
        ++run_.observations;
    }

    void operator()(const Resource& seen) {
        learn(seen, {text::fingerprint_text(seen.name), 0});
        ++run_.observations;
    }

    void operator()(const Compaction& seen) {
        learn(seen, {});
        alive();
        ++run_.observations;
    }

    void operator()(const OutputAccess& seen) {
        run_.output_readable = seen.ok;
        if (!seen.ok) watched_.sampling.spoiled = true;
        watched_.hurry(now_.elapsed);
        ++run_.observations;
    }

    void operator()(const StateChange& seen) {
        const bool goes_on =
            !watched_.rules().completion_ends && (seen.state == RunState::completed || seen.state == RunState::failed);
        learn(seen, {});
        say(seen, goes_on ? name_of(seen.state) : std::string_view{});
        // A worker that is done waits for its next task; one that failed still stands there.
        enter(!goes_on ? seen.state : seen.state == RunState::completed ? RunState::queued : RunState::running);
        watched_.state_told = watched_.unjudged = true;
        if (seen.state == RunState::rate_limited) watched_.rare.edit().rate_limited_at = at_;
        if (is_waiting(seen.state) && seen.until) watched_.wait_until(elapsed_at(now_, *seen.until));
        if (!is_terminal(run_.state)) alive();
        ++run_.observations;
    }

    /// The run is over, whatever its class makes of a worker that is done.
    void finish(RunState how) {
        enter(how);
        watched_.state_told = true;
        ++run_.observations;
    }

    /// A step or text that is new is progress.
    void checkpoint(std::optional<std::int64_t> step, std::string_view text, CheckpointReason reason) {
        LastCheckpoint& last = watched_.checkpoints.edit().last;
        if (!last.at || last.text != text || last.step != step) gained();
        if (step) complete(*step);
        run_.checkpoint_base = detail::max_of(run_.checkpoint_base.value_or(at_), at_);
        last.text.assign(text);
        last.step = step;
        last.at = at_;
        last.reason = reason;
        active();
        ++run_.observations;
    }

    /// What takes long begins, and gets a number, or is over. What is refused changes nothing.
    [[nodiscard]] Result<void> expect(Expect& seen) {
        std::string what = text::redacted(seen.what.substr(0, 4 * Expected::longest), Expected::longest);
        const ExpectSettings& most = watched_.rules().expect;
        const char* const wrong = seen.over ? end(seen.number, what) : begin(seen, what, most);
        if (wrong != nullptr)
            return fail(ErrorCode::invalid_argument, '`' + text::shown_name(what, Expected::longest) + "` " + wrong +
                                                         " (expect.most is " + std::to_string(most.most) +
                                                         ", expect.total_s " + text::spoken(most.total) + ")");
        ++run_.observations;
        return {};
    }

    /// A fresh agent has taken the run up, or may have: all ages begin anew. Counted once for each continuation,
    /// however often its outcome is taken in.
    void begin_attempt(std::uint32_t continuation) {
        run_.incarnation = detail::max_of(run_.incarnation, continuation + 1);
        if (run_.attempt > continuation) return;
        run_.attempt = continuation + 1;
        run_.checkpoint_base = at_;
        run_.open_calls = 0;
        while (!run_.excuses->open.empty()) run_.excuses.edit().end(&run_.excuses->open.back(), at_);
        const bool owes = watched_.owes_credit();
        gained();
        active();
        if (!owes) watched_.settle_credit();  // the watchdog's own doing is no progress
    }

    /// Nobody has taken it up: who worked on it is heard again.
    void keep_attempt() { run_.incarnation = run_.attempt; }

    /// Stops or starts the working clock as the state asks.
    void enter(RunState state) {
        if (state != run_.state) watched_.wait_until({});
        if (run_.state == RunState::waiting_child && state != run_.state && run_.waiting_since)
            run_.children.edit().lasted += now_.elapsed - *run_.waiting_since;
        if (is_waiting(state) && !run_.waiting_since) run_.waiting_since = now_.elapsed;
        if (!is_waiting(state)) stop_waiting(now_.elapsed);
        run_.state = state;
        if (is_waiting(state) || !run_.paused_by_watchdog) return;
        run_.paused_by_watchdog = false;  // what it did before the pause is known to whoever let it go on
        run_.seen_from = run_.excuses.edit().until = run_.working(now_.elapsed);
    }

    /// The watchdog paused it. What it waits for is still true then; and who may stand can be let go on.
    void pause(ActionOutcome outcome) {
        if (outcome == ActionOutcome::done && !run_.waiting_since) enter(RunState::paused);
        if (outcome == ActionOutcome::done || outcome == ActionOutcome::unknown) run_.paused_by_watchdog = true;
    }
    void resume() {
        if (!run_.waiting_since || run_.state == RunState::paused) return enter(RunState::running);
        run_.paused_by_watchdog = false;
    }
    /// What it waits for is there.
    void end_wait() {
        watched_.wait_until({});
        enter(run_.paused_by_watchdog ? RunState::paused : RunState::running);
    }

    /// Samples the interval that has ended, if one has: once per interval of the working clock. A late one counts once
    /// and keeps the grid of the first. True if it did.
    bool sample() {
        Sampling& last = watched_.sampling;
        if (at_ < last.next || run_.waiting_since) return false;
        IntervalSample sample;
        sample.number = ++last.number;
        sample.value = run_.metric_value();
        const Baseline& since = *last.since;
        const SmallOptional<std::int64_t> before =
            run_.metric == MetricKind::output_lines ? SmallOptional<std::int64_t>{since.lines} : since.reported;
        sample.delta = sample.value && before ? *sample.value - *before : 0;
        sample.lines = run_.lines - since.lines;
        const UsageTotals& usage = *run_.usage;
        sample.tokens = usage.tokens_in + usage.tokens_out - since.usage.tokens_in - since.usage.tokens_out;
        sample.api_calls = usage.api_calls - since.usage.api_calls;
        sample.bytes_written = usage.bytes_written - since.usage.bytes_written;
        const bool observed = !watched_.rare->held_until || now_.elapsed >= *watched_.rare->held_until;
        const bool excused = run_.excuses->until > last.next - run_.interval;
        sample.whole = observed && !excused && !last.spoiled && (!sample.value || before);
        sample.credited = run_.children->progress > run_.origin + run_.waited + last.next - run_.interval;
        learn(sample, {});
        auto& rows = watched_.rare.edit().heartbeats.edit();
        const bool on_record = watched_.rules().interval.on_record;
        const std::size_t most = on_record ? 2 * RunMemory::heartbeats_per_record : RunMemory::most_heartbeats;
        if (rows.size() >= most) {
            if (on_record)
                watched_.unsaved.edit().audit.push_back({now_.wall, std::string{heartbeats_record},
                                                         std::string{run_.id}, write_heartbeats(rows, most / 2)});
            rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(most / 2));
        }
        rows.push_back({sample.number, sample.value, sample.delta, now_.wall});
        last.begin_at(run_);
        last.spoiled = !run_.output_readable || (watched_.source && watched_.source->lost_since);
        const auto passed = (at_ - last.next) / run_.interval;
        last.next += (passed + 1) * run_.interval;
        return true;
    }

    /// The detectors forget what they have seen, if that was decided.
    void begin_anew() {
        if (!watched_.begins_anew()) return;
        learn(Watermark{}, {});
        watched_.watermark = watched_.verdict->watermark;
    }

    /// What a rung came to. Detectors that listen to it learn it once, also after a restart. In shadow mode what was
    /// left out counts as done.
    void carried_out(List<Action> actions) {
        const std::uint32_t number = watched_.verdict->settled + 1;
        const bool shadow = watched_.rules().mode == Mode::shadow;
        if (number != watched_.acted && !is_terminal(run_.state))
            for (const Action& action : actions) {
                const bool counts = shadow && action.outcome == ActionOutcome::skipped;
                const ActionOutcome outcome = counts ? ActionOutcome::done : action.outcome;
                learn(Acted{action.kind, outcome, action.note, action.outcome_from}, {});
            }
        watched_.acted = number;
        watched_.rare.edit().rung.edit() = std::move(actions);
        watched_.rung_busy = watched_.called_off = false;
    }

private:
    static constexpr std::size_t most_steps = 4096;

    /// Of what takes long; null: it was taken. Only what ends later than all that began before is more time, and
    /// counts.
    [[nodiscard]] const char* begin(Expect& seen, std::string& what, const ExpectSettings& most) const {
        Excuses& all = run_.excuses.edit();
        if (all.open.size() >= Excuses::deepest) return "lies within 8 others: say first that one of them is over";
        if (seen.takes <= Duration{} || seen.takes > most.total) return "must take some time, and at most the total";
        const Duration until = at_ + seen.takes;
        if (run_.last_progress > all.granted_at) {
            all.times = 0;
            all.granted = detail::max_of(Duration{}, all.until.value_or(Duration{}) - *run_.last_progress);
        }
        if (const Duration more = until - detail::max_of(at_, all.until.value_or(at_)); more > Duration{}) {
            if (all.times >= most.most) return "is asked for too often without progress: report progress first";
            if (all.granted + more > most.total) return "is too long in all without progress: report progress first";
            ++all.times;
            all.granted += more;
            all.granted_at = at_;
            all.until = until;
        }
        seen.number = ++all.changes;
        all.open.push_back({seen.number, seen.takes, until, std::move(what)});
        return nullptr;
    }
    [[nodiscard]] const char* end(std::uint32_t number, const std::string& what) const {
        for (std::size_t i = run_.excuses->open.size(); i-- > 0;) {
            const Expected& each = run_.excuses->open[i];
            if (number != 0 ? each.number == number : what.empty() || each.what == what)
                return run_.excuses.edit().end(&each, at_), nullptr;
        }
        return "has not begun, or is over already";
    }

    /// Each report replaces what the last one said. `instead`: of a worker that says no more than its state.
    void say(const StateChange& seen, std::string_view instead) {
        const auto cut = [](std::string_view text) {
            return text::redact(text.substr(0, 4 * RunWords::longest)).substr(0, RunWords::longest);
        };
        const RunWords words{cut(seen.reported.empty() ? instead : seen.reported), cut(seen.prompt), cut(seen.outcome)};
        if (words != *run_.words) run_.words.edit() = words;
    }

    void complete(std::int64_t step) {
        auto& steps = watched_.checkpoints.edit().steps;
        const auto at = steps.begin() + static_cast<std::ptrdiff_t>(place_in_sorted(steps, step));
        if ((at == steps.end() || *at != step) && steps.size() < most_steps) steps.insert(at, step);
    }

    void stop_waiting(Elapsed now) {
        if (!run_.waiting_since) return;
        run_.waited += detail::max_of(Duration{}, now - *run_.waiting_since);
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
    void gained() {
        raise(run_.last_gain);
        progressed();
    }

    /// Reports may come in any order: an older one takes nothing back.
    void raise(SmallOptional<Duration>& moment) const {
        if (!moment || *moment < at_) moment = at_;
    }

    /// Totals stop at a number that two of them can be added up to.
    static void add(std::int64_t& total, std::int64_t more) noexcept {
        total = detail::min_of(total + more, std::int64_t{1} << 61);
    }

    /// What is reported at the very moment of the registration belongs to the baseline of the first interval.
    void rebase() {
        if (at_ != Duration{} || watched_.sampling.number != 0) return;
        watched_.sampling.begin_at(run_);
    }

    template <class Event>
    [[nodiscard]] Observation observation(const Event& event, text::Fingerprint print) const {
        return Observation{at_, run_.observations, print.exact, print.normal, event};
    }
    template <class Event>
    void learn(const Event& event, text::Fingerprint print) {
        watched_.detectors.learn(observation(event, print));
    }

    RunMemory& watched_;
    Run& run_;
    Duration at_;
    Instant now_;
};

/// Folds a checkpoint that happened at `at`, and keeps its row for the next commit. Under the run's lock.
inline void record(RunMemory& watched, Folder& folder, const CheckpointNote& note, WallTime at) {
    const std::string text = text::redacted(note.text, 4096);
    folder.checkpoint(note.step, text, note.reason);
    watched.unsaved.edit().checkpoints.push_back(
        {++watched.checkpoints.edit().count, watched.run.incarnation, at, note.step, text, note.reason});
}

/// Whether an agent of this incarnation (0: the current one) was replaced. That it still reports is put on record
/// once. Under the run's lock.
[[nodiscard]] inline bool fence_off(RunMemory& watched, std::uint32_t incarnation, WallTime now) {
    if (incarnation == 0 || incarnation >= watched.run.incarnation) return false;
    if (watched.rare->fenced_told >= incarnation) return true;
    watched.rare.edit().fenced_told = incarnation;
    watched.unsaved.edit().audit.push_back({now, "fenced", std::string{watched.run.id},
                                            R"({"incarnation":)" + std::to_string(incarnation) + R"(,"current":)" +
                                                std::to_string(watched.run.incarnation) + "}"});
    watched.dirty = true;
    return true;
}

}  // namespace heeler::inline HEELER_ABI::detail
