// A store, a notifier and an agent control whose process can die before and after every call, and that look at what is
// stored at the moment of every effect.
#pragma once

#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/agent/sql/agent_claim.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/issue.hpp>
#include <heeler/effects/control_ref.hpp>

#include "crash/outside.hpp"

namespace crash {

using namespace heeler;

/// Any store, so that the watchdog is compiled once.
struct AnyStore {
    virtual ~AnyStore() = default;
    virtual Result<Snapshot> load() = 0;
    virtual Result<List<DecisionRow>> list() = 0;
    virtual Result<Conflicts> commit(const Batch& batch) = 0;
    virtual Result<History> history(std::string_view run) = 0;
    virtual Result<Lease> claim(Claimant who, Duration length) = 0;
    virtual Result<void> release(const Lease& lease) = 0;
    virtual Result<Claimed> claim_runs(const Claim& claim) = 0;
};

template <class Store>
struct StoreOf final : AnyStore {
    Store store;
    explicit StoreOf(Store real) : store{std::move(real)} {}
    Result<Snapshot> load() override { return store.load(); }
    Result<List<DecisionRow>> list() override { return store.list(); }
    Result<Conflicts> commit(const Batch& batch) override { return store.commit(batch); }
    Result<History> history(std::string_view run) override { return store.history(run); }
    Result<Lease> claim(Claimant who, Duration length) override { return store.claim(who, length); }
    Result<void> release(const Lease& lease) override { return store.release(lease); }
    Result<Claimed> claim_runs(const Claim& claim) override { return store.claim_runs(claim); }
};

/// Makes another connection to the store of this trial.
using OpenStore = std::function<std::unique_ptr<AnyStore>()>;

/// Any table of agents, as `TableFencedControl` needs it.
struct AnyTable {
    virtual ~AnyTable() = default;
    virtual Result<AgentTicket> claim(const ActionRequest& asked, bool repeatable) = 0;
    virtual Result<AgentClaimer> claimer(std::string_view key) = 0;
    virtual Result<bool> release(std::string_view run, std::string_view key, std::string_view asker) = 0;
    virtual Result<void> retire(std::string_view run, RunState how, std::uint64_t fence) = 0;
    [[nodiscard]] virtual std::string prompt(const AgentTicket& ticket) const = 0;
};

template <class Table>
struct TableOf final : AnyTable {
    Table table;
    template <class... Arguments>
    explicit TableOf(Arguments... arguments) : table{std::move(arguments)...} {}
    Result<AgentTicket> claim(const ActionRequest& asked, bool repeatable) override {
        return table.claim(asked, repeatable);
    }
    Result<AgentClaimer> claimer(std::string_view key) override { return table.claimer(key); }
    Result<bool> release(std::string_view run, std::string_view key, std::string_view asker) override {
        return table.release(run, key, asker);
    }
    Result<void> retire(std::string_view run, RunState how, std::uint64_t fence) override {
        return table.retire(run, how, fence);
    }
    [[nodiscard]] std::string prompt(const AgentTicket& ticket) const override { return table.prompt(ticket); }
};

/// Makes another connection to that table.
using OpenTable = std::function<std::unique_ptr<AnyTable>()>;

/// When a process gets a signal: at the point `at`, counted from 1 (0: never), and then at every `every`-th (0: no
/// more).
struct Fate {
    int at = 0;
    int signal = SIGKILL;
    int every = 0;
    std::string_view after{};  ///< also after each call of this name
};

/// Counts the points that a process passes, and gives it the signal.
class Fuse {
public:
    Fuse(const Outside& outside, Fate fate) : outside_{outside}, fate_{fate} {}

    void pass(std::string_view when, std::string_view what) {
        ++passed_;
        outside_.note("point " + std::to_string(passed_) + " " + std::string{when} + " " + std::string{what});
        const bool named = when == "after" && what == fate_.after;
        if (!named && passed_ != fate_.at) return;
        if (!named) fate_.at += fate_.every;
        static_cast<void>(::raise(fate_.signal));
    }

    [[nodiscard]] const Outside& outside() const noexcept { return outside_; }

private:
    const Outside& outside_;
    Fate fate_;
    int passed_ = 0;
};

class CrashingStore {
public:
    CrashingStore(std::unique_ptr<AnyStore> inner, Fuse& fuse) : inner_{std::move(inner)}, fuse_{&fuse} {}

