// The watchdog: takes runs in, folds what is reported of them, judges them in cycles, carries out what it decides.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/concepts.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/engine/answers.hpp>
#include <heeler/settings/default_detectors.hpp>
#include <heeler/effects/deliverer.hpp>
#include <heeler/core/events.hpp>
#include <heeler/run/fold.hpp>
#include <heeler/engine/inspect.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/effects/store_health.hpp>
#include <heeler/cycle/cycle.hpp>
#include <heeler/fwd.hpp>
#include <heeler/text/redact.hpp>

namespace heeler::inline v0 {

/// Keeps runs moving. `observe` and the durable verbs may be called from any thread; `tick` and `deliver` each from one
/// thread at a time, which may be two threads. The store is called from one thread at a time. The constructor does no
/// I/O.
template <class Clock, class Store, class Notifier, class Detectors>
class Watchdog {
    static_assert(check_clock<Clock>());
    static_assert(check_store<Store>());
    static_assert(check_notifier<Notifier>());

public:
    explicit Watchdog(Clock clock, Store store, Notifier notifier, EngineSettings settings = {})
        : clock_{std::move(clock)},
          store_{std::move(store)},
          notifier_{std::move(notifier)},
          settings_{std::move(settings)} {}
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    [[nodiscard]] Clock& clock() noexcept { return clock_; }
    [[nodiscard]] Store& store() noexcept { return store_; }
    [[nodiscard]] Notifier& notifier() noexcept { return notifier_; }

    /// What the watchdog may do to agents: any type with some of the verbs `inject pause resume isolate snapshot
    /// terminate find`. Verbs it lacks make their actions `unsupported`. It must outlive the watchdog; set it before
    /// the first cycle.
    template <class Control>
    void control(Control& agents) noexcept {
        deliverer_.effects().control(ControlRef{agents});
    }

    /// Where issues about runs are filed (`IssueSinkLike`). It must outlive the watchdog; set it before a cycle.
    template <class Sink>
    void issues(Sink& sink) noexcept {
        deliverer_.effects().issues(IssueRef{sink});
    }

    /// Makes a class of runs known (those that a store holds need theirs), or replaces its settings while runs go on: a
    /// run changes over at its next cycle, or when the incident that is open is over.
    [[nodiscard]] Result<void> define(RunClass rules) { return registry_.define(std::move(rules)); }

    /// Registers a run durably, in a class that is defined here or was before. While the store is down the run is
    /// watched in memory, and the answer says so.
    [[nodiscard]] Result<Registered> start(RunSpec spec, RunClass rules) {
        const std::string name = rules.name;
        if (auto good = define(std::move(rules)); !good) return tl::unexpected<Error>(good.error());
        return start(std::move(spec), std::string_view{name});
    }
    [[nodiscard]] Result<Registered> start(RunSpec spec, std::string_view class_name) {
        const Instant now = clock_.now();
        loader_.run(now);
        const std::string id = spec.id.empty() ? spec.name : spec.id;
        auto handle = registry_.add(std::move(spec), class_name, now);
        if (!handle) return tl::unexpected<Error>(handle.error());
        Registered registered{*handle, commit(*handle, now)};
        if (!registered.not_stored || registered.not_stored->code != ErrorCode::conflict) return registered;
        registry_.drop(*handle);
        if (loader_.claim(id, now))
            if (const auto again = registry_.find(id)) return Registered{*again, std::nullopt};
        return fail(ErrorCode::duplicate,
                    "the store holds a run with this id already, perhaps a finished one; choose another id");
    }

    /// The handle of a run that is watched, also of one that the store held.
    [[nodiscard]] Result<RunHandle> find(std::string_view id) {
        const Instant now = clock_.now();
        loader_.run(now);
        if (!registry_.find(id)) (void)loader_.claim(id, now);
        return find_run<Detectors>(registry_, ledger_, id, now);
    }

