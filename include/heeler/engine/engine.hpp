// The engine: everything a watchdog does, as ordinary code behind ports. `Watchdog` is the edge that hosts see.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/callback.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/issue.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/core/vitals.hpp>
#include <heeler/effects/context_ref.hpp>
#include <heeler/effects/control_ref.hpp>
#include <heeler/effects/issue_ref.hpp>
#include <heeler/effects/mailbox_ref.hpp>
#include <heeler/engine/answers.hpp>
#include <heeler/run/run_table.hpp>
#include <heeler/run/source_ref.hpp>
#include <heeler/settings/engine_settings.hpp>

namespace heeler::inline HEELER_ABI::detail {

class ReadyClass;
struct WatchedRun;

/// Not for hosts: `Watchdog` documents each verb. The ports must outlive it.
class Engine {
public:
    Engine(EngineSettings settings, ClockPort& clock, StorePort& store, NotifierPort& notifier);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine();

    Result<void> control(ControlRef control);
    Result<void> control(std::string class_name, ControlRef control);
    void issues(IssueRef sink);
    void context(ContextRef context);
    [[nodiscard]] ContextClears context_clears() const;
    Result<void> mail(MailboxRef mailbox, MailSettings settings);
    void spend(SpendPort* counter);
    void wake_with(Callback<void()> wake);
    void say(Alert alert);

    [[nodiscard]] Result<void> define(RunClass rules);
    /// The same, unless one of that name was: then an error if it has other rules.
    [[nodiscard]] Result<void> define_once(RunClass rules);
    [[nodiscard]] Result<Registered> start(RunSpec spec, RunClass rules);
    [[nodiscard]] Result<Registered> start(RunSpec spec, std::string_view class_name);
    [[nodiscard]] Result<Registered> attach(RunSpec spec, RunClass rules);
    [[nodiscard]] Result<Registered> attach(RunSpec spec, std::string_view class_name);
    [[nodiscard]] Result<RunHandle> find(std::string_view id);
    /// What is registered here, without asking the store.
    [[nodiscard]] std::optional<RunHandle> handle_of(std::string_view id) const;

    /// A sign of life: no lock, no call.
    [[nodiscard]] Observed beat(RunHandle run, Elapsed when, std::uint64_t seq) noexcept {
        return table_.beat(run, when, seq) ? Observed::ok : refusal(run);
    }
    /// `What` is one of `Reported`.
    template <class What>
    Observed observe(RunHandle run, const What& what, Instant now);
    [[nodiscard]] bool fence_off(RunHandle run, std::uint32_t incarnation, Instant now);

    [[nodiscard]] Result<void> watch(RunHandle run, SourceRef source);
    Result<void> watch(std::string class_name, GroupSourceRef source);

    /// What the detector of this kind remembers of a run, as it is saved; absent: nothing yet, or no such run.
    [[nodiscard]] std::optional<std::string> recall(RunHandle run, std::string_view kind) const;
    /// Tells detectors something and puts it on record, all of it durable when this returns.
    [[nodiscard]] Result<void> note(RunHandle run, const Reading* reading, const std::vector<Record>& records);

    [[nodiscard]] Result<void> checkpoint(RunHandle run, const CheckpointNote& note);
    /// Gives what begins its number.
    [[nodiscard]] Result<void> expect(RunHandle run, Expect& what);
    [[nodiscard]] Result<void> finish(RunHandle run, RunEnd how);
    [[nodiscard]] Result<void> decide(DecisionRow decision);
    [[nodiscard]] Result<void> unsilence(std::uint64_t number, std::string_view by);
    [[nodiscard]] Result<List<DecisionRow>> silences();

    /// The runs that have changed, where a cycle is about these alone. Asked when all that is stored is known here.
    using Changed = Callback<std::vector<RunHandle>()>;
    CycleReport tick(TickCause cause, const Changed& changed = {});
    CycleReport deliver();
    CycleReport cycle(TickCause cause, const Changed& changed = {});
    [[nodiscard]] bool has_settled() const;

    [[nodiscard]] Result<void> flush();
    [[nodiscard]] Result<void> leave();
    [[nodiscard]] std::optional<Elapsed> next_deadline();
    /// From now; what is past is zero.
    [[nodiscard]] std::optional<Duration> time_to_deadline();
    [[nodiscard]] WallTime wall_time() const;

    [[nodiscard]] Result<Status> status(RunHandle run) const;
    [[nodiscard]] Result<Report> report(std::string_view run);
    [[nodiscard]] Result<std::string> explain(std::string_view run);
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] Vitals vitals() const;

private:
    friend struct Adviser;
    struct EngineParts;

    /// Why a run takes no reports any more.
    [[nodiscard]] Observed refusal(RunHandle run) const noexcept;
    /// Whether a run takes reports. Under its lock.
    [[nodiscard]] Observed standing(RunHandle run, const WatchedRun& watched) const noexcept;
    template <class What, class Fold>
    [[nodiscard]] Observed fold(RunHandle run, const What& what, Instant now, Fold&& fold_in);
    /// It was never stored.
    [[nodiscard]] bool is_new(RunHandle run) const;
    [[nodiscard]] std::optional<Error> commit(RunHandle run, Instant now);
    void wake_if_sooner(Elapsed when);
    /// When the host was told to call; absent: it did not ask.
    [[nodiscard]] std::optional<Elapsed> promise() const;
    /// How late this cycle is; absent: nobody asked when it was due.
    [[nodiscard]] std::optional<Duration> lateness(Instant now);
    void run_cycle(TickCause cause, const Changed& changed, Instant now, CycleReport& report);

    RunTable<WatchedRun> table_;
    EngineParts* parts_;  // owned; a smart pointer would cost every user of the engine the header <memory>
};

}  // namespace heeler::inline HEELER_ABI::detail

#ifndef HEELER_COMPILED
#include <heeler/engine/engine-inl.hpp>
#endif
