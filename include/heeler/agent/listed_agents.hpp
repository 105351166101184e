// Has the table of agents say which runs there are: a row that anybody inserts is watched from the next cycle on.
#pragma once

#include <algorithm>
#include <iterator>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <heeler/agent/sql/agent_claim.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/source.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// A `GroupSourceLike` that `ListsRuns`: each row of `Table` (`SqliteAgentTable`, `PostgresAgentTable`) that is in
/// progress is a run, without a call of the host; its name is the row's `run`, its work item and its plan are the
/// row's, as they were when it was listed first. Stands in the table's place, in `Watchdog::attach` and in
/// `TableFencedControl`. A row that is deleted, and comes back, is a new run of that name. Any thread; the table must
/// outlive it.
template <class Table>
class ListedAgents {
public:
    explicit ListedAgents(Table& table) : table_{table} {}

    [[nodiscard]] Duration checkpoint_every() const noexcept { return table_.checkpoint_every(); }

    [[nodiscard]] Result<std::vector<RunSpec>> list() {
        auto rows = table_.in_progress();
        if (!rows) return tl::unexpected<Error>(std::move(rows.error()));
        std::vector<std::string> news;
        {
            // A row that is not in progress can be neither claimed nor retired.
            const std::lock_guard guard{mutex_};
            const std::unordered_set<std::string_view> names(rows->begin(), rows->end());
            std::erase_if(returned_, [&](const auto& known) { return !names.contains(known.second); });
            std::erase_if(watched_, [&](const auto& known) { return !names.contains(known); });
            std::copy_if(rows->begin(), rows->end(), std::back_inserter(news),
                         [&](const auto& name) { return !watched_.contains(name); });
        }
        return with_work(*rows, news);
    }

    [[nodiscard]] Result<std::vector<PolledRun>> poll(std::span<const RunCursor> runs) {
        std::vector<RunCursor> rows(runs.begin(), runs.end());
        for (RunCursor& row : rows)
            if (!row.name.empty()) row.run = row.name;
        {
            const std::lock_guard guard{mutex_};
            for (std::size_t i = 0; i < rows.size(); ++i) {
                watched_.insert(rows[i].run);
                if (rows[i].run != runs[i].run) returned_.insert_or_assign(runs[i].run, rows[i].run);
            }
        }
        auto found = table_.poll(rows);
        if (found)
            for (std::size_t i = 0; i < found->size(); ++i) (*found)[i].run = runs[i].run;
        return found;
    }

    [[nodiscard]] Result<AgentTicket> claim(const ActionRequest& asked, bool repeatable) {
        const std::string row = row_of(asked.run);
        ActionRequest about_row = asked;
        about_row.run = row;
        return table_.claim(about_row, repeatable);
    }
    [[nodiscard]] Result<AgentClaimer> claimer(std::string_view key) { return table_.claimer(key); }
    [[nodiscard]] Result<bool> release(std::string_view run, std::string_view key, std::string_view asker = {}) {
        return table_.release(row_of(run), key, asker);
    }
    [[nodiscard]] Result<void> retire(std::string_view run, RunState how, std::uint64_t fence = 0) {
        return table_.retire(row_of(run), how, fence);
    }
    [[nodiscard]] std::string prompt(const AgentTicket& ticket) const { return table_.prompt(ticket); }

private:
    /// The row of a run; runs whose name has returned have another id.
    [[nodiscard]] std::string row_of(std::string_view run) {
        const std::lock_guard guard{mutex_};
        std::string id{run};
        const auto found = returned_.find(id);
        return found == returned_.end() ? id : found->second;
    }

    /// What is watched already has told its work.
    [[nodiscard]] Result<std::vector<RunSpec>> with_work(std::vector<std::string>& rows,
                                                         const std::vector<std::string>& news) {
        auto told = news.empty() ? Result<std::vector<RunSpec>>{} : table_.describe(news);
        if (!told) return told;
        std::vector<RunSpec> runs(rows.size());
        auto next = told->begin();  // in the order of the rows
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (next != told->end() && next->name == rows[i])
                runs[i] = std::move(*next++);
            else
                runs[i].name = std::move(rows[i]);
        }
        return runs;
    }

    Table& table_;
    std::mutex mutex_;
    std::unordered_set<std::string> watched_;                // rows that are in progress, and were polled
    std::unordered_map<std::string, std::string> returned_;  // rows, by the ids of their runs, where they differ
};

}  // namespace heeler::inline HEELER_ABI
