// How the engine takes operators' decisions. Stands behind `engine-inl.hpp`, whose rooms it looks into.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/alert/silence.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/engine/engine-inl.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/redact.hpp>

namespace heeler::inline HEELER_ABI::detail {

HEELER_INLINE Result<void> Engine::decide(DecisionRow decision) {
    const Instant now = parts_->clock.now();
    decision.at = now.wall;
    if (decision.verb == Verb::silence) {
        if (decision.about.run.empty()) decision.about.run = decision.run;
        decision.run.clear();
        if (auto good = check_silence(decision, now.wall); !good) return good;
        decision.because = text::redact(decision.because);
    }
    const auto run = parts_->registry.find(decision.run);
    Batch batch;
    batch.decisions.push_back(std::move(decision));
    List<Change> none;
    auto stored = detail::durable(parts_->ledger.commit(none, std::move(batch), now));
    if (!stored) return stored;
    if (run) table_.sooner(run->index, now.elapsed);
    wake_if_sooner(now.elapsed);
    return stored;
}

HEELER_INLINE Result<List<DecisionRow>> Engine::silences() {
    const Instant now = parts_->clock.now();
    auto open = parts_->ledger.list(now);
    if (open)
        detail::drop_if(*open, [&](const DecisionRow& row) {
            return row.verb != Verb::silence || !row.until || now.wall >= *row.until || !row.damage.empty();
        });
    return open;
}

HEELER_INLINE Result<void> Engine::unsilence(std::uint64_t number, std::string_view by) {
    const Instant now = parts_->clock.now();
    const auto standing = silences();
    if (!standing) return tl::unexpected<Error>(standing.error());
    const auto is_it = [&](const DecisionRow& row) { return row.number == number; };
    if (!detail::any_of(*standing, is_it))
        return fail(ErrorCode::invalid_argument, text::concat("no silence ", std::to_string(number),
                                                              " is in force: `silences()` lists those that are"));
    List<Change> none;
    auto stored = detail::durable(parts_->ledger.commit(none, end_of_silence(number, by, now.wall), now));
    if (stored) wake_if_sooner(now.elapsed);
    return stored;
}

}  // namespace heeler::inline HEELER_ABI::detail
