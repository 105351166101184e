// What every watchdog can be asked, whoever owns its clock, store and notifier.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/core/callback.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/context_reset.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/core/source.hpp>
#include <heeler/engine/answers.hpp>
#include <heeler/engine/attachable.hpp>
#include <heeler/engine/engine.hpp>
#include <heeler/engine/run_scope.hpp>
#include <heeler/fwd.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// How a wing reaches the engine.
struct Above {
    template <class Dog>
    [[nodiscard]] static Engine& engine_of(Dog& dog) noexcept {
        return dog.engine();
    }
};

/// `Self` owns an engine (`own_engine`) and tells the time (`own_now`).
template <class Self>
class WatchdogVerbs {
public:
    /// Attaches what the host has beside its runs, which must outlive the watchdog or be detached. What it is follows
    /// from its verbs; what is several things is attached as each of them:
    /// - an agent control (`AgentControlLike`): what the watchdog may do to agents, at least one of the verbs `inject
    ///   pause resume isolate snapshot terminate prove_stopped spawn find retire`. Those it lacks make their actions
    ///   `unsupported`. They are called from the thread that delivers. Error, though it is attached:
    ///   `invalid_argument`, a class that was defined wants to terminate, which this control would never be asked for,
    ///   because it has no `snapshot`.
    /// - an issue sink (`IssueSinkLike`): where issues about runs are filed.
    /// - the monitor's own context (`ContextResetLike`), which is cleared after the cycles of the classes that say so
    ///   (`RunClass::context`): when all of a class was judged, that is stored, and every alert of it was sent or given
    ///   up. It is called from the thread that delivers.
    /// - a mailbox (`MailboxLike`) that each cycle looks into: people are told, once per message, of those that are
    ///   urgent or wait too long for a response (`mail.urgent`, `mail.pending_responses`), and the watchdog's own are
    ///   carried out. At one of several watchdogs only; called from the thread that ticks, and `detach_mail` waits for
    ///   that.
    /// - a ledger of what runs spend (`SpendLedger`), which classes with a `SpendCap` need. Detach it while nobody
    /// ticks. Attach it before the first cycle; another of its kind takes its place.
    template <class Part>
    Result<void> attach(Part&& part) {
        return attach_part(part, MailSettings{}, std::bool_constant<check_part<Part>()>{});
    }
    /// The same for a mailbox with settings of its own. Error: `invalid_argument` for settings out of range; it is not
    /// looked into then.
    template <class Mailbox>
    Result<void> attach(Mailbox&& mailbox, MailSettings settings) {
        constexpr bool fits = check_part<Mailbox>();
        if constexpr (fits) static_assert(check_mailbox<std::remove_reference_t<Mailbox>>());
        return attach_part(mailbox, std::move(settings), std::bool_constant<fits>{});
    }
    void detach_control() { static_cast<void>(engine().control(ControlRef{})); }
    void detach_issues() { engine().issues(IssueRef{}); }
    void detach_spend() { engine().spend(nullptr); }
    void detach_context() { engine().context(ContextRef{}); }
    void detach_mail() { static_cast<void>(engine().mail({}, {})); }
    /// How often the monitor's own context was cleared. Any thread.
    [[nodiscard]] ContextClears context_clears() const { return engine().context_clears(); }

    /// Attaches what concerns the runs of one class alone: an agent control, for runs that are reached in another way,
    /// in place of the one above; a source of all of them (`GroupSourceLike`), polled once a cycle, such as a table
    /// that agents write; or what is both. A source is read in any case; the error says that the class, if it is
    /// defined, would act sooner than the source lets anybody be replaced. A class that is defined later is refused
    /// then.
    template <class Part>
    requires MaybePart<Part> Result<void> attach(std::string class_name, Part&& part) {
        Result<void> answer{};
        if constexpr (check_class_part<Part>()) {
            using Given = std::remove_reference_t<Part>;
            if constexpr (AgentControlLike<Given>) answer = engine().control(class_name, ControlRef{part});
            if constexpr (GroupSourceLike<Given>) {
                auto watched = engine().watch(std::move(class_name), GroupSourceRef{part});
                if (answer) answer = std::move(watched);
            }
        }
        return answer;
    }
    void detach_control(std::string class_name) {
        static_cast<void>(engine().control(std::move(class_name), ControlRef{}));
    }
    void detach_source(std::string class_name) {
        static_cast<void>(engine().watch(std::move(class_name), GroupSourceRef{}));
    }

