// The panes of a tmux server as a source of runs: which workers there are, what they wrote, what they say they are.
#pragma once

#include <algorithm>
#include <deque>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/agent/terminal_input.hpp>
#include <heeler/agent/tmux_pane.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/run_filter.hpp>
#include <heeler/core/source.hpp>

#include "pane_news.hpp"

namespace worker_monitor {

/// A pane takes part by its user options: `@name` (else that of its session), `@tags` (words), `@status` (whatever
/// its program reports). Nothing is remembered between two calls but what the cursors say. One thread at a time.
class Panes {
public:
    /// `own`: the panes that are nobody's worker. `filter`: which of the others are.
    Panes(heeler::TmuxServer server, std::vector<std::string> own, heeler::RunFilter filter)
        : server_{std::move(server)}, own_{std::move(own)}, filter_{std::move(filter)} {}

    /// Every worker whose program runs.
    [[nodiscard]] heeler::Result<std::vector<heeler::RunSpec>> list() {
        auto workers = read();
        if (!workers) return tl::unexpected<heeler::Error>(std::move(workers.error()));
        std::vector<heeler::RunSpec> specs;
        for (Worker& worker : *workers)
            if (!worker.pane.dead) specs.push_back(std::move(worker.spec));
        return specs;
    }

    /// What is new in the panes of these runs. One that is gone is left out.
    [[nodiscard]] heeler::Result<std::vector<heeler::PolledRun>> poll(std::span<const heeler::RunCursor> runs) {
        texts_.clear();
        const auto workers = read();
        if (!workers) return tl::unexpected<heeler::Error>(workers.error());
        std::vector<heeler::PolledRun> all;
        for (const heeler::RunCursor& run : runs) {
            const auto* worker = find(*workers, run.name);
            if (worker == nullptr) continue;
            auto found = look(worker->pane, mark_of(run.cursor));
            // A server that hangs would be waited for once for each pane.
            if (!found && found.error().code != heeler::ErrorCode::ended)
                return tl::unexpected<heeler::Error>(std::move(found.error()));
            all.push_back({run.run, std::move(found)});
        }
        return all;
    }

    /// Types a line into the worker's pane. Errors: `unknown_run` if there is no such worker, else those of
    /// `submit_line`.
    [[nodiscard]] heeler::Result<void> nudge(std::string_view name, std::string_view text) {
        const auto workers = read();
        if (!workers) return tl::unexpected<heeler::Error>(workers.error());
        const auto* worker = find(*workers, name);
        if (worker == nullptr)
            return heeler::fail(heeler::ErrorCode::unknown_run,
                                "no pane is the worker \"" + heeler::text::one_line(name, 128) + "\"");
        heeler::TmuxPane pane{server_, worker->pane.id};
        return heeler::submit_line(pane, text);
    }

private:
    struct Worker {
        heeler::TmuxPaneRow pane;
        heeler::RunSpec spec;
    };

    static constexpr std::uint32_t rows_above = 500;

    [[nodiscard]] heeler::Result<std::vector<Worker>> read() const {
        auto rows = server_.panes({"@name", "@tags", "@status"});
        if (!rows) return tl::unexpected<heeler::Error>(std::move(rows.error()));
        std::vector<Worker> workers;
        for (heeler::TmuxPaneRow& row : *rows) {
            heeler::RunSpec spec;
            spec.name = row.options[0].empty() ? row.session : row.options[0];
            std::istringstream tags(row.options[1]);
            for (std::string tag; tags >> tag;) spec.tags.push_back(tag);
            const bool is_own = std::find(own_.begin(), own_.end(), row.id) != own_.end();
            if (!is_own && filter_.admits(spec)) workers.push_back({std::move(row), std::move(spec)});
        }
        return workers;
    }

    /// Of two with one name the first counts, as in the list.
    [[nodiscard]] static const Worker* find(const std::vector<Worker>& workers, std::string_view name) {
        const auto found =
            std::find_if(workers.begin(), workers.end(), [&](const Worker& each) { return each.spec.name == name; });
        return found == workers.end() ? nullptr : &*found;
    }

    [[nodiscard]] heeler::Result<heeler::Polled> look(const heeler::TmuxPaneRow& row, PaneMark before) {
        auto seen = heeler::TmuxPane{server_, row.id}.capture(rows_above);
        if (!seen) return tl::unexpected<heeler::Error>(std::move(seen.error()));
        const std::string pane = row.id + "/" + row.process;
        if (before.pane != pane) before = {};  // another program under this name
        const std::string& status = row.options[2];
        heeler::Polled polled;
        polled.cursor = text_of(mark_at(pane, *seen, status));
        const std::string& news = texts_.emplace_back(news_since(*seen, before));
        if (!news.empty()) polled.events.push_back({heeler::Output{news}});
        if (status != before.status || before.pane.empty())
            polled.events.push_back(
                {heeler::StateChange{.state = heeler::RunState::running, .reported = texts_.emplace_back(status)}});
        return polled;
    }

    heeler::TmuxServer server_;
    std::vector<std::string> own_;
    heeler::RunFilter filter_;
    std::deque<std::string> texts_{};  ///< what the answer of the last poll refers to
};

}  // namespace worker_monitor
