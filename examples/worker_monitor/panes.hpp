// The panes of a tmux server as a source of runs: which workers there are, what they wrote, what they say they are.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
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

/// Words with blanks between them.
[[nodiscard]] inline std::vector<std::string> words_of(const std::string& text) {
    std::istringstream words(text);
    return {std::istream_iterator<std::string>(words), {}};
}

/// A pane takes part by its user options: `@name` (else that of its session), `@tags` (words), `@status` (whatever
/// its program reports). What is remembered between two calls is what the cursors say, and which workers there were.
/// One thread at a time.
class Panes {
public:
    /// `own`: the panes that are nobody's worker. `filter`: which of the others are.
    Panes(heeler::TmuxServer server, std::vector<std::string> own, heeler::RunFilter filter)
        : server_{std::move(server)}, own_{std::move(own)}, filter_{std::move(filter)} {}

    /// Every worker, also one whose program is over and whose pane was kept; one whose pane is gone once more, so that
    /// its last word is heard.
    [[nodiscard]] heeler::Result<std::vector<heeler::RunSpec>> list() {
        const auto rows = server_.panes(options);
        if (!rows) return tl::unexpected<heeler::Error>(rows.error());
        std::map<std::string, std::string> there;
        std::vector<heeler::RunSpec> specs;
        for (Worker& worker : workers_of(*rows)) {
            there.emplace(worker.spec.name, worker.pane.id);
            specs.push_back(std::move(worker.spec));
        }
        for (const auto& [name, pane] : known_) {
            if (there.contains(name) || has(*rows, pane)) continue;
            heeler::RunSpec& gone = specs.emplace_back();
            gone.name = name;
            gone.tags = filter_.tags_any;
        }
        known_ = std::move(there);
        return specs;
    }

    /// What is new in the panes of these runs, and that one is gone.
    [[nodiscard]] heeler::Result<std::vector<heeler::PolledRun>> poll(std::span<const heeler::RunCursor> runs) {
        texts_.clear();
        const auto rows = rows_with_ends();
        if (!rows) return tl::unexpected<heeler::Error>(rows.error());
        const auto workers = workers_of(*rows);
        std::vector<heeler::PolledRun> all;
        for (const heeler::RunCursor& run : runs) {
            const auto* worker = find(workers, run.name);
            const PaneMark before = mark_of(run.cursor);
            if (worker == nullptr && has(*rows, before.pane.substr(0, before.pane.find('/')))) continue;
            auto found = worker == nullptr ? lost(before) : look(worker->pane, before);
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
        const auto rows = server_.panes(options);
        if (!rows) return tl::unexpected<heeler::Error>(rows.error());
        const auto workers = workers_of(*rows);
        const auto* worker = find(workers, name);
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

    static inline const std::vector<std::string> options{"@name", "@tags", "@status"};

    /// That a program is over tmux knows a moment before it knows how: sometimes not until another child of its ends.
    [[nodiscard]] heeler::Result<std::vector<heeler::TmuxPaneRow>> rows_with_ends() {
        const auto is_unclear = [&](const heeler::TmuxPaneRow& row) {
            return row.dead && row.end.empty() && !never_told_.contains(row.id);
        };
        auto rows = server_.panes(options);
        for (int tries = 0; tries < 2 && rows && std::any_of(rows->begin(), rows->end(), is_unclear); ++tries) {
            static_cast<void>(server_.run({{"run-shell", "true"}}));
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
            rows = server_.panes(options);
        }
        for (const heeler::TmuxPaneRow& row : rows ? *rows : std::vector<heeler::TmuxPaneRow>{})
            if (is_unclear(row)) never_told_.insert(row.id);
        return rows;
    }

    [[nodiscard]] static bool has(const std::vector<heeler::TmuxPaneRow>& rows, const std::string& id) {
        return std::any_of(rows.begin(), rows.end(), [&](const heeler::TmuxPaneRow& row) { return row.id == id; });
    }

    [[nodiscard]] std::vector<Worker> workers_of(const std::vector<heeler::TmuxPaneRow>& rows) const {
        std::vector<Worker> workers;
        for (const heeler::TmuxPaneRow& row : rows) {
            heeler::RunSpec spec;
            spec.name = row.options[0].empty() ? row.session : row.options[0];
            spec.tags = words_of(row.options[1]);
            const bool is_own = std::find(own_.begin(), own_.end(), row.id) != own_.end();
            if (!is_own && filter_.admits(spec)) workers.push_back({row, std::move(spec)});
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
        const bool is_new = before.pane.empty();
        const std::string status = row.dead ? status_at_end(row) : row.options[2];
        std::string news = news_since(*seen, before);
        if (row.dead && !before.is_over) news += last_word(row);
        PaneMark mark = mark_at(pane, *seen, status);
        mark.is_over = row.dead;
        heeler::Polled found = polled(std::move(news), mark);
        if (is_new || status != before.status || mark.asks || before.asks)
            found.events.push_back(
                {heeler::StateChange{.state = mark.asks ? heeler::RunState::waiting_human : heeler::RunState::running,
                                     .reported = texts_.emplace_back(status),
                                     .prompt = texts_.emplace_back(question_on(*seen))}});
        return found;
    }

    /// Its program is over, or somebody has closed the pane: how, tmux does not know any more.
    [[nodiscard]] heeler::Result<heeler::Polled> lost(PaneMark before) {
        const bool is_news = !std::exchange(before.is_over, true);
        heeler::Polled found = polled(is_news ? "Error: its pane is gone\n" : "", before);
        if (before.asks) found.events.push_back({heeler::StateChange{.reported = texts_.emplace_back(before.status)}});
        return found;
    }

    [[nodiscard]] heeler::Polled polled(std::string news, const PaneMark& mark) {
        heeler::Polled polled;
        polled.cursor = text_of(mark);
        const std::string& text = texts_.emplace_back(std::move(news));
        if (!text.empty()) polled.events.push_back({heeler::Output{text}});
        return polled;
    }

    /// Who ends well is done, whatever it said before.
    [[nodiscard]] static std::string status_at_end(const heeler::TmuxPaneRow& row) {
        return row.end == "exit status 0" ? status_done : "";
    }

    [[nodiscard]] static std::string last_word(const heeler::TmuxPaneRow& row) {
        const std::string how = row.end.empty() ? "" : ": " + row.end;
        return std::string(row.end == "exit status 0" ? "" : "Error: ") + "its program is over" + how + "\n";
    }

    static constexpr const char* status_done = "complete";

    heeler::TmuxServer server_;
    std::vector<std::string> own_;
    heeler::RunFilter filter_;
    std::set<std::string> never_told_{};          ///< dead panes of which tmux does not know how they ended
    std::map<std::string, std::string> known_{};  ///< workers of the last list, and their panes
    std::deque<std::string> texts_{};             ///< what the answer of the last poll refers to
};

}  // namespace worker_monitor
