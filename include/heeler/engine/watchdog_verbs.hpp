// What every watchdog can be asked, whoever owns its clock, store and notifier.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/core/concepts.hpp>
#include <heeler/core/context_reset.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/core/source.hpp>
#include <heeler/engine/answers.hpp>
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
    /// What the watchdog may do to agents: a type with at least one of the verbs `inject pause resume isolate snapshot
    /// terminate prove_stopped spawn find retire`. Verbs it lacks make their actions `unsupported`. Set it before the
    /// first cycle; verbs are called from the thread that delivers. Error, though it is set: `invalid_argument`, a
    /// class that was defined wants to terminate, which this control would never be asked for, because it has no
    /// `snapshot`.
    template <class Control>
    Result<void> control(Control&& agents) {
        static_assert(
            std::is_lvalue_reference_v<Control>,
            "heeler: an AgentControl is referred to and must outlive the watchdog: give `control` a variable, "
            "not a temporary (README: Write an agent control)");
        if constexpr (std::is_lvalue_reference_v<Control>) {
            static_assert(check_control<Control>());
            if constexpr (AgentControlLike<Control>) return engine().control(ControlRef{agents});
        }
        return {};
    }
    void detach_control() { static_cast<void>(engine().control(ControlRef{})); }
    /// Whose runs are reached in another way: on the runs of this class this control acts, in place of the one above.
    template <class Control>
    Result<void> control(std::string class_name, Control& agents) {
        static_assert(check_control<Control>());
        if constexpr (AgentControlLike<Control>)
            return engine().control(std::move(class_name), ControlRef{agents});
        else
            return {};
    }
    void detach_control(std::string class_name) {
        static_cast<void>(engine().control(std::move(class_name), ControlRef{}));
    }

    /// Where issues about runs are filed (`IssueSinkLike`). Set it before the first cycle.
    template <class Sink>
    void issues(Sink& sink) {
        static_assert(check_issue_sink<Sink>());
        if constexpr (IssueSinkLike<Sink>) engine().issues(IssueRef{sink});
    }
    void detach_issues() { engine().issues(IssueRef{}); }

    /// The monitor's own context (`ContextResetLike`), which is cleared after the cycles of the classes that say so
    /// (`RunClass::context`): when all of a class was judged, that is stored, and every alert of it was sent or given
    /// up. Set it before the first cycle; it is called from the thread that delivers.
    template <class Context>
    void context(Context& context) {
        static_assert(check_context_reset<Context>());
        if constexpr (ContextResetLike<Context>) engine().context(ContextRef{context});
    }
    void detach_context() { engine().context(ContextRef{}); }
    /// How often it was cleared. Any thread.
    [[nodiscard]] ContextClears context_clears() const { return engine().context_clears(); }
    /// Mailboxes (`MailboxLike`) that each cycle looks into: people are told, once per message, of those that are
    /// urgent or wait too long for a response (`mail.urgent`, `mail.pending_responses`), and the watchdog's own are
    /// carried out. Set it before the first cycle, at one of several watchdogs only. The mailbox is called from the
    /// thread that ticks; `detach_mail` waits for that. Error: `invalid_argument` for settings out of range; the
    /// mailbox is not looked into then.
    template <class Mailbox>
    Result<void> mail(Mailbox&& mailbox, MailSettings settings = {}) {
        static_assert(std::is_lvalue_reference_v<Mailbox>,
                      "heeler: a Mailbox is referred to and must outlive the watchdog: give `mail` a variable, not a "
                      "temporary (README: Write a mailbox)");
        using Given = std::remove_reference_t<Mailbox>;
        if constexpr (std::is_lvalue_reference_v<Mailbox>) static_assert(check_mailbox<Given>());
        if constexpr (std::is_lvalue_reference_v<Mailbox> && MailboxLike<Given>)
            return engine().mail(MailboxRef{mailbox}, std::move(settings));
        else
            return {};
    }
    void detach_mail() { static_cast<void>(engine().mail({}, {})); }

    /// Called when something was reported that must be looked at before the moment that `next_deadline` answered last:
    /// whoever sleeps until then (a thread, a timer of an event loop) should ask again. From the thread that reports;
    /// must not block or call the watchdog.
    void wake_with(std::function<void()> wake) { engine().wake_with(std::move(wake)); }

    /// Makes a class of runs known (those that a store holds need theirs), or replaces its settings while runs go on: a
    /// run changes over at its next cycle, or when the incident that is open is over. Errors: `invalid_argument`, for
    /// settings that contradict each other, or what the agent control cannot do; `no_recipient`.
    [[nodiscard]] Result<void> define(RunClass rules) { return engine().define(std::move(rules)); }

    /// Registers a run durably, in a class that was defined, or is now if none of that name was. While the store is
    /// down the run is watched in memory, and the answer says so.
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

    /// Polls a source (`RunSourceLike`) for what a run does, each time before the run is judged, from where the stored
    /// cursor stands. After a restart it is attached again.
    template <class Source>
    [[nodiscard]] Result<void> watch(RunHandle run, Source& source) {
        static_assert(check_source<Source>());
        if constexpr (RunSourceLike<Source>)
            return engine().watch(run, SourceRef{source});
        else
            return {};
    }
    void detach(RunHandle run) { static_cast<void>(engine().watch(run, SourceRef{})); }

    /// The same for all runs of a class, with one poll a cycle (`GroupSourceLike`): a table that agents write. It is
    /// read in any case; the error says that the class, if it is defined, would act sooner than the source lets anybody
    /// be replaced. A class that is defined later is refused then.
    template <class Source>
    Result<void> watch(std::string class_name, Source& source) {
        static_assert(check_group_source<Source>());
        if constexpr (GroupSourceLike<Source>)
            return engine().watch(std::move(class_name), GroupSourceRef{source});
        else
            return {};
    }
    void detach(std::string class_name) { static_cast<void>(engine().watch(std::move(class_name), GroupSourceRef{})); }

    /// Records durable progress. After an error it is kept in memory and stored with the next commit that succeeds.
    [[nodiscard]] Result<void> checkpoint(RunHandle run, const CheckpointNote& note) {
        return engine().checkpoint(run, note);
    }

    /// Ends a run durably. Nothing is done to it any more.
    [[nodiscard]] Result<void> finish(RunHandle run, RunState how = RunState::completed) {
        return engine().finish(run, how);
    }

    /// Writes an operator's decision durably; the next cycle applies it.
    [[nodiscard]] Result<void> decide(DecisionRow decision) { return engine().decide(std::move(decision)); }

    /// The silences that are in force, or will be from the next cycle on (`Verb::silence`).
    [[nodiscard]] Result<std::vector<DecisionRow>> silences() { return engine().silences(); }
    /// Ends one of them, from the next cycle on. Error: `invalid_argument` if there is none of this number.
    [[nodiscard]] Result<void> unsilence(std::uint64_t number, std::string_view by) {
        return engine().unsilence(number, by);
    }

    /// One cycle: detect, decide, commit. Reads the clock once. Nothing is done to a run before `deliver`.
    CycleReport tick(TickCause cause = TickCause::period) { return engine().tick(cause); }
    /// Something changed about these runs, which their sources show: they are looked at again, nothing else. Any
    /// thread, beside one that ticks and delivers.
    CycleReport changed(const std::vector<RunHandle>& runs) {
        return engine().tick(TickCause::changed, [&] { return runs; });
    }

    /// Carries out what is committed, then sends what is due, and records what came of it.
    CycleReport deliver() { return engine().deliver(); }

    /// Whether outcomes wait for a `tick(TickCause::outcome)` to decide what follows from them.
    [[nodiscard]] bool has_settled() const { return engine().has_settled(); }

    /// `tick` and `deliver` until nothing follows from the outcomes any more, at most three rounds.
    CycleReport cycle(TickCause cause = TickCause::period) { return engine().cycle(cause); }

    /// Stores what is only coalesced so far, detectors' memory included: call it before an orderly end.
    [[nodiscard]] Result<void> flush() { return engine().flush(); }

    /// Gives up the place among several watchdogs after an orderly end: others take the runs at once, and nobody is
    /// told that this one is lost. Nothing may follow but the destructor. Without `EngineSettings::holder` it only
    /// flushes.
    [[nodiscard]] Result<void> release() { return engine().release(); }

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
