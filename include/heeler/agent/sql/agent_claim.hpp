// Whether a run may be taken from its agent: a pure function of its row and of what was judged; for the tables of
// agents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/agent/sql/agent_row.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI {

/// What an agent needs to write to its row. The token is its alone: whoever knows it writes in its name.
struct AgentTicket {
    std::string run{};
    std::string token{};
    std::uint32_t attempt = 1;
};

/// Who claimed a run in the table of its agents. `we`: through this object, or a watchdog that shared its store with
/// nobody and is gone.
enum class AgentClaimer : std::uint8_t { nobody, we, somebody };

namespace detail {

/// A row as a claim sees it, locked.
struct AgentClaimRow {
    AgentTicket ticket{};  ///< `attempt` is 0 if the column holds no such number
    std::string status{};
    std::optional<std::string> key{};
    std::string claimed_by{};  ///< who wrote the key; empty: nobody, or nobody who said so
    std::uint64_t fence = 0;   ///< the highest one of a claim
    std::optional<std::string> checkpoint{};
    std::optional<std::int64_t> base_age{};  ///< microseconds since the last checkpoint, else since the attempt began
    bool wrote = false;                      ///< the attempt has left a checkpoint or a heartbeat
};

/// What the last poll read of a row: what a verdict rests on.
struct JudgedRow {
    std::optional<std::string> attempt{};
    std::optional<std::string> checkpoint{};
};

/// Who wants to raise the attempt, and what it knows.
struct AgentClaim {
    std::string_view run{};
    std::uint32_t attempt = 1;  ///< the one that is replaced
    std::string_view key{};
    std::string_view asker{};
    std::uint64_t fence = 0;            ///< 0: nothing to compare with
    bool repeatable = false;            ///< whoever is started under the same key is started once
    std::optional<JudgedRow> judged{};  ///< absent: no poll was made
    Duration fresh{};                   ///< a younger checkpoint proves work
    Duration silent{};                  ///< so does one that came after the work that the verdict knows of
};

enum class AgentClaimStep : std::uint8_t {
    take,      ///< archive the old attempt, begin the next
    renew,     ///< our own claim, under another key: begin its attempt again
    continue_  ///< claimed already
};

/// `rejected`: something moved since the verdict. `ended`: the run is completed. `fenced`: who claims was replaced.
/// `timed_out`: another one claimed under the same key, and may start an agent, or has done so.
[[nodiscard]] inline Result<AgentClaimStep> decide_agent_claim(const AgentClaimRow& row, const AgentClaim& claim) {
    const auto refuse = [&](std::string said, ErrorCode code = ErrorCode::rejected) {
        return fail(code, "agent_progress, run \"" + text::shown_name(claim.run, 160) + "\": " + said +
                              "; nothing was claimed");
    };
    if (row.status == "completed") return refuse("it is completed", ErrorCode::ended);
    if (row.status != "in_progress") return refuse("its status is \"" + text::one_line(row.status, 64) + '"');
    if (claim.fence != 0 && row.fence > claim.fence)
        return refuse("whoever took the run over has claimed since; this watchdog was replaced", ErrorCode::fenced);
    const bool is_later = row.ticket.attempt > claim.attempt && row.key;
    const bool is_ours = row.claimed_by == claim.asker;
    if (is_later && *row.key == claim.key) {
        if (is_ours || claim.repeatable) return AgentClaimStep::continue_;
        return refuse("another watchdog claimed it under the same key, and may have started an agent",
                      ErrorCode::timed_out);
    }
    // That nobody was started under the older key is known: only then is there a new one. Whoever works all the same is
    // replaced as anybody else.
    if (is_later && is_ours && !claim.asker.empty() && !row.wrote) return AgentClaimStep::renew;
    // A watchdog whose store was lost counts anew. It may go on from the attempt that it has read.
    const bool is_known = claim.judged && claim.judged->attempt == std::to_string(row.ticket.attempt);
    if (claim.attempt == 0 || row.ticket.attempt == 0 || (row.ticket.attempt != claim.attempt && !is_known))
        return refuse("its attempt is " + std::to_string(row.ticket.attempt) + ", not " +
                      std::to_string(claim.attempt) +
                      (row.key ? ", claimed under the key " + text::one_line(*row.key, 80) : ""));
    // A time in the future proves nothing.
    const bool is_told = row.base_age && *row.base_age >= -future_tolerance;
    // What the last poll read may be younger than the verdict, too.
    const bool is_younger = is_told && Duration{*row.base_age + future_tolerance} < claim.silent;
    if (is_younger || (claim.judged && claim.judged->checkpoint != row.checkpoint))
        return refuse("a checkpoint came after the verdict, or the attempt began after it");
    if (is_told && Duration{*row.base_age} < claim.fresh)
        return refuse("its last checkpoint or the beginning of its attempt is " +
                      std::to_string(std::max<std::int64_t>(*row.base_age, 0) / 1'000'000) + " s old, less than the " +
                      std::to_string(claim.fresh / std::chrono::seconds{1}) + " s between checkpoints");
    return AgentClaimStep::take;
}

}  // namespace detail

}  // namespace heeler::inline HEELER_ABI
