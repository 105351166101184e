// What a store keeps: rows as plain values, committed in batches, loaded at start, read back as history.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/incident.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// A run's row. Columns for people and queries; three encoded parts for the library, of which `spec` and `memory` are
/// absent where they did not change.
struct RunRow {
    std::string id{};
    std::uint64_t version = 0;  ///< expected in the store; 0: the row must not exist. A commit stores version + 1
    std::string name{};
    std::string class_name{};
    RunState state = RunState::running;
    Status status = Status::healthy;
    std::uint32_t attempt = 1;
    std::uint32_t incarnation = 1;
    WallTime created_at{};
    WallTime updated_at{};
    std::optional<WallTime> ended_at{};
    std::string holder{};     ///< the watchdog whose run it is; empty: nobody's
    std::uint64_t epoch = 0;  ///< of that watchdog's lease when it wrote this
    std::string facts{};
    std::optional<std::string> spec{};
    std::optional<std::string> memory{};
};

struct CheckpointRow {
    std::uint64_t number = 0;  ///< per run, from 1
    std::uint32_t incarnation = 1;
    WallTime at{};
    std::optional<std::int64_t> step{};
    std::string text{};
    CheckpointReason reason = CheckpointReason::scheduled;
};

/// A row of the outbox. `pending` until delivered or given up visibly.
struct AlertRow {
    enum class State : std::uint8_t { pending, delivered, dead, skipped };
    /// How people learn of it, or why they do not.
    enum class How : std::uint8_t {
        plain,      ///< it is sent
        alone,      ///< likewise, though it would have been told with others: nobody else waited
        together,   ///< the alert `with_key` of the run `with_run` speaks for it
        inhibited,  ///< not: people know of trouble of the run `with_run`, above its own; empty: of many
        silenced,   ///< not: an operator keeps it from them, as `note` says
    };

    Alert alert{};
    State state = State::pending;
    std::uint32_t attempts = 0;
    WallTime created_at{};
    WallTime not_before{};
    std::string last_error{};  ///< of the last attempt to send it
    How how = How::plain;
    std::string with_key{};
    std::string with_run{};
    std::string note{};
    std::string action_key{};  ///< the escalate action that this alert carries out; empty: none
};

/// An append-only record: verdicts with their evidence, what was held back and why, who decided what.
struct AuditRow {
    WallTime at{};
    std::string kind{};
    std::string run{};
    std::string body{};  ///< one JSON object
};

namespace detail {

/// Kinds of records that the library looks for itself.
inline constexpr std::string_view gap_record = "gap", away_record = "away", slow_host_record = "slow_host",
                                  doubt_record = "contradiction", vanished_record = "vanished", held_record = "held",
                                  heartbeats_record = "heartbeats";

}  // namespace detail

enum class Verb : std::uint8_t {
    snooze,
    resume_watch,
    dismiss,
    ack,
    resume,
    mark_stopped,
    mark_wrong,
    freeze,
    unfreeze,
    silence,
    pause,
    step,
    limit
};

inline constexpr std::array<std::string_view, 13> verb_names{
    "snooze", "continue", "dismiss", "ack",   "resume", "mark_stopped", "mark_wrong",
    "freeze", "unfreeze", "silence", "pause", "step",   "limit"};

/// Which alerts a silence is about: those that fit all that is set.
struct AlertMatch {
    std::string run{};
    std::string class_name{};
    std::string tag{};  ///< of the run
    std::string kind{};
    std::optional<Severity> at_most{};

    [[nodiscard]] bool empty() const noexcept {
        return run.empty() && class_name.empty() && tag.empty() && kind.empty() && !at_most;
    }
    friend bool operator==(const AlertMatch&, const AlertMatch&) = default;
};

/// An operator's decision: a row that the next tick applies, so it can be written while no watchdog runs.
struct DecisionRow {
    std::uint64_t number = 0;  ///< assigned by the store, from 1
    std::string run{};         ///< empty for freeze and unfreeze of everything, and of a silence
    Verb verb = Verb::ack;
    std::optional<WallTime> until{};
    std::string by{};
    WallTime at{};
    std::string damage{};                    ///< what of it cannot be read; then only the number and the run are known
    std::string because{};                   ///< why, for people; a silence needs it
    AlertMatch about{};                      ///< of a silence
    Duration length{};                       ///< of a limit: what the run's own `timeout` becomes; 0: nothing
    std::int64_t tokens = 0, micro_usd = 0;  ///< likewise its own budget (`RunSpend`)
};

/// A loop that an operator called wrong: it is no finding any more for the runs of this class.
struct MuteRow {
    std::string class_name{};
    Condition condition = Condition::loop_detected;
    std::uint64_t identity = 0;  ///< `Finding::identity`
    std::string by{};
    WallTime at{};
};

/// How often a condition opened an incident in a class, and how often an operator called it wrong. In a batch: by how
/// much these grow.
struct TallyRow {
    std::string class_name{};
    Condition condition = Condition::stalled;
    std::uint64_t incidents = 0;
    std::uint64_t wrong = 0;
};

/// What a run spent on a day (since 1970, in UTC), in tokens of both directions and in millionths of a dollar. In a
/// batch: by how much that grows, and nothing if the day is negative. `lineage`: the first of the runs that it goes on
/// with, or itself; `owner`: who pays; `told`: of which caps alerts of the run told, a line each.
struct SpendRow {
    std::string lineage{}, owner{}, told{};
    std::int64_t day = -1, tokens = 0, micro_usd = 0;
};