    /// Reports what happened, at a moment that the caller has read already, or now. Never blocks on I/O, never decides.
    template <class What>
    Observed observe(RunHandle run, const What& what, Instant now) {
        if constexpr (std::is_same_v<What, Heartbeat>)
            return registry_.table().beat(run, now.elapsed) ? Observed::ok : Observed::ended;
        else
            return fold(
                run, now, [&](Folder<Detectors>& folder) { folder(what); }, what);
    }
    template <class What>
    Observed observe(RunHandle run, const What& what) {
        return observe(run, what, clock_.now());
    }
    /// The same from one incarnation of the run's agent. An older one than the current is not heard: it should stop.
    template <class What>
    Observed observe_as(RunHandle run, std::uint32_t incarnation, const What& what, Instant now) {
        return is_fenced<Detectors>(registry_, run, incarnation, now) ? Observed::fenced : observe(run, what, now);
    }
    template <class What>  // by id, for hosts that keep no handles
    Observed observe(std::string_view run, const What& what, Instant now) {
        const auto handle = registry_.find(run);
        return handle ? observe(*handle, what, now) : Observed::unknown;
    }
    template <class What>
    Observed observe(std::string_view run, const What& what) {
        return observe(run, what, clock_.now());
    }

    /// Polls a source (`RunSourceLike`) for what a run does, each time before the run is judged, from where the stored
    /// cursor stands. It must outlive the run; after a restart it is attached again.
    template <class Source>
    [[nodiscard]] Result<void> watch(RunHandle run, Source& source) {
        static_assert(check_source<Source>());
        RunCell<Detectors>* cell = registry_.table().find(run);
        if (cell == nullptr) return over();
        const std::lock_guard guard{cell->lock};
        if (!registry_.table().current(run) || is_terminal(cell->run.state)) return over();
        if (!cell->feed) cell->feed = std::make_unique<Feed>();
        cell->feed->source = SourceRef{source};
        registry_.table().sooner(run.index, cell->next_cycle);
        return {};
    }

    /// The same for all runs of a class, with one poll a cycle (`GroupSourceLike`): a table that agents write.
    template <class Source>
    void watch(std::string class_name, Source& source) {
        static_assert(check_group_source<Source>());
        intake_.watch(std::move(class_name), GroupSourceRef{source});
    }

    /// Records durable progress. After an error it is kept in memory and stored with the next commit that succeeds.
    [[nodiscard]] Result<void> checkpoint(RunHandle run, const CheckpointNote& note) {
        const Instant now = clock_.now();
        if (is_fenced<Detectors>(registry_, run, note.incarnation, now))
            return fail(ErrorCode::fenced, "the run was taken up by another agent; nothing was recorded");
        const auto keep = [&](Folder<Detectors>& folder) {
            record<Detectors>(*registry_.table().find(run), folder, note, now.wall);
        };
        if (fold(run, now, keep, note) != Observed::ok) return over();
        return durable(commit(run, now));
    }

    /// Ends a run durably. Nothing is done to it any more.
    [[nodiscard]] Result<void> finish(RunHandle run, RunState how = RunState::completed) {
        if (!is_terminal(how))
            return fail(ErrorCode::invalid_argument, std::string{"`"} + std::string{name_of(how)} +
                                                         "` does not end a run; use completed, failed or cancelled");
        const Instant now = clock_.now();
        if (observe(run, StateChange{how, {}, {}, {}}, now) != Observed::ok) return over();
        return durable(ticker_.finish(run, now));
    }

    /// Writes an operator's decision durably; the next cycle applies it.
    [[nodiscard]] Result<void> decide(DecisionRow decision) {
        const Instant now = clock_.now();
        decision.at = now.wall;
        const auto run = registry_.find(decision.run);
        Batch batch;
        batch.decisions.push_back(std::move(decision));
        std::vector<Change<Detectors>> none;
        auto stored = durable(ledger_.commit(none, std::move(batch), now));
        if (stored && run) registry_.table().sooner(run->index, now.elapsed);
        return stored;
    }

    /// One cycle: detect, decide, commit. Reads the clock once. Nothing is done to a run before `deliver`.
    CycleReport tick(TickCause cause = TickCause::period) {
        CycleReport report;
        ticker_.run(cause, clock_.now(), report);
        return report;
    }

    /// Carries out what is committed, then sends what is due, and records what came of it.
    CycleReport deliver() {
        CycleReport report;
        const Instant now = clock_.now();
        deliverer_.run(now, report);
        lost_.tell(deliverer_, now, report);
        health_.tell(ledger_, deliverer_, settings_, now, report);
        return report;
    }

    /// Whether outcomes wait for a `tick(TickCause::outcome)` to decide what follows from them.
    [[nodiscard]] bool has_settled() const { return deliverer_.queues().has_settled(); }

