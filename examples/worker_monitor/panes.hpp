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
#include <heeler/core/source.hpp>

#include "pane_news.hpp"

namespace worker_monitor {

/// A pane takes part by its user options: `@name` (else its session and window), `@tags` (words), `@status` (whatever
/// its program reports). Nothing is remembered between two calls but what the cursors say. One thread at a time.
class Panes {
public:
    /// `own`: the pane that is nobody's worker.
    Panes(heeler::TmuxServer server, std::string own) : server_{std::move(server)}, own_{std::move(own)} {}

    /// Every pane whose program runs. What is watched of them is for the class's filter to say.
    [[nodiscard]] heeler::Result<std::vector<heeler::RunSpec>> list() {
        const auto rows = read();
        if (!rows) return tl::unexpected<heeler::Error>(rows.error());
        std::vector<heeler::RunSpec> workers;
        for (const heeler::TmuxPaneRow& row : *rows) {
            if (row.dead || row.id == own_) continue;
            heeler::RunSpec worker;
            worker.name = name_of(row);
            std::istringstream tags(row.options[tags_option]);
            for (std::string tag; tags >> tag;) worker.tags.push_back(tag);
            workers.push_back(std::move(worker));
        }
        return workers;
    }

    /// What is new in the panes of these runs. One that is gone is left out.
    [[nodiscard]] heeler::Result<std::vector<heeler::PolledRun>> poll(std::span<const heeler::RunCursor> runs) {
        texts_.clear();
        const auto rows = read();
        if (!rows) return tl::unexpected<heeler::Error>(rows.error());
        std::vector<heeler::PolledRun> all;
        for (const heeler::RunCursor& run : runs)
            if (const auto* row = find(*rows, run.name)) all.push_back({run.run, look(*row, mark_of(run.cursor))});
        return all;
    }

    /// Types a line into the worker's pane. Errors: `unknown_run` if there is no such pane, else those of
    /// `submit_line`.
    [[nodiscard]] heeler::Result<void> nudge(std::string_view worker, std::string_view text) {
        const auto rows = read();
        if (!rows) return tl::unexpected<heeler::Error>(rows.error());
        const auto* row = find(*rows, worker);
        if (row == nullptr)
            return heeler::fail(heeler::ErrorCode::unknown_run,
                                "no pane is the worker \"" + heeler::one_line(worker, 128) + "\"");
        heeler::TmuxPane pane{server_, row->id};
        return heeler::submit_line(pane, text);
    }

private:
    enum Option { name_option, tags_option, status_option };
    static constexpr std::uint32_t rows_above = 500;

    [[nodiscard]] heeler::Result<std::vector<heeler::TmuxPaneRow>> read() const {
        return server_.panes({"@name", "@tags", "@status"});
    }

    [[nodiscard]] static std::string name_of(const heeler::TmuxPaneRow& row) {
        const std::string& name = row.options[name_option];
        return name.empty() ? row.session + ":" + row.window : name;
    }

    [[nodiscard]] const heeler::TmuxPaneRow* find(const std::vector<heeler::TmuxPaneRow>& rows,
                                                  std::string_view name) const {
        const auto found = std::find_if(rows.begin(), rows.end(),
                                        [&](const auto& row) { return row.id != own_ && name_of(row) == name; });
        return found == rows.end() ? nullptr : &*found;
    }

    [[nodiscard]] heeler::Result<heeler::Polled> look(const heeler::TmuxPaneRow& row, PaneMark before) {
        auto seen = heeler::TmuxPane{server_, row.id}.capture(rows_above);
        if (!seen) return tl::unexpected<heeler::Error>(std::move(seen.error()));
        const std::string pane = row.id + "/" + row.process;
        if (before.pane != pane) before = {};  // another program under this name
        const std::string& status = row.options[status_option];
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
    std::string own_;
    std::deque<std::string> texts_{};  ///< what the answer of the last poll refers to
};

}  // namespace worker_monitor