    /// Attaches a source (`RunSourceLike`) that is polled for what one run does, each time before the run is judged,
    /// from where the stored cursor stands. After a restart it is attached again.
    template <class Source>
    requires MaybePart<Source>
    [[nodiscard]] Result<void> attach(RunHandle run, Source&& source) {
        if constexpr (check_run_part<Source>())
            return engine().watch(run, SourceRef{source});
        else
            return {};
    }
    void detach_source(RunHandle run) { static_cast<void>(engine().watch(run, SourceRef{})); }

    /// Called when something was reported that must be looked at before the moment that `next_deadline` answered last:
    /// whoever sleeps until then (a thread, a timer of an event loop) should ask again. From the thread that reports;
    /// must not block or call the watchdog.
    void wake_with(Callback<void()> wake) { engine().wake_with(std::move(wake)); }

    /// Makes a class of runs known (those that a store holds need theirs), or replaces its settings while runs go on: a
    /// run changes over at its next cycle, or when the incident that is open is over. Errors: `invalid_argument`, for
    /// settings that contradict each other, or what the agent control cannot do; `no_recipient`.
    [[nodiscard]] Result<void> define(RunClass rules) { return engine().define(std::move(rules)); }

    /// Registers a run durably, in a class that was defined, or is now if none of that name was. While the store is
    /// down the run is watched in memory, and the answer says so. Error: `invalid_argument`, which names the setting,
    /// where a class of that name was defined with other rules.
    [[nodiscard]] Started start(RunSpec spec, RunClass rules) {
        return engine().start(std::move(spec), std::move(rules));
    }
    [[nodiscard]] Started start(RunSpec spec, std::string_view class_name) {
        return engine().start(std::move(spec), class_name);
    }

    /// Finds the run of this id, or starts it: for each run that a host knows of, after a restart or not. If `found` is
    /// set its agent may be at work; while `not_stored` is set nobody can tell. Errors: those of `start`, but `ended`
    /// or `conflict` (as `find` answers) instead of `duplicate`.
    [[nodiscard]] Started attach(RunSpec spec, RunClass rules) {
        return engine().attach(std::move(spec), std::move(rules));
    }
    [[nodiscard]] Started attach(RunSpec spec, std::string_view class_name) {
        return engine().attach(std::move(spec), class_name);
    }

    /// The same as `start`, ended with the scope: `finish(cancelled)` unless it was finished before. It must not
    /// outlive the watchdog.
    [[nodiscard]] Result<RunScope> scoped(RunSpec spec, RunClass rules) {
        return scope_of(engine().start(std::move(spec), std::move(rules)));
    }
    [[nodiscard]] Result<RunScope> scoped(RunSpec spec, std::string_view class_name) {
        return scope_of(engine().start(std::move(spec), class_name));
    }

    /// The handle of a run that is watched, also of one that the store held. Errors: `unknown_run`; `ended`;
    /// `conflict`: the store has it, and another watchdog holds it, or its class was not defined here.
    [[nodiscard]] Result<RunHandle> find(std::string_view id) { return engine().find(id); }

