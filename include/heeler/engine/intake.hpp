// Takes in what a run's source has found: outside the run's lock it reads, under it it folds.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <heeler/engine/events.hpp>
#include <heeler/engine/fold.hpp>
#include <heeler/engine/run_cell.hpp>
#include <heeler/engine/run_table.hpp>
#include <heeler/engine/validate.hpp>

namespace heeler::inline v0 {

/// From the thread that ticks. The cursor is stored with the memory that it produced: after a crash both are as old.
template <class Detectors>
class Intake {
public:
    using Cell = RunCell<Detectors>;

    explicit Intake(RunTable<Cell>& table) : table_{table} {}

    /// Polls until the source has nothing more, at most `most_polls` times: the rest comes in the next cycle.
    void operator()(RunHandle handle, Cell& cell, Instant now, CycleReport& report) {
        for (int polls = 0; polls < most_polls; ++polls) {
            SourceRef source;
            std::string cursor;
            {
                const std::lock_guard guard{cell.lock};
                if (!table_.current(handle) || !cell.feed || !cell.feed->source.present()) return;
                if (is_terminal(cell.run.state)) return;
                source = cell.feed->source;
                cursor = cell.feed->cursor;
            }
            auto polled = source.poll(cursor);
            const std::lock_guard guard{cell.lock};
            if (!table_.current(handle) || !cell.feed) return;
            if (!polled) return lose(cell, polled.error(), report);
            cell.feed->lost = false;
            for (const Error& problem : polled->problems) report.error("source", cell.run.id, problem);
            fold(handle, cell, *polled, now, report);
            if (!polled->more || is_terminal(cell.run.state)) return;
        }
    }

private:
    static constexpr int most_polls = 16;

    /// Said once; until the source can be read again nobody can say how old the run's last sign is.
    static void lose(Cell& cell, const Error& error, CycleReport& report) {
        if (!std::exchange(cell.feed->lost, true)) report.error("source", cell.run.id, error);
    }

    void fold(RunHandle handle, Cell& cell, Polled& polled, Instant now, CycleReport& report) {
        for (const SourceEvent& event : polled.events) {
            const WallTime at = std::min(event.at.value_or(now.wall), now.wall);
            Folder<Detectors> folder{cell, Instant{elapsed_at(now, at), at}};
            try {
                std::visit([&](const auto& what) { fold_one(folder, what); }, event.what);
            } catch (...) {
                report.error("source", cell.run.id,
                             {ErrorCode::failed, "a detector threw at an event; it is passed over"});
            }
            if (is_terminal(cell.run.state)) break;
        }
        if (polled.events.empty() && cell.feed->cursor == polled.cursor) return;
        cell.feed->cursor = std::move(polled.cursor);
        cell.fed = cell.dirty = true;
        if (is_terminal(cell.run.state)) table_.close(handle, now.elapsed);
    }

    template <class What>
    static void fold_one(Folder<Detectors>& folder, const What& what) {
        if (is_sane(what)) folder(what);
    }

    RunTable<Cell>& table_;
};

}  // namespace heeler::inline v0
