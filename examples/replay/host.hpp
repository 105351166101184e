// The orchestrator of a replay: a watchdog among its doubles, that can be thrown away and built again.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/engine/watchdog.hpp>
#include <heeler/spend.hpp>
#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/recording_notifier.hpp>
#include <heeler/testing/scripted_control.hpp>
#include <heeler/tree/watch/tree_watch.hpp>

#include "mailboxes.hpp"
#include "process.hpp"
#include "replay_store.hpp"

namespace replay {

using Dog = heeler::Watchdog<heeler::ManualClock, ReplayStore, MortalNotifier>;

/// A run's source, which has nothing to tell besides what is reported, or cannot be read.
struct ScriptedSource {
    bool ok = true;
    heeler::Result<heeler::Polled> poll(std::string_view) const {
        if (!ok) return heeler::fail(heeler::ErrorCode::io, "the source cannot be read, as scripted");
        heeler::Polled nothing;
        nothing.cursor = "read";
        return nothing;
    }
};

/// What a host knows of a run that it registered.
struct KnownRun {
    heeler::RunSpec spec;
    std::string class_name;
    heeler::RunState state = heeler::RunState::running;
    bool told_that_it_is_over = false;
};

class Host {
public:
    Host(std::shared_ptr<StoreBackend> backend, heeler::WallTime epoch);

    [[nodiscard]] heeler::WallTime epoch() const { return epoch_; }
    [[nodiscard]] heeler::Duration t() const { return t_; }
    [[nodiscard]] heeler::WallTime wall() const { return epoch_ + t_; }
    void set_time(heeler::Duration t);
    /// When the watchdog has something to do by its own schedule.
    [[nodiscard]] std::optional<heeler::Duration> next_deadline();

    [[nodiscard]] Dog& dog() { return *dog_; }
    [[nodiscard]] Process& process() { return *process_; }
    [[nodiscard]] heeler::ScriptedControl& control() { return control_.script(); }
    [[nodiscard]] heeler::RecordingNotifier& notifier() { return notifier_.script(); }
    [[nodiscard]] MortalContext& context() { return context_; }
    [[nodiscard]] heeler::ScriptedTree& tree() { return tree_.script(); }
    /// Null before a scenario says anything of trees.
    [[nodiscard]] heeler::TreeWatch* trees() { return trees_ ? &*trees_ : nullptr; }
    /// Task trees are watched from now on, in a class of this name.
    [[nodiscard]] heeler::TreeWatch& watch_trees(const heeler::RunClass& rules);
    /// What watches put on record outside cycles since the last call.
    [[nodiscard]] heeler::List<heeler::AuditRow> take_records() { return std::exchange(records_, {}); }
    [[nodiscard]] ReplayStore& store() { return store_; }
    [[nodiscard]] std::map<std::string, KnownRun, std::less<>>& runs() { return runs_; }

    [[nodiscard]] heeler::Result<void> define(const heeler::RunClass& rules);
    /// Whether a run that reports its completion is over.
    [[nodiscard]] bool completion_ends(std::string_view run) const;
    /// The watchdog looks into mailboxes from the first message on.
    void send(heeler::Mail mail);
    /// An error of the store means that the run is watched all the same, but not stored yet.
    [[nodiscard]] heeler::Result<void> start(const heeler::RunSpec& spec, const heeler::RunClass& rules);
    /// The run has a source from now on, that can be read or cannot.
    [[nodiscard]] heeler::Result<void> polls(const std::string& run, bool ok);
    /// The handle of a run that was registered.
    [[nodiscard]] heeler::Result<heeler::RunHandle> find(std::string_view run);

    template <class What>
    [[nodiscard]] heeler::Observed observe(std::string_view run, const What& what, std::uint32_t incarnation) {
        const auto handle = find(run);
        if (handle && incarnation != 0) return dog_->observe_as(*handle, incarnation, what, clock_.now());
        if (handle) return dog_->observe(*handle, what, clock_.now());
        return handle.error().code == heeler::ErrorCode::ended ? heeler::Observed::ended : heeler::Observed::unknown;
    }

    /// A process in the place of the last one, on the same store or an empty one. Known runs are registered again if
    /// the store is empty, as a host would. Its monotonic clock starts elsewhere.
    [[nodiscard]] heeler::Result<void> start_again(bool keep_store);

private:
    void build();
    /// From the first class with a cap on.
    void count_spend(const heeler::RunClass& rules);
    void build_trees();
    void attach_source(std::string_view run, heeler::RunHandle handle);
    [[nodiscard]] heeler::Result<void> register_again();

    heeler::WallTime epoch_;
    heeler::Duration t_{};
    heeler::Duration boot_{};  // what the monotonic clock showed at t = 0
    heeler::ManualClock clock_;
    ProcessHandle process_ = std::make_shared<Process>();
    std::shared_ptr<StoreBackend> backend_;
    ReplayStore store_;
    MortalNotifier notifier_{process_};
    MortalControl control_{process_};
    MortalIssues issues_{process_};
    MortalContext context_{process_};
    Mailboxes mailboxes_{process_};
    MortalTree tree_{process_};
    std::optional<heeler::RunClass> tree_rules_;
    heeler::List<heeler::AuditRow> records_;
    std::map<std::string, heeler::RunClass, std::less<>> classes_;
    std::map<std::string, KnownRun, std::less<>> runs_;
    std::map<std::string, heeler::RunHandle, std::less<>> handles_;
    std::map<std::string, ScriptedSource, std::less<>> sources_;
    std::optional<heeler::SpendLedger> spend_;
    std::optional<Dog> dog_;
    std::optional<heeler::TreeWatch> trees_;
    std::optional<heeler::OrphanRecovery> orphans_;
};

}  // namespace replay
