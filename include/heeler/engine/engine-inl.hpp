// What the engine's verbs do: rooms are put together here and nowhere else.
#pragma once

#include <atomic>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/attached.hpp>
#include <heeler/core/callback.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/cycle/cycle.hpp>
#include <heeler/cycle/loader.hpp>
#include <heeler/cycle/polled_sources.hpp>
#include <heeler/detect/loop/call_facts.hpp>
#include <heeler/detect/loop/result_facts.hpp>
#include <heeler/effects/courier.hpp>
#include <heeler/effects/deliverer.hpp>
#include <heeler/effects/mail_watch.hpp>
#include <heeler/effects/refused_runs.hpp>
#include <heeler/effects/store_health.hpp>
#include <heeler/engine/answers.hpp>
#include <heeler/engine/class_checks.hpp>
#include <heeler/engine/engine.hpp>
#include <heeler/explain/explain.hpp>
#include <heeler/posix/this_process.hpp>
#include <heeler/run/fold.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/storage/held_lease.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

struct Engine::EngineParts {
    EngineParts(EngineSettings given, RunTable<WatchedRun>& table, ClockPort& clock_port, StorePort& store,
                NotifierPort& notifier_port)
        : settings{std::move(given)},
          usable{check_settings(settings, store.statement_timeout)},
          clock{clock_port},
          notifier{notifier_port},
          process{clock_port, settings.freeze_file},
          registry{table},
          held_lease{settings, clock_port, process},
          store_port{store},
          ledger{store, held_lease, process},
          courier{notifier_port, ledger, held_lease},
          deliverer{courier, clock_port, process, ledger, registry, held_lease},
          loader{ledger, registry, deliverer.queues(), settings, held_lease, group_sources, courier},
          cycle{loader, ledger, registry, deliverer, settings, sources, courier} {}

    SourcePolling& polled_sources() {
        if (SourcePolling* const room = sources.get()) return *room;
        return sources.make(new PolledSources{group_sources, clock, registry, ledger});
    }
    MailPort& mail_port() {
        if (MailPort* const room = mail.get()) return *room;
        return mail.make(new MailWatch{courier, ledger, held_lease, deliverer});
    }
    /// The class of a run, if it has a detector of loops. Long texts are read without the run's lock.
    [[nodiscard]] Shared<const ReadyClass> reader_of(RunHandle run, RunTable<WatchedRun>& table) const {
        WatchedRun* watched = registry.reads_loops() ? table.find(run) : nullptr;
        if (watched == nullptr) return nullptr;
        const std::lock_guard guard{watched->lock};
        const auto& rules = watched->of_class();
        return rules && rules->loop != nullptr ? rules : nullptr;
    }

    /// It goes on with a run that may be over, or another watchdog's: what is stored of that one counts for it. Or it
    /// stands below one: how long the work of that one has lasted is known if it is watched here.
    void take_up(RunHandle run, const std::string& other, bool goes_on, Instant now) {
        RunMemory before;
        const auto parent = goes_on ? std::nullopt : registry.find(other);
        if (goes_on) {
            const auto known = ledger.history(now, other);
            if (known && known->row) before = stored_memory(*known->row, now);
        }
        if (WatchedRun* const above = parent ? registry.table().find(*parent) : nullptr; above != nullptr) {
            const std::lock_guard guard{above->lock};
            before.run = above->run;
        }
        WatchedRun* const watched = registry.table().find(run);
        if (watched == nullptr) return;
        const std::lock_guard guard{watched->lock};
        if (goes_on) watched->verdict.edit().restarts = before.verdict->restarts;
        if (goes_on && before.verdict->restarts.lineage.empty()) watched->verdict.edit().restarts.lineage = other;
        const Duration age = before.run.lineage_age(now.elapsed) + watched->run.started.value_or(Duration{});
        const std::string& first = before.run.children->first;
        if (before.run.interval > Duration{}) watched->run.children.edit().lasted = age;  // else nobody knows that one
        watched->run.children.edit().first = first.empty() ? other : first;
    }