    /// Reports what happened, at a moment that the caller has read already, or now. Never blocks on I/O, never decides.
    template <class What>
    Observed observe(RunHandle run, const What& what, Instant now) {
        static_assert(check_observation<What>());
        if constexpr (std::is_same_v<What, Heartbeat>)
            return engine().beat(run, now.elapsed, what.seq);
        else if constexpr (is_observation<What>)
            return engine().observe(run, what, now);
        else
            return Observed::refused;
    }
    template <class What>
    Observed observe(RunHandle run, const What& what) {
        return observe(run, what, static_cast<Self&>(*this).own_now());
    }
    /// By id, for hosts that keep no handles.
    template <class What>
    Observed observe(std::string_view run, const What& what, Instant now) {
        const auto handle = engine().handle_of(run);
        return handle ? observe(*handle, what, now) : Observed::unknown;
    }
    template <class What>
    Observed observe(std::string_view run, const What& what) {
        return observe(run, what, static_cast<Self&>(*this).own_now());
    }
    /// The same from one incarnation of the run's agent. An older one than the current is not heard: it should stop.
    template <class What>
    Observed observe_as(RunHandle run, std::uint32_t incarnation, const What& what, Instant now) {
        return engine().fence_off(run, incarnation, now) ? Observed::fenced : observe(run, what, now);
    }
    template <class T, class What, class... Now>
    Observed observe(const tl::expected<T, Error>&, const What&, Now...) {
        static_assert(
            never<What>,
            "heeler: `start`, `attach` and `find` answer a Result: test it, then `observe(*run, ...)` (README: Handles "
            "and lifetimes)");
        return Observed::refused;
    }

    /// Records durable progress. After an error it is kept in memory and stored with the next commit that succeeds.
    [[nodiscard]] Result<void> checkpoint(RunHandle run, const CheckpointNote& note) {
        return engine().checkpoint(run, note);
    }

    /// Something that the run does takes long: until the answer's scope ends, and at most so long, its silence is no
    /// stall, and afterwards none of that time counts as silence. An inner one that would end later is more time; it
    /// ends with its own scope. The run's limits of time, budgets, loops and signs of life are judged as ever. Error:
    /// `invalid_argument`, and no time is given: the class gives it so often, and so much, from progress to progress
    /// (`ExpectSettings`), and eight within each other.
    [[nodiscard]] Result<Expectation> expect(RunHandle run, Duration takes, std::string_view what) {
        return Expectation::begin(engine(), run, {takes, what});
    }
    /// The same for hosts without scopes: they say that it begins, and that it is over. Errors: `invalid_argument`,
    /// also where nothing of it has begun; `fenced`; `ended`.
    [[nodiscard]] Result<void> expect(RunHandle run, Expect what) { return engine().expect(run, what); }

    /// Ends a run durably. Nothing is done to it any more.
    [[nodiscard]] Result<void> finish(RunHandle run, RunEnd how = RunEnd::completed) {
        return engine().finish(run, how);
    }

    /// Writes an operator's decision durably; the next cycle applies it. About a run that nobody has it is refused
    /// (`unknown_run`, with the nearest id); what a silence names may still come, and is on record with what it may
    /// mean.
    [[nodiscard]] Result<void> decide(DecisionRow decision) { return engine().decide(std::move(decision)); }

    /// The silences that are in force, or will be from the next cycle on (`Verb::silence`).
    [[nodiscard]] Result<List<DecisionRow>> silences() { return engine().silences(); }
    /// Ends one of them, from the next cycle on. Error: `invalid_argument` if there is none of this number.
    [[nodiscard]] Result<void> unsilence(std::uint64_t number, std::string_view by) {
        return engine().unsilence(number, by);
    }

    /// One cycle: detect, decide, commit. Reads the clock once. Nothing is done to a run before `deliver`. Of very many
    /// runs that are due (`EngineSettings::due_per_tick`) the rest is left for the next tick, which is due at once.
    CycleReport tick(TickCause cause = TickCause::period) { return engine().tick(cause); }
    /// Something changed about these runs, which their sources show: they are looked at again, nothing else. Any
    /// thread, beside one that ticks and delivers.
    CycleReport changed(const std::vector<RunHandle>& runs) {
        return engine().tick(TickCause::changed, [&] { return runs; });
    }

    /// Carries out what is committed, then sends what is due, and records what came of it.
    CycleReport deliver() { return engine().deliver(); }

    /// Tells people something about the watchdog itself with the next delivery, until somebody has it. It is forgotten
    /// with the process. Any thread. (`SelfAlerts`)
    void say(Alert alert) { engine().say(std::move(alert)); }

    /// Whether outcomes wait for a `tick(TickCause::outcome)` to decide what follows from them.
    [[nodiscard]] bool has_settled() const { return engine().has_settled(); }