    /// `tick` and `deliver` until nothing follows from the outcomes any more, at most three rounds.
    CycleReport cycle(TickCause cause = TickCause::period) {
        CycleReport report = tick(cause);
        report.absorb(deliver());
        for (int round = 0; round < 3 && deliverer_.queues().has_settled(); ++round) {
            report.absorb(tick(TickCause::outcome));
            report.absorb(deliver());
        }
        return report;
    }

    /// Stores what is only coalesced so far, detectors' memory included: call it before an orderly end.
    [[nodiscard]] Result<void> flush() { return durable(ledger_.commit_all(registry_.table(), clock_.now())); }

    /// Gives up the place among several watchdogs after an orderly end: others take the runs at once, and nobody is
    /// told that this one is lost. Nothing may follow but the destructor. Without `EngineSettings::holder` it does
    /// nothing.
    [[nodiscard]] Result<void> release() {
        if (auto stored = flush(); !stored) return stored;
        return ledger_.release();
    }

    /// When the next `tick` has something to do; absent: only after something is reported.
    [[nodiscard]] std::optional<Elapsed> next_deadline() {
        const Instant now = clock_.now();
        auto next = earlier(registry_.table().next_deadline(), elapsed_at(now, deliverer_.queues().next()));
        next = earlier(next, elapsed_at(now, lost_.next()));
        // While the store is down, or without a lease, nothing can be decided: no use in asking all the time.
        const bool idle = ledger_.failing_since() || !tenure_.holds(now.elapsed);
        if (next && idle) next = std::max(*next, now.elapsed + settings_.flush_every);
        return earlier(next, tenure_.next_renewal(now));
    }

    /// What the host sees of a run now; ended runs are healthy.
    [[nodiscard]] Status status(RunHandle run) const {
        RunCell<Detectors>* cell = registry_.table().find(run);
        if (cell == nullptr) return Status::healthy;
        const std::lock_guard guard{cell->lock};
        return registry_.table().current(run) ? cell->shown.status : Status::healthy;
    }

    /// What became of a run, from memory or from the store.
    [[nodiscard]] Result<Report> report(std::string_view run) {
        const Instant now = clock_.now();
        return report_on<Detectors>(registry_, run, ledger_.history(now, run), now);
    }

    /// Why a run was judged as it was, from stored data alone: rules, numbers, thresholds, what was held back.
    [[nodiscard]] Result<std::string> explain(std::string_view run) {
        return explanation_of(run, ledger_.history(clock_.now(), run));
    }

    /// The classes that are defined: settings, detectors, ladder, and how long a stall can go unseen.
    [[nodiscard]] std::string describe() const {
        std::string text;
        for (const auto& rules : registry_.classes()) text += description(rules->rules);
        return text;
    }

private:
    template <class Fold, class What>
    Observed fold(RunHandle run, Instant now, Fold&& fold_in, const What& what) {
        return fold_into<Detectors>(registry_, run, now, settings_, what, std::forward<Fold>(fold_in));
    }

    [[nodiscard]] std::optional<Error> commit(RunHandle run, Instant now) {
        RunCell<Detectors>* cell = registry_.table().find(run);
        if (cell == nullptr) return std::nullopt;  // it ended and was stored meanwhile
        auto error = ledger_.commit_one(run, *cell, now);
        if (error) ticker_.retry(run, *cell, now);
        return error;
    }

    [[nodiscard]] static Result<void> durable(std::optional<Error> error) {
        if (error) return tl::unexpected<Error>(*std::move(error));
        return {};
    }

    [[nodiscard]] static Result<void> over() { return fail(ErrorCode::ended, "the run is over; nothing was changed"); }

    Clock clock_;
    Store store_;
    Notifier notifier_;
    EngineSettings settings_;
    mutable Registry<Detectors> registry_;
    Tenure tenure_{settings_, clock_};
    Intake<Detectors> intake_{registry_.table()};
    LostHolders lost_;
    Ledger<Store, Detectors> ledger_{store_, tenure_};
    Deliverer<Store, Notifier, Detectors> deliverer_{notifier_, ledger_, registry_.table(), settings_, tenure_};
    Loader<Store, Detectors> loader_{ledger_, registry_, deliverer_.queues(), settings_, tenure_, intake_, lost_};
    Ticker<Store, Notifier, Detectors> ticker_{loader_, ledger_, registry_, deliverer_, settings_, intake_, lost_};
    StoreHealth health_;
};

}  // namespace heeler::inline v0