    const EngineSettings settings;
    const Result<void> usable;
    ClockPort& clock;
    NotifierPort& notifier;
    ThisProcess process;
    Registry registry;
    HeldLease held_lease;
    const StorePort& store_port;
    GroupSources group_sources;
    Ledger ledger;
    Courier courier;
    Deliverer deliverer;
    Loader loader;
    Attached<SourcePolling> sources;
    Cycle cycle;
    Attached<MailPort> mail;
    StoreHealth health;
    RefusedRuns refused{ledger, registry, deliverer.silences(), courier};

    std::mutex waking;
    Callback<void()> wake;
    /// What `next_deadline` answered last: whoever asked sleeps until then.
    std::atomic<std::int64_t> asleep_until{std::numeric_limits<std::int64_t>::min()};
    /// The same, which a report does not bring forward: who has no thread to be woken does not come sooner.
    std::atomic<std::int64_t> answered{std::numeric_limits<std::int64_t>::max()};
    std::atomic<bool> promised{false};  ///< and whoever asked has not ticked since
};

HEELER_INLINE Engine::Engine(EngineSettings settings, ClockPort& clock, StorePort& store, NotifierPort& notifier)
    : parts_{new EngineParts(std::move(settings), table_, clock, store, notifier)} {}

HEELER_INLINE Engine::~Engine() {
    parts_->ledger.leave();
    delete parts_;
}

HEELER_INLINE Result<void> Engine::control(ControlRef control) {
    Effects& effects = parts_->deliverer.effects();
    effects.control(control);
    for (const auto& known : parts_->registry.classes())
        if (auto good = check_verbs(known->rules, effects.control_of(known->rules.name)); !good) return good;
    return {};
}
HEELER_INLINE Result<void> Engine::control(std::string class_name, ControlRef control) {
    const auto of = parts_->registry.find_class(class_name);
    parts_->deliverer.effects().control(std::move(class_name), control);
    return of ? check_verbs(of->rules, parts_->deliverer.effects().control_of(of->rules.name)) : Result<void>{};
}
HEELER_INLINE void Engine::issues(IssueRef sink) { parts_->deliverer.effects().issues(sink); }
HEELER_INLINE void Engine::context(ContextRef context) { parts_->deliverer.context().attach(context); }
HEELER_INLINE ContextClears Engine::context_clears() const { return parts_->deliverer.context().clears(); }
HEELER_INLINE Result<void> Engine::mail(MailboxRef mailbox, MailSettings settings) {
    if (auto good = check_mail_settings(settings); !good) return good;
    parts_->mail_port().watch(mailbox, std::move(settings));
    return {};
}
HEELER_INLINE void Engine::spend(SpendPort* counter) { parts_->ledger.counter = counter; }
HEELER_INLINE void Engine::wake_with(Callback<void()> wake) {
    const std::lock_guard guard{parts_->waking};
    parts_->wake = std::move(wake);
}

HEELER_INLINE void Engine::say(Alert alert) {
    AlertRow row{std::move(alert)};
    row.created_at = row.not_before = row.alert.at;
    parts_->courier.say(std::move(row));
}

// --- classes and runs ---

HEELER_INLINE Result<void> Engine::define(RunClass rules) {
    if (!parts_->usable) return parts_->usable;
    if (auto good = check_routes(rules, parts_->notifier); !good) return good;
    const Duration checkpoint_every = parts_->group_sources.checkpoint_every(rules.name);
    if (auto good = check_age(rules, checkpoint_every); !good) return good;
    if (auto good = check_verbs(rules, parts_->deliverer.effects().control_of(rules.name)); !good) return good;
    if (std::string& operate = rules.alerts.operate; operate.empty() && !parts_->store_port.place.empty())
        operate = "heeler-ctl --store " + parts_->store_port.place;
    const Instant now = parts_->clock.now();
    std::string name = rules.name, version = version_of(rules);
    auto defined = parts_->registry.define(std::move(rules), now, std::move(version));
    if (const auto known = parts_->registry.find_class(name)) {
        known->checkpoint_every = checkpoint_every;
        if (defined) parts_->cycle.doubt(known->rules, parts_->notifier.doubts, now);
    }
    if (const SourcePolling* const sources = parts_->sources.get())
        if (const auto asked = sources->next(now)) wake_if_sooner(*asked);
    return defined;
}

