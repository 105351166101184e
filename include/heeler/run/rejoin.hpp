// What becomes of the reports of a host that registered a run while nobody could ask the store, which has that run.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/run.hpp>
#include <heeler/run/fold.hpp>
#include <heeler/run/watched_run.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The state that the host told of last; a wait goes on, or ends, from now on.
inline void rejoin_state(RunMemory& stored, const RunMemory& told, Instant now) {
    if (!told.state_told) return;
    Folder{stored, now}.enter(told.run.state);
    stored.wait_until(told.rare->waits_until);
    stored.state_told = stored.unjudged = true;
}

/// What was counted since the registration comes on top, and each moment is as long ago as it was.
inline void rejoin_run(Run& run, const Run& told, bool progressed, Instant now) {
    const Duration later = run.working(now.elapsed) - told.working(now.elapsed);
    const auto raise = [&](auto moment) {
        if (told.*moment)
            run.*moment = detail::max_of((run.*moment).value_or(Duration::min()), *(told.*moment) + later);
    };
    for (const auto moment : {&Run::last_alive, &Run::last_activity, &Run::last_sign}) raise(moment);
    if (progressed)
        for (const auto moment : {&Run::last_progress, &Run::last_gain}) raise(moment);
    if (told.excuses->changes > 0) run.excuses.edit().take_expected(*told.excuses, later);
    if (told.reported_value) run.reported_value = told.reported_value;
    run.observations += told.observations;
    run.lines += told.lines;
    run.calls += told.calls;
    run.open_calls += told.open_calls;
    run.output_readable = told.output_readable;
    if (told.words) run.words = told.words;
    if (told.children) run.children.edit().take(*told.children);
    if (!told.usage) return;
    UsageTotals& usage = run.usage.edit();
    usage.tokens_in += told.usage->tokens_in;
    usage.tokens_out += told.usage->tokens_out;
    usage.api_calls += told.usage->api_calls;
    usage.bytes_written += told.usage->bytes_written;
    usage.cost_usd += told.usage->cost_usd;
}

/// Checkpoints that wait to be stored come after those that are.
inline void rejoin_checkpoints(RunMemory& stored, const RunMemory& told, Instant now) {
    if (!told.checkpoints) return;
    Checkpoints& all = stored.checkpoints.edit();
    const Checkpoints& news = *told.checkpoints;
    if (news.last.at) {
        all.last = news.last;
        *all.last.at += stored.run.working(now.elapsed) - told.run.working(now.elapsed);
        stored.run.checkpoint_base = all.last.at;
    }
    detail::append_all(all.steps, news.steps);
    detail::sort(all.steps);
    detail::drop_repeated(all.steps);
    for (CheckpointRow row : told.unsaved->checkpoints) {
        row.number = ++all.count;
        row.incarnation = stored.run.incarnation;
        stored.unsaved.edit().checkpoints.push_back(std::move(row));
    }
}

/// `stored` is the run as the store has it, `told` what a host registered under its id, and reported since. What a
/// source of its own said is read again, from where the stored cursor stands. What detectors saw of it meanwhile is
/// lost: a verdict may come later. Under the run's lock.
inline void rejoin(RunMemory& stored, RunMemory& told, Instant now) {
    rejoin_state(stored, told, now);
    stored.dirty = true;
    if (told.source) {
        const bool was_read = !told.source->cursor.empty();
        told.source.edit().cursor = stored.source->cursor;
        stored.source = std::move(told.source);
        if (was_read) return;
    }
    if (told.lines) stored.lines = std::move(told.lines);
    const bool same_value = told.run.reported_value && told.run.reported_value == stored.run.reported_value;
    const bool else_new = told.run.lines > 0 || told.results || told.checkpoints || told.run.children->progress;
    rejoin_run(stored.run, told.run, !same_value || else_new, now);
    rejoin_checkpoints(stored, told, now);
    if (!told.unsaved->audit.empty()) stored.unsaved.edit().audit = told.unsaved->audit;
}

}  // namespace heeler::inline HEELER_ABI::detail