    Result<Snapshot> load() {
        return passed("load", [&] { return inner_->load(); });
    }
    Result<List<DecisionRow>> list() {
        return passed("list", [&] { return inner_->list(); });
    }
    Result<Conflicts> commit(const Batch& batch) {
        return passed("commit", [&] {
            auto conflicts = inner_->commit(batch);
            for (const RunBatch& run : batch.runs) tell(run.row, conflicts);
            return conflicts;
        });
    }
    Result<History> history(std::string_view run) {
        return passed("history", [&] { return inner_->history(run); });
    }
    Result<Lease> claim(Claimant who, Duration length) {
        return passed("claim", [&] { return inner_->claim(who, length); });
    }
    Result<void> release(const Lease& lease) {
        return passed("release", [&] { return inner_->release(lease); });
    }
    Result<Claimed> claim_runs(const Claim& claim) {
        return passed("claim_runs", [&] { return inner_->claim_runs(claim); });
    }

private:
    template <class Call>
    auto passed(std::string_view operation, Call call) -> decltype(call()) {
        fuse_->pass("before", operation);
        auto result = call();
        fuse_->pass("after", operation);
        return result;
    }

    /// For who reads the log of a trial that failed.
    void tell(const RunRow& row, const Result<Conflicts>& conflicts) const {
        const bool refused = conflicts && std::find(conflicts->begin(), conflicts->end(), row.id) != conflicts->end();
        fuse_->outside().note((!conflicts ? "failed "
                               : refused  ? "refused "
                                          : "stored ") +
                              row.id + " version " + std::to_string(row.version + 1) + " " +
                              std::string{name_of(row.state)} + " attempt " + std::to_string(row.attempt) +
                              " incarnation " + std::to_string(row.incarnation));
    }

    std::unique_ptr<AnyStore> inner_;
    Fuse* fuse_;
};

/// Sees the store as somebody else does, through a connection of its own, at the moment of an effect, and says what
/// should not be.
class Witness {
public:
    /// `alone`: no other process can have done meanwhile what this one is about to do.
    Witness(const Outside& outside, OpenStore open, bool alone)
        : outside_{outside}, open_{std::move(open)}, alone_{alone} {}

    [[nodiscard]] History known(std::string_view run) {
        if (!store_) store_ = open_();
        auto found = store_->history(run);
        if (!found) wrong("store", found.error().message);
        return found ? *std::move(found) : History{};
    }

    /// Something is about to happen to a run, by this verb.
    void sees(std::string_view verb, const ActionRequest& asked) {
        const History history = known(asked.run);
        if (!history.row) return wrong("I5", "the run is not stored");
        const Action* intent = nullptr;
        for (const Action& action : history.actions)
            if (action.key == asked.key) intent = &action;
        if (intent == nullptr) return wrong("I5", std::string{verb} + " without a stored intent");
        if (intent->outcome != ActionOutcome::intended)
            wrong("I5", std::string{verb} + " of an action that is " + std::string{name_of(intent->outcome)});
        if (is_terminal(history.row->state))
            wrong("I9", std::string{verb} + " of a run that is " + std::string{name_of(history.row->state)});
        if (verb == "spawn" && history.row->incarnation != asked.attempt + 1)
            wrong("I4", "continuation " + std::to_string(asked.attempt) + " while the stored incarnation is " +
                            std::to_string(history.row->incarnation));
    }

    /// Somebody is about to be told.
    void sees(const Alert& alert) {
        if (alert.run.id.empty()) return;  // about a watchdog
        const History history = known(alert.run.id);
        for (const AlertRow& row : history.alerts)
            if (row.alert.key == alert.key) {
                if (alone_ && row.state != AlertRow::State::pending)
                    wrong("I7", alert.kind + " that is settled is sent");
                return;
            }
        wrong("I6", alert.kind + " is sent before it is stored");
    }

    /// The context is about to be cleared: nobody may be owed anything.
    void sees_clear(const std::vector<std::string>& runs) {
        for (const std::string& run : runs)
            for (const AlertRow& row : known(run).alerts)
                if (row.state == AlertRow::State::pending)
                    wrong("I6", "the context is cleared before " + row.alert.kind + " was sent or given up");
    }

    void wrong(std::string_view invariant, const std::string& text) const {
        outside_.note("wrong " + std::string{invariant} + " " + text);
    }

private:
    const Outside& outside_;
    OpenStore open_;
    std::unique_ptr<AnyStore> store_;
    bool alone_;
};

/// What an effect needs of the process that it happens in.
struct Surroundings {
    const Outside& outside;
    Fuse& fuse;
    Witness& witness;
    bool first_rejected = false;  ///< there is no room for the first continuation, once
    bool deaf = false;            ///< people hear each alert the second time only, and of errors never
};

class CrashingNotifier {
public:
    static constexpr std::string_view name = "crashing";
    explicit CrashingNotifier(Surroundings around) : around_{around} {}