HEELER_INLINE Result<void> Engine::define_once(RunClass rules) {
    const auto known = parts_->registry.find_class(rules.name);
    return known ? check_same(*known, rules) : define(std::move(rules));
}

HEELER_INLINE Result<Registered> Engine::start(RunSpec spec, RunClass rules) {
    const std::string name = rules.name;
    if (auto good = define_once(std::move(rules)); !good) return tl::unexpected<Error>(good.error());
    return start(std::move(spec), std::string_view{name});
}

HEELER_INLINE Result<Registered> Engine::start(RunSpec spec, std::string_view class_name) {
    if (!parts_->usable) return tl::unexpected<Error>(parts_->usable.error());
    const Instant now = parts_->clock.now();
    parts_->loader.run(now);
    const std::string id = spec.id.empty() ? spec.name : spec.id;
    const std::string before = spec.continues, parent = spec.parent;
    auto handle = parts_->registry.add(std::move(spec), class_name, now);
    if (!handle) return tl::unexpected<Error>(handle.error());
    if (const bool goes_on = !before.empty(); goes_on || !parent.empty())
        parts_->take_up(*handle, goes_on ? before : parent, goes_on, now);
    Registered registered{*handle, commit(*handle, now), false};
    if (!registered.not_stored || registered.not_stored->code != ErrorCode::conflict) {
        if (const auto due = table_.next_deadline()) wake_if_sooner(*due);
        return registered;
    }
    if (!parts_->registry.drop_new(*handle)) return Registered{*handle, std::nullopt, true};
    if (parts_->loader.claim(id, now))
        if (const auto again = parts_->registry.find(id)) return Registered{*again, std::nullopt, true};
    return fail(ErrorCode::duplicate,
                "the store holds a run with this id already, perhaps a finished one; choose another id");
}

HEELER_INLINE Result<Registered> Engine::attach(RunSpec spec, RunClass rules) {
    const std::string name = rules.name;
    if (auto good = define_once(std::move(rules)); !good) return tl::unexpected<Error>(good.error());
    return attach(std::move(spec), std::string_view{name});
}

HEELER_INLINE Result<Registered> Engine::attach(RunSpec spec, std::string_view class_name) {
    const std::string id = spec.id.empty() ? spec.name : spec.id;
    auto started = start(std::move(spec), class_name);
    if (started || started.error().code != ErrorCode::duplicate) return started;
    const auto known = find(id);
    if (!known) return tl::unexpected<Error>(known.error());
    Registered found{*known, std::nullopt, true};
    if (is_new(*known)) found.not_stored = commit(*known, parts_->clock.now());
    return found;
}

HEELER_INLINE bool Engine::is_new(RunHandle run) const {
    WatchedRun* watched = table_.find(run);
    if (watched == nullptr) return false;
    const std::lock_guard guard{watched->lock};
    return table_.current(run) && watched->version == 0;
}

HEELER_INLINE std::optional<RunHandle> Engine::handle_of(std::string_view id) const {
    return parts_->registry.find(id);
}