/// Everything that one commit changes about one run. Left out as a whole if the run's version moved.
struct RunBatch {
    RunRow row{};
    List<CheckpointRow> checkpoints{};
    List<Intervention> interventions{};  ///< inserted, or replaced by number
    List<Action> actions{};              ///< inserted, or replaced by key
    List<AlertRow> alerts{};             ///< inserted, or replaced by key
    List<AuditRow> audit{};
    SpendRow spend{};
};

/// The right of one watchdog among several to act. A write under an epoch that is not the holder's newest is refused.
struct Lease {
    std::string holder{};     ///< name of the watchdog; empty: it is alone and needs no lease
    std::uint64_t epoch = 0;  ///< from 1; raised whenever others may have acted in between
};

/// Who asks for a lease: the watchdog of this name, and its process.
struct Claimant {
    std::string_view holder{};
    std::string_view owner{};
};

/// One alert of a run.
struct AlertKey {
    std::string_view run{};
    std::string_view key{};
};

/// A watchdog that did not renew its lease in time.
struct LostHolder {
    std::string name{};
    std::uint64_t runs = 0;   ///< that it held
    std::uint64_t epoch = 0;  ///< of the lease that ran out
    Lease finder{};           ///< under which somebody is to tell people
};

/// The lease of the one watchdog without a name: it keeps others without a name away, and nothing is written under it.
/// No watchdog may be named like this, and nobody misses it when it runs out.
inline constexpr std::string_view unnamed_holder = "(unnamed)";

/// What one commit changes: all of it or nothing, but for the runs named as conflicts.
struct Batch {
    Lease lease{};  ///< under which it is written: `fenced` and nothing stored if that lease was lost
    List<RunBatch> runs{};
    List<DecisionRow> decisions{};  ///< new ones
    List<std::uint64_t> applied{};  ///< numbers of decisions that were carried out
    List<AuditRow> audit{};         ///< about no run
    List<MuteRow> mutes{};          ///< inserted, or left as they are (class, condition and identity name one)
    List<TallyRow> tallies{};       ///< added to what is stored of the class and condition
    bool durable = false;           ///< holds an intent, an alert, a checkpoint, a decision or a change of lifecycle
    List<LostHolder> told{};        ///< people know of these, or never will: no claim names them again

    [[nodiscard]] bool empty() const noexcept {
        return runs.empty() && decisions.empty() && applied.empty() && audit.empty() && mutes.empty() &&
               tallies.empty() && told.empty();
    }
};

/// Ids of the runs whose version had moved: nothing of them was written.
using Conflicts = std::vector<std::string>;

/// What is stored of one run that has not ended, or that still has something to carry out.
struct StoredRun {
    RunRow row{};  ///< with `spec`, and with `memory` unless that cannot be read
    /// Those of the newest intervention, and all that are `intended` yet, in the order they were committed.
    List<Action> actions{};
    List<Intervention> interventions{};
    List<AlertRow> pending{};
    std::uint64_t checkpoints = 0;  ///< how many there are
    std::string taken_from{};       ///< who held it before a claim; empty: nobody
    std::string damage{};           ///< what of it cannot be read; then only `row.id` is known
};

/// A stored row that cannot be read and was passed over: an alert, or something that belongs to no run.
struct DamagedRow {
    std::string run{};
    std::string what{};  ///< table, column, value
};

/// Everything that a watchdog needs to go on where the last one stopped.
struct Snapshot {
    List<StoredRun> runs{};
    List<MuteRow> mutes{};
    List<TallyRow> tallies{};
    List<DamagedRow> damaged{};
};

/// Which runs a watchdog asks for: those of no live lease that it can observe.
struct Claim {
    Lease lease{};                           ///< of the one who asks
    std::vector<std::string> classes{};      ///< runs of these, whoever held them
    std::vector<std::string> own_classes{};  ///< runs of these that nobody held, or the asker under an earlier lease
    std::string run{};                       ///< only this run, whatever its class and whoever held it; empty: by class
    std::uint64_t most = 500;                ///< runs in one go
};

/// What it gets.
struct Claimed {
    List<StoredRun> runs{};   ///< they belong to the lease now, in order of registration
    List<LostHolder> lost{};  ///< of whom nobody told yet: of these the asker does, and no other while its lease lasts
    List<MuteRow> mutes{};    ///< all there are
    bool more = false;        ///< there are runs left to claim
    List<DamagedRow> damaged{};
};

/// One watchdog, for tools; or `unnamed_holder`.
struct HolderRow {
    std::string name{};
    std::uint64_t epoch = 0;
    bool live = false;
    Duration left{};         ///< of its lease, by the store's clock; negative: since when it ran out
    std::uint64_t runs = 0;  ///< that have not ended
    std::string owner{};     ///< the process that has the lease, in the words that it claimed it with; empty: given up
};

/// What is stored about one run, oldest first. Rows that cannot be read are left out and named in `damaged`.
struct History {
    std::optional<RunRow> row{};  ///< absent too if it cannot be read
    List<CheckpointRow> checkpoints{};
    List<Intervention> interventions{};
    List<Action> actions{};
    List<AlertRow> alerts{};
    List<AuditRow> audit{};
    List<DamagedRow> damaged{};
    std::string damage{};  ///< the first of it, unless it is but of alerts and records: the run is left alone
};

/// What tools list. Rows that cannot be read are left out and named.
template <class Row>
struct Listed {
    List<Row> rows{};
    List<DamagedRow> damaged{};
};

}  // namespace heeler::inline HEELER_ABI
