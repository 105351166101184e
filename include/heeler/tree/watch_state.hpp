// What the watch of one node knows: how it is configured, which stop was reviewed, by whom, and how often in vain.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/time.hpp>
#include <heeler/tree/host_answers.hpp>
#include <heeler/tree/recovery_batch.hpp>
#include <heeler/tree/stop_fingerprint.hpp>
#include <heeler/tree/tree_verdict.hpp>
#include <heeler/tree/wake_payload.hpp>

namespace heeler::inline HEELER_ABI {

/// What follows from a look at a tree.
enum class TreeDue : std::uint8_t {
    nothing,
    wake,      ///< a reviewer
    escalate,  ///< to a person: restorations are used up, or the reviewer is silent
};

[[nodiscard]] constexpr TreeDue last_value(TreeDue) noexcept { return TreeDue::escalate; }

/// One look at a watched tree, as plain values: nothing of it refers to the tree.
struct TreeLook {
    WallTime at{};
    TreeVerdict verdict = TreeVerdict::not_applicable;
    TreeDue due = TreeDue::nothing;
    std::string reason{};          ///< of `not_applicable`
    std::string fingerprint{};     ///< of a tree that has stopped
    std::string title{};           ///< of the watched node
    std::string review{};          ///< id of its review task; empty: there is none
    std::string reviewed{};        ///< the stop that turns out to be reviewed; empty: none
    std::string foreign{};         ///< what the review is bound to, in the scheme of another version; empty: it is not
    bool is_open = false;          ///< it has come to no result yet, or waits for people
    bool adopted = false;          ///< that task took the place of the one that was made, for the same stop
    bool restored = false;         ///< the reviewer says that it put the tree in motion
    bool retried = false;          ///< the same wake once more: nothing came of it for certain
    bool waits_for_tasks = false;  ///< a leaf has a blocker that may be over without a change of this tree
    bool when_silent = false;      ///< what is due is so when the review has shown no sign of life for long enough
    std::uint64_t sign = 0;        ///< of the review as it is shown: another value is a sign of life
    std::uint32_t attempt = 0;     ///< of the wake that is due
    std::uint32_t number = 0;      ///< likewise, among all wakes for this fingerprint
    std::uint64_t leaf_count = 0;
    std::uint64_t waits = 0;
    std::vector<LeafSummary> leaves{};      ///< the first of them
    std::vector<std::string> leaf_ids{};    ///< of all of them, as far as there are not too many
    std::vector<std::string> wait_texts{};  ///< likewise
    std::vector<std::uint64_t> digests{};   ///< of all leaves, where they are needed
    std::vector<std::string> live{};        ///< ids of what moves, likewise
    std::vector<std::string> ahead{};       ///< ids of what was made in the future, as is told, the first of them

    void archive(auto& a) {
        a(at, verdict, due, reason, fingerprint, title, review, reviewed, foreign, is_open, adopted, restored, retried,
          waits_for_tasks, when_silent, sign, attempt, number, leaf_count, waits, leaves, leaf_ids, wait_texts, digests,
          live, ahead);
    }
};

/// The tree moves, or somebody looked at how it stands: what was found is over.
[[nodiscard]] constexpr bool is_quiet(TreeVerdict verdict) noexcept {
    return verdict == TreeVerdict::live || verdict == TreeVerdict::already_reviewed;
}

/// How a node is watched.
struct WatchConfig {
    std::string tenant{};
    std::string node{};
    std::string agent{};                        ///< who reviews
    std::optional<std::string> instructions{};  ///< trimmed; absent: none

    friend bool operator==(const WatchConfig&, const WatchConfig&) = default;

    void archive(auto& a) { a(tenant, node, agent, instructions); }
};

/// What a wake came to, as far as is known.
enum class WakeOutcome : std::uint8_t {
    asked,     ///< the host has not answered yet, or was only asked on record
    refused,   ///< by the host
    unknown,   ///< it may have happened
    woken,     ///< and no more is known
    silent,    ///< there was no sign of life for too long
    restored,  ///< the reviewer said so, and the tree stopped again unchanged
};

[[nodiscard]] constexpr WakeOutcome last_value(WakeOutcome) noexcept { return WakeOutcome::restored; }

[[nodiscard]] constexpr std::string_view name_of(WakeOutcome outcome) noexcept {
    constexpr std::string_view names[] = {"asked", "refused", "unknown", "woken", "silent", "restored"};
    return names[static_cast<std::size_t>(outcome)];
}

[[nodiscard]] constexpr bool was_woken(WakeOutcome outcome) noexcept {
    return outcome == WakeOutcome::woken || outcome == WakeOutcome::silent || outcome == WakeOutcome::restored;
}

/// One wake for a stop that was to be restored.
struct WatchAttempt {
    static constexpr std::size_t most_denied = 3;

    std::uint32_t attempt = 0;
    std::string fingerprint{};
    WallTime at{};
    WakeOutcome outcome = WakeOutcome::asked;
    std::uint32_t denials = 0;          ///< changes that the reviewer asked for and was refused
    std::vector<std::string> denied{};  ///< the newest of them, with the reasons