HEELER_INLINE Result<RunHandle> Engine::find(std::string_view id) {
    const Instant now = parts_->clock.now();
    parts_->loader.run(now);
    if (!parts_->registry.find(id)) (void)parts_->loader.claim(id, now);
    const auto handle = parts_->registry.find(id);
    if (auto* watched = handle ? table_.find(*handle) : nullptr; watched != nullptr) {
        const std::lock_guard guard{watched->lock};
        if (table_.current(*handle) && !is_terminal(watched->run.state)) return *handle;
    }
    if (const auto alone = parts_->ledger.refusal(); !alone) return tl::unexpected<Error>(alone.error());
    const auto known = parts_->ledger.history(now, id);
    if (!known) return tl::unexpected<Error>(known.error());
    if (known->row && is_terminal(known->row->state))
        return fail(ErrorCode::ended, "the run `" + text::shown_name(id, 160) + "` is over");
    if (known->row)
        return fail(ErrorCode::conflict, "the run `" + text::shown_name(id, 160) +
                                             "` is not watched here: another watchdog holds it, or its class is not "
                                             "defined");
    return detail::no_such_run(id, "; start() it first");
}

// --- reports ---

HEELER_INLINE Observed Engine::refusal(RunHandle run) const noexcept {
    WatchedRun* watched = table_.find(run);
    if (watched == nullptr) return table_.is_elsewhere(run) ? Observed::elsewhere : Observed::ended;
    const std::lock_guard guard{watched->lock};
    return table_.current(run) && watched->disowned ? Observed::elsewhere : Observed::ended;
}

HEELER_INLINE Observed Engine::standing(RunHandle run, const WatchedRun& watched) const noexcept {
    if (!table_.current(run)) return Observed::ended;
    if (watched.disowned) return Observed::elsewhere;
    return is_terminal(watched.run.state) ? Observed::ended : Observed::ok;
}

template <class What, class Fold>
Observed Engine::fold(RunHandle run, const What& what, Instant now, Fold&& fold_in) {
    if (!is_sane(what)) return Observed::refused;
    WatchedRun* watched = table_.find(run);
    if (watched == nullptr) return refusal(run);
    Elapsed next{};
    {
        const std::lock_guard guard{watched->lock};
        if (const Observed answer = standing(run, *watched); answer != Observed::ok) return answer;
        Folder folder{*watched, now};
        const Elapsed next_cycle = watched->next_cycle;
        if (!detail::survives([&] { fold_in(*watched, folder); })) return Observed::refused;  // a host's detector threw
        if (is_terminal(watched->run.state)) table_.close(run, now.elapsed);
        const bool sooner = watched->next_cycle < next_cycle;
        if (std::exchange(watched->dirty, true) && !sooner) return Observed::ok;
        next = min_of(watched->next_cycle, watched->last_flush + parts_->settings.flush_every);
        table_.sooner(run.index, next);
    }
    wake_if_sooner(next);
    return Observed::ok;
}

template <class What>
Observed Engine::observe(RunHandle run, const What& what, Instant now) {
    if constexpr (std::is_same_v<What, ToolCall>) {
        if (const auto rules = parts_->reader_of(run, table_)) {
            const loops::CallFacts facts = loops::facts_of(what, rules->loop->tools);
            return fold(run, what, now, [&](WatchedRun&, Folder& folder) { folder(what, &facts); });
        }
    } else if constexpr (std::is_same_v<What, ToolResult>) {
        if (const auto rules = parts_->reader_of(run, table_)) {
            const loops::ResultFacts facts = loops::facts_of(what);
            return fold(run, what, now, [&](WatchedRun&, Folder& folder) { folder(what, &facts); });
        }
    }
    return fold(run, what, now, [&](WatchedRun&, Folder& folder) { folder(what); });
}

HEELER_INLINE bool Engine::fence_off(RunHandle run, std::uint32_t incarnation, Instant now) {
    WatchedRun* watched = table_.find(run);
    if (watched == nullptr) return false;
    const std::lock_guard guard{watched->lock};
    if (!table_.current(run) || !detail::fence_off(*watched, incarnation, now.wall)) return false;
    table_.sooner(run.index, watched->next_cycle);
    return true;
}

HEELER_INLINE void Engine::wake_if_sooner(Elapsed when) {
    std::int64_t asleep = parts_->asleep_until.load(std::memory_order_relaxed);
    const std::int64_t at = when.time_since_epoch().count();
    while (at < asleep)
        if (parts_->asleep_until.compare_exchange_weak(asleep, at, std::memory_order_relaxed)) {
            const std::lock_guard guard{parts_->waking};
            if (parts_->wake) parts_->wake();
            return;
        }
}