    Result<Receipt> send(const Alert& alert) {
        around_.fuse.pass("before", "send");
        around_.witness.sees(alert);
        const bool heard = !around_.deaf || (alert.kind != "worker.error" && around_.outside.has("unheard", alert.key));
        around_.outside.note((heard ? "sent " : "unheard ") + alert.key + " " +
                             (alert.run.id.empty() ? "-" : alert.run.id) + " " + alert.kind);
        around_.fuse.pass("after", "send");
        if (!heard) return fail(ErrorCode::delivery_failed, "nobody hears");
        return Receipt{};
    }

private:
    Surroundings around_;
};

/// The watchdog's own context. Every third clear fails.
class CrashingContext {
public:
    CrashingContext(Surroundings around, std::vector<std::string> runs) : around_{around}, runs_{std::move(runs)} {}

    Result<void> clear() {
        around_.fuse.pass("before", "clear");
        around_.witness.sees_clear(runs_);
        int clears = 0;
        for (const Line& line : around_.outside.lines()) clears += line.is("cleared");
        const bool good = clears % 3 != 1;
        around_.outside.note(good ? "cleared ok" : "cleared failed");
        around_.fuse.pass("after", "clear");
        if (!good) return fail(ErrorCode::failed, "not now");
        return {};
    }

private:
    Surroundings around_;
    std::vector<std::string> runs_;
};

/// How an agent control can be asked about what it has done.
enum class Honesty {
    finds,    ///< it answers `find(key)`
    repeats,  ///< it cannot look, but a repeated key changes nothing
    neither,  ///< nobody can tell what became of a call that was cut short
};

[[nodiscard]] constexpr std::string_view name_of(Honesty honesty) {
    constexpr std::string_view names[] = {"finds", "repeats", "neither"};
    return names[static_cast<std::size_t>(honesty)];
}

/// What a verb does: it happens, unless it did already and a repeated key is known.
inline Result<ActionDone> take_effect(const Surroundings& around, std::string_view verb, const ActionRequest& asked,
                                      bool knows_keys) {
    const std::string words = std::string{verb} + " " + std::string{asked.key} + " " + std::string{asked.run};
    around.fuse.pass("before", verb);
    const bool again = knows_keys && around.outside.has("effect", verb, asked.key);
    if (!again) around.witness.sees(verb, asked);
    around.outside.note("asked " + words);
    if (!again) around.outside.note("effect " + words);
    around.fuse.pass("after", verb);
    return ActionDone{};
}

template <Honesty honesty>
class CrashingControl {
public:
    static constexpr bool idempotent = honesty == Honesty::repeats;

    explicit CrashingControl(Surroundings around) : around_{around} {}

    Result<ActionDone> spawn(const ActionRequest& asked) {
        if (around_.first_rejected && !around_.outside.has("rejected", "spawn")) {
            around_.outside.note("rejected spawn " + std::string{asked.key} + " " + std::string{asked.run});
            return fail(ErrorCode::rejected, "no room");
        }
        return act("spawn", asked);
    }
    Result<ActionDone> inject(const ActionRequest& asked) { return act("inject", asked); }
    Result<ActionDone> pause(const ActionRequest& asked) { return act("pause", asked); }
    Result<ActionDone> snapshot(const ActionRequest& asked) { return act("snapshot", asked); }
    Result<ActionDone> terminate(const ActionRequest& asked) { return act("terminate", asked); }

    Result<Found> find(std::string_view key) requires(honesty == Honesty::finds) {
        around_.fuse.pass("before", "find");
        bool found = false;
        for (const Line& line : around_.outside.lines()) found |= line.is("effect") && line.word(2) == key;
        around_.fuse.pass("after", "find");
        return found ? Found::found : Found::absent;
    }

private:
    Result<ActionDone> act(std::string_view verb, const ActionRequest& asked) {
        return take_effect(around_, verb, asked, idempotent);
    }

    Surroundings around_;
};

/// Where issues are filed. There is no way to look for one.
template <Honesty honesty>
class CrashingSink {
public:
    static constexpr bool idempotent = honesty != Honesty::neither;

    explicit CrashingSink(Surroundings around) : around_{around} {}

    Result<ActionDone> file(const Issue& issue) {
        return take_effect(around_, "file", {issue.run.id, issue.key, issue.body, 0}, idempotent);
    }

private:
    Surroundings around_;
};

}  // namespace crash