    void deny(std::string what) {
        ++denials;
        if (denied.size() >= most_denied) denied.erase(denied.begin());
        denied.push_back(std::move(what));
    }

    void archive(auto& a) { a(attempt, fingerprint, at, outcome, denials, denied); }
};

/// How often somebody was woken for a stop, by the first bits of its fingerprint.
struct WokenFor {
    std::uint64_t fingerprint = 0;
    std::uint32_t times = 0;

    void archive(auto& a) { a(fingerprint, times); }
};

/// What was asked of the tree's host last.
struct WatchOrder {
    bool open = false;     ///< the wake has not happened yet, as far as is known
    bool resumed = false;  ///< the review task was there before
    std::uint32_t attempt = 0;
    std::uint32_t number = 0;
    std::uint32_t reviews = 0;  ///< how often the review was made for it, and the wake did not follow
    std::string fingerprint{};
    std::vector<std::uint64_t> digests{};
    std::optional<WallTime> left_out{};  ///< when it was only recorded, in shadow mode

    void archive(auto& a) { a(open, resumed, attempt, number, reviews, fingerprint, digests, left_out); }
};

namespace detail {
/// The first 64 bits of a fingerprint: enough to count by.
[[nodiscard]] constexpr std::uint64_t short_of(std::string_view fingerprint) noexcept {
    std::uint64_t bits = 0;
    fingerprint.remove_prefix(std::min(fingerprint.size(), stop_fingerprint_prefix.size()));
    for (const char c : fingerprint.substr(0, 16))
        bits = bits << 4 | static_cast<std::uint64_t>(c >= 'a' ? c - 'a' + 10 : c - '0');
    return bits;
}
}  // namespace detail

/// The memory of a watch. It changes by folds only (`TaskTreeRule::learn`), so that a stored one and the same events
/// always give the same.
struct WatchState {
    static constexpr std::size_t most_kept = 64;  ///< fingerprints whose wakes are counted; attempts of one lineage

    WatchConfig config{};
    bool active = false;
    std::uint64_t revision = 0;  ///< raised when agent or instructions change, or the watch is taken up again
    std::string review{};        ///< id of the review task
    std::string bound{};         ///< the stop that the review is about
    std::string observed{};      ///< the newest stop that was seen
    std::string reviewed{};      ///< the newest stop that was reviewed
    std::vector<std::uint64_t> reviewed_leaves{};
    std::uint32_t triggers = 0;
    std::optional<WallTime> triggered{};
    std::optional<WallTime> completed{};
    std::string lineage{};  ///< the stop that was woken for last and is not reviewed yet
    std::vector<WatchAttempt> attempts{};
    bool restored = false;   ///< the newest of these ended in `restored`
    bool escalated = false;  ///< the lineage is with a person now
    bool reminded = false;   ///< the reviewer was woken once more because it showed no sign of life
    std::uint64_t sign = 0;  ///< of the review, as it was shown last
    Duration signed_at{};    ///< the newest sign of life, or wake, on the working clock
    std::string foreign{};
    WallTime foreign_since{};
    std::vector<WokenFor> woken{};  ///< the oldest first
    WatchOrder order{};
    HostAnswers host{};
    TreeLook look{};
    Duration looked_at{};                 ///< when that was told, on the working clock
    std::optional<BatchReceipt> batch{};  ///< of the run that asked for one last
    std::optional<ScopePin> pin{};        ///< of the run that changed the tree last, as far as others cannot tell

    /// What the clock showed at a moment of the working clock: the look is not told anew while the tree stands still.
    [[nodiscard]] WallTime wall_at(Duration moment) const { return look.at + (moment - looked_at); }

    /// How often an agent was woken for a stop.
    [[nodiscard]] std::uint32_t times_woken(std::uint64_t short_fingerprint) const noexcept {
        for (const WokenFor& known : woken)
            if (known.fingerprint == short_fingerprint) return known.times;
        return 0;
    }

    void archive(auto& a) {
        a(config, active, revision, review, bound, observed, reviewed, reviewed_leaves, triggers, triggered, completed,
          lineage, attempts, restored, escalated, reminded, sign, signed_at, foreign, foreign_since, woken, order, host,
          look, looked_at, batch, pin);
    }
};

/// What a watch is to remember of what its reviewer was answered.
struct GuardNote {
    std::optional<BatchReceipt> batch{};
    std::optional<ScopePin> pin{};
    std::vector<std::string> denied{};  ///< changes, with the reasons

    void archive(auto& a) { a(batch, pin, denied); }
};

/// What a host changes about a watch.
struct WatchChange {
    WatchConfig config{};
    bool arms = true;        ///< false: the watch ends, its history stays
    bool by_person = false;  ///< what was escalated to people begins anew
    WallTime at{};

    void archive(auto& a) { a(config, arms, by_person, at); }
};

/// Whether a change would change anything.
[[nodiscard]] inline bool changes_anything(const WatchState& state, const WatchChange& change) {
    if (!change.arms) return state.active;
    return !state.active || state.config != change.config || (change.by_person && state.escalated);
}

}  // namespace heeler::inline HEELER_ABI