HEELER_INLINE Result<void> Engine::watch(RunHandle run, SourceRef source) {
    WatchedRun* watched = table_.find(run);
    if (watched == nullptr) return detail::refused(refusal(run));
    const std::lock_guard guard{watched->lock};
    if (const Observed answer = standing(run, *watched); answer != Observed::ok) return detail::refused(answer);
    (void)parts_->polled_sources();
    watched->source.edit().ref = source;
    table_.sooner(run.index, watched->next_cycle);
    return {};
}

HEELER_INLINE Result<void> Engine::watch(std::string class_name, GroupSourceRef source) {
    const auto rules = parts_->registry.find_class(class_name);
    if (rules) rules->checkpoint_every = source.checkpoint_every();
    parts_->group_sources.watch(class_name, source);
    if (const auto asked = parts_->polled_sources().next(parts_->clock.now())) wake_if_sooner(*asked);
    return rules ? check_age(rules->rules, source.checkpoint_every()) : Result<void>{};
}

// --- durable verbs ---

HEELER_INLINE std::optional<Error> Engine::commit(RunHandle run, Instant now) {
    WatchedRun* watched = table_.find(run);
    if (watched == nullptr) return std::nullopt;  // it ended and was stored meanwhile
    auto error = parts_->ledger.commit_one(run, *watched, now);
    if (error) parts_->cycle.retry(run, *watched, now);
    return error;
}

HEELER_INLINE std::optional<std::string> Engine::recall(RunHandle run, std::string_view kind) const {
    WatchedRun* watched = table_.find(run);
    if (watched == nullptr) return std::nullopt;
    const std::lock_guard guard{watched->lock};
    if (standing(run, *watched) != Observed::ok) return std::nullopt;
    return watched->detectors.saved(kind, parts_->clock.now());
}

HEELER_INLINE Result<void> Engine::note(RunHandle run, const Reading* reading, const std::vector<Record>& records) {
    const Instant now = parts_->clock.now();
    const auto fold_in = [&](WatchedRun& watched, Folder& folder) {
        if (reading != nullptr) folder(*reading);
        watched.fed |= reading != nullptr;  // what was learned is written with it
        for (const Record& record : records)
            watched.unsaved.edit().audit.push_back({now.wall, record.kind, std::string{watched.run.id}, record.body});
    };
    const Observed answer = fold(run, Reading{}, now, fold_in);
    if (answer != Observed::ok) return detail::refused(answer);
    return detail::durable(commit(run, now));
}

HEELER_INLINE Result<void> Engine::checkpoint(RunHandle run, const CheckpointNote& note) {
    const Instant now = parts_->clock.now();
    if (fence_off(run, note.incarnation, now))
        return fail(ErrorCode::fenced, "the run was taken up by another agent; nothing was recorded");
    const Observed answer =
        fold(run, note, now, [&](WatchedRun& watched, Folder& folder) { record(watched, folder, note, now.wall); });
    if (answer != Observed::ok) return detail::refused(answer);
    return detail::durable(commit(run, now));
}

HEELER_INLINE Result<void> Engine::expect(RunHandle run, Expect& what) {
    const Instant now = parts_->clock.now();
    if (fence_off(run, what.incarnation, now))
        return fail(ErrorCode::fenced, "the run was taken up by another agent; nothing was changed");
    Result<void> taken{};
    const Observed answer = fold(run, what, now, [&](WatchedRun&, Folder& folder) { taken = folder.expect(what); });
    return answer == Observed::ok ? std::move(taken) : detail::refused(answer);
}

HEELER_INLINE Result<void> Engine::finish(RunHandle run, RunEnd how) {
    const Instant now = parts_->clock.now();
    const Observed answer =
        fold(run, StateChange{state_of(how)}, now, [&](WatchedRun&, Folder& folder) { folder.finish(state_of(how)); });
    if (answer != Observed::ok) return detail::refused(answer);
    return detail::durable(parts_->cycle.finish(run, now));
}