    /// `tick` and `deliver` until nothing follows from the outcomes any more, at most three rounds; again as long as
    /// due runs are left over.
    CycleReport cycle(TickCause cause = TickCause::period) { return engine().cycle(cause); }

    /// Stores what is only coalesced so far, detectors' memory included: call it before an orderly end.
    [[nodiscard]] Result<void> flush() { return engine().flush(); }

    /// Gives up the place among several watchdogs after an orderly end: others take the runs at once, and nobody is
    /// told that this one is lost. Nothing may follow but the destructor. Without `EngineSettings::holder` it only
    /// flushes.
    [[nodiscard]] Result<void> leave() { return engine().leave(); }

    /// When the next `tick` has something to do; absent: only after something is reported.
    [[nodiscard]] std::optional<Elapsed> next_deadline() { return engine().next_deadline(); }

    /// What people see of a run now. The error says that it is over, or with another watchdog.
    [[nodiscard]] Result<Status> status(RunHandle run) const { return engine().status(run); }

    /// What became of a run, from memory or from the store.
    [[nodiscard]] Result<Report> report(std::string_view run) { return engine().report(run); }

    /// Why a run was judged as it was, from stored data alone: rules, numbers, thresholds, what was held back.
    [[nodiscard]] Result<std::string> explain(std::string_view run) { return engine().explain(run); }

    /// The classes that are defined: settings, detectors, ladder, and how long a stall can go unseen.
    [[nodiscard]] std::string describe() const { return engine().describe(); }

    /// How the watchdog itself is doing: what it holds, owes and could not store. It looks at each run once, without
    /// the store. Any thread.
    [[nodiscard]] Vitals vitals() const { return engine().vitals(); }

    // --- mistakes that are easily made, each with its own sentence ---------------------------------------------------
    template <class Preset>
    requires(std::is_same_v<Preset, RunClass (*)()>) [[nodiscard]] Result<void> define(Preset preset) {
        return not_called(preset);
    }
    template <class Preset>
    requires(std::is_same_v<Preset, RunClass (*)()>) [[nodiscard]] Started start(RunSpec, Preset preset) {
        return not_called(preset);
    }
    template <class Preset>
    requires(std::is_same_v<Preset, RunClass (*)()>) [[nodiscard]] Started attach(RunSpec, Preset preset) {
        return not_called(preset);
    }
    template <class Preset>
    requires(std::is_same_v<Preset, RunClass (*)()>) [[nodiscard]] Result<RunScope> scoped(RunSpec, Preset preset) {
        return not_called(preset);
    }

private:
    friend Self;
    friend class heeler::HEELER_ABI::Runner;
    friend struct Above;

    WatchdogVerbs() = default;

    [[nodiscard]] Engine& engine() noexcept { return static_cast<Self&>(*this).own_engine(); }
    [[nodiscard]] const Engine& engine() const noexcept { return static_cast<const Self&>(*this).own_engine(); }

    template <class Part, class Fits>
    Result<void> attach_part(Part& part, MailSettings settings, Fits) {
        Result<void> answer{};
        if constexpr (Fits::value) {
            if constexpr (AgentControlLike<Part>) answer = engine().control(ControlRef{part});
            if constexpr (IssueSinkLike<Part>) engine().issues(IssueRef{part});
            if constexpr (ContextResetLike<Part>) engine().context(ContextRef{part});
            if constexpr (std::is_base_of_v<SpendPort, Part>) engine().spend(&part);
            if constexpr (MailboxLike<Part>) {
                auto looked = engine().mail(MailboxRef{part}, std::move(settings));
                if (answer) answer = std::move(looked);
            }
        }
        return answer;
    }

    template <class Preset>
    static tl::unexpected<Error> not_called(Preset) {
        static_assert(never<Preset>,
                      "heeler: a preset is a function: call it, `presets::recommended()` (README: Presets)");
        return fail(ErrorCode::invalid_argument, "a preset that was not called");
    }

    [[nodiscard]] Result<RunScope> scope_of(Result<Registered> started) {
        if (!started) return tl::unexpected<Error>(started.error());
        return RunScope{engine(), *std::move(started)};
    }
};

}  // namespace heeler::inline HEELER_ABI::detail