HEELER_INLINE Result<void> Engine::flush() {
    const Instant now = parts_->clock.now();
    parts_->cycle.say_ends(now);
    return detail::durable(parts_->ledger.commit_all(table_, now));
}

HEELER_INLINE Result<void> Engine::leave() {
    if (auto stored = flush(); !stored) return stored;
    return parts_->ledger.release();
}

// --- cycles ---

HEELER_INLINE CycleReport Engine::tick(TickCause cause, const Changed& changed) {
    CycleReport report;
    report.ticks = 1;
    if (!parts_->usable)
        report.error("settings", {}, parts_->usable.error());
    else
        run_cycle(cause, changed, parts_->clock.now(), report);
    return report;
}

HEELER_INLINE void Engine::run_cycle(TickCause cause, const Changed& changed, Instant now, CycleReport& report) {
    std::vector<RunHandle> only;
    if (changed && parts_->loader.run(now)) only = changed();
    const std::optional<Elapsed> due = promise();
    if (cause == TickCause::period) report.late = lateness(now);
    parts_->cycle.run(cause, only, due, now, report);
    // A change may be reported by any thread; whoever delivers learns that there may be something to do.
    if (cause == TickCause::changed) return wake_if_sooner(now.elapsed);
    if (MailPort* const mail = parts_->mail.get(); mail != nullptr && parts_->cycle.classes().is_round(cause))
        mail->check(now, report);
    parts_->cycle.classes().leave();
}

HEELER_INLINE CycleReport Engine::deliver() {
    CycleReport report;
    if (!parts_->usable) return report;  // every tick says so
    const Instant now = parts_->clock.now();
    parts_->deliverer.run(now, report);
    parts_->refused.look(parts_->settings, now);
    parts_->health.look(parts_->ledger, parts_->courier, parts_->settings, now);
    parts_->courier.tell(now, report);
    if (MailPort* const mail = parts_->mail.get()) mail->tell(now, report);
    const auto owes_mail = [this] {  // a mailbox may come while somebody is asked whether to clear
        const MailPort* const mail = parts_->mail.get();
        return mail != nullptr && mail->owes();
    };
    parts_->deliverer.clear_context(owes_mail, now, report);
    report.deliveries = 1;
    return report;
}

HEELER_INLINE bool Engine::has_settled() const { return parts_->deliverer.queues().has_settled(); }

HEELER_INLINE CycleReport Engine::cycle(TickCause cause, const Changed& changed) {
    CycleReport report;
    const Instant now = parts_->clock.now();
    if (parts_->cycle.classes().due(cause, now)) parts_->deliverer.context().again(now, report);
    report.absorb(tick(cause, changed));
    report.cause = cause;
    // Whoever was left over comes at once, after what was found so far was delivered.
    const std::uint64_t most = parts_->settings.due_per_tick;
    const bool of_some = cause == TickCause::outcome || cause == TickCause::changed;
    std::uint64_t rest = of_some ? 0 : (report.left + most - 1) / most;
    for (int round = 0;;) {
        report.absorb(deliver());
        if (round++ < 3 && has_settled()) {
            report.absorb(tick(TickCause::outcome));
        } else if (rest-- > 0 && report.left > 0 && report.whole == report.ticks) {
            round = 0;
            report.absorb(tick(TickCause::period));
        } else {
            return report;
        }
    }
}

HEELER_INLINE std::optional<Elapsed> Engine::next_deadline() {
    const Instant now = parts_->clock.now();
    // What is reported from here on wakes whoever asks, whatever the answer will be.
    parts_->asleep_until.store(std::numeric_limits<std::int64_t>::max(), std::memory_order_relaxed);
    auto next = earlier(table_.next_deadline(), parts_->deliverer.queues().next(now));
    next = earlier(next, elapsed_at(now, parts_->courier.next()));
    next = earlier(next, parts_->cycle.classes().next());
    if (const SourcePolling* const sources = parts_->sources.get()) next = earlier(next, sources->next(now));
    // While the store is down, or without a lease, nothing can be decided: no use in asking all the time. What could
    // not be loaded has no deadline of its own.
    if (parts_->ledger.failing_since() || (next && !parts_->held_lease.holds(now.elapsed)))
        next = max_of(next.value_or(now.elapsed), now.elapsed + parts_->settings.flush_every);
    next = earlier(next, parts_->held_lease.next_renewal(now));
    const Elapsed then = next.value_or(Elapsed::max());
    parts_->asleep_until.store(then.time_since_epoch().count(), std::memory_order_relaxed);
    parts_->answered.store(max_of(then, now.elapsed).time_since_epoch().count(), std::memory_order_relaxed);
    parts_->promised.store(true, std::memory_order_relaxed);
    return next;
}

// --- what is known ---

HEELER_INLINE std::optional<Duration> Engine::time_to_deadline() {
    const auto next = next_deadline();
    if (!next) return std::nullopt;
    return max_of(Duration{}, *next - parts_->clock.now().elapsed);
}

HEELER_INLINE WallTime Engine::wall_time() const { return parts_->clock.now().wall; }

HEELER_INLINE Result<Status> Engine::status(RunHandle run) const {
    const auto shown = table_.status(run);
    if (!shown && table_.is_elsewhere(run)) return fail(ErrorCode::ended, "another watchdog holds the run now");
    if (!shown) return fail(ErrorCode::ended, "the run is over, or no run of this watchdog has this handle");
    return *shown;
}

HEELER_INLINE Result<Report> Engine::report(std::string_view run) {
    const Instant now = parts_->clock.now();
    const auto known = parts_->ledger.history(now, run);
    if (!known) return tl::unexpected<Error>(known.error());
    const auto handle = parts_->registry.find(run);
    if (auto* watched = handle ? table_.find(*handle) : nullptr; watched != nullptr) {
        const std::lock_guard guard{watched->lock};
        if (table_.current(*handle)) return report_of(*watched, *known, now);
    }
    if (!known->row) return detail::no_such_run(run, "");
    return stored_report(*known, now);
}

HEELER_INLINE Result<std::string> Engine::explain(std::string_view run) {
    const Instant now = parts_->clock.now();
    const auto known = parts_->ledger.history(now, run);
    if (!known) return tl::unexpected<Error>(known.error());
    if (!known->row) return detail::no_such_run(run, "");
    return explanation(*known, now);
}

HEELER_INLINE std::string Engine::describe() const {
    std::string text;
    const Rhythm& rhythm = parts_->cycle.rhythm();
    for (const auto& known : parts_->registry.classes())
        text += description(known->rules, rhythm.median(), rhythm.longest()) + "  rules " + known->version + "\n" +
                absent_verbs(known->rules, parts_->deliverer.effects().control_of(known->rules.name));
    return text;
}

#define HEELER_OBSERVES(What) template Observed Engine::observe<What>(RunHandle, const What&, Instant)
#if defined(HEELER_COMPILED) || defined(HEELER_IMPLEMENTATION)
HEELER_OBSERVES(Heartbeat);
HEELER_OBSERVES(SignOfLife);
HEELER_OBSERVES(Output);
HEELER_OBSERVES(ToolCall);
HEELER_OBSERVES(ToolResult);
HEELER_OBSERVES(Message);
HEELER_OBSERVES(Progress);
HEELER_OBSERVES(Usage);
HEELER_OBSERVES(StateChange);
HEELER_OBSERVES(Compaction);
HEELER_OBSERVES(OutputAccess);
HEELER_OBSERVES(Reading);
HEELER_OBSERVES(Resource);
#endif
#undef HEELER_OBSERVES

}  // namespace heeler::inline HEELER_ABI::detail

#include <heeler/engine/decisions-inl.hpp>
#include <heeler/engine/vitals-inl.hpp>
