// Who is told about workers, one JSON object a line: a process, which may ask for something by the same means, or
// panes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <simdjson.h>

#include <heeler/agent/process_control.hpp>
#include <heeler/agent/terminal_input.hpp>
#include <heeler/agent/tmux_pane.hpp>
#include <heeler/alert/json.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/recover/backoff.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>

#include "panes.hpp"

namespace worker_monitor {

/// What an alert says, as orchestrators of workers read it: a type and a payload.
[[nodiscard]] inline std::string json_of(const heeler::Alert& alert) {
    heeler::text::JsonLine line;
    line.begin_object().key("msg_type").string(alert.kind).key("payload").begin_object();
    for (const heeler::Detail& detail : alert.details) {
        line.key(detail.name);
        detail.is_json ? line.raw(detail.value) : line.string(detail.value);
    }
    heeler::write_suggestions(line, alert.kind);
    line.end_object().key("summary").string(alert.summary).key("key").string(alert.key);
    line.key("at").string(heeler::text::rfc3339(alert.at)).end_object();
    return line.text();
}

/// That the monitor has cleared its own context, of this size if that was known.
[[nodiscard]] inline std::string clear_json(std::optional<std::uint64_t> size) {
    heeler::text::JsonLine line;
    line.begin_object().key("msg_type").string("monitor.clear").key("payload").begin_object();
    if (size) line.key("size").number(static_cast<std::int64_t>(*size));
    line.end_object().end_object();
    return line.text();
}

/// What the orchestrator asks for: {"nudge": WORKER, "text": TEXT}.
struct Nudge {
    std::string worker;
    std::string text;
};

/// Nothing if the line is something else.
[[nodiscard]] inline std::optional<Nudge> nudge_of(std::string_view line) {
    simdjson::dom::parser parser;
    simdjson::dom::element object;
    std::string_view worker;
    std::string_view text;
    if (parser.parse(simdjson::padded_string(line)).get(object) != simdjson::SUCCESS) return std::nullopt;
    if (object["nudge"].get_string().get(worker) != simdjson::SUCCESS) return std::nullopt;
    if (object["text"].get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
    return Nudge{std::string(worker), std::string(text)};
}

/// A handle on the process, for the watchdog's thread. While it is gone, what it is to be told is kept.
class Orchestrator {
public:
    static constexpr std::string_view name = "orchestrator";

    [[nodiscard]] static heeler::Result<Orchestrator> start(std::vector<std::string> command) {
        Orchestrator made{std::move(command)};
        if (auto begun = made.begin(); !begun) return tl::unexpected<heeler::Error>(std::move(begun.error()));
        return made;
    }

    [[nodiscard]] heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) {
        const auto written = say(json_of(alert));
        if (written) return heeler::Receipt{};
        const bool gone = written.error().code == heeler::ErrorCode::ended;
        auto failed = heeler::fail(gone ? heeler::ErrorCode::under_way : heeler::ErrorCode::delivery_failed,
                                   "the orchestrator: " + written.error().message);
        if (gone) failed.value().retry_after = std::chrono::seconds{1};
        return failed;
    }

    /// A line on its input. Errors: `ended` while it is gone, those of `ProcessControl::inject`.
    [[nodiscard]] heeler::Result<void> say(const std::string& line) {
        heeler::ActionRequest request;
        request.text = line;
        const auto written = state_->process->inject(request);
        return written ? heeler::Result<void>{} : tl::unexpected<heeler::Error>(written.error());
    }

    /// For poll(): it has said something.
    [[nodiscard]] int poll_fd() const noexcept { return state_->process->poll_fd(); }

    /// The next whole line that it has said. No more is read before that is taken: who says too much has to wait.
    [[nodiscard]] std::optional<std::string> heard() {
        std::string& said = state_->unfinished;
        std::size_t end = said.find('\n');
        if (end == std::string::npos) {
            static_cast<void>(state_->process->read_output([&](std::string_view chunk) { said += chunk; }, most_said));
            end = said.find('\n');
        }
        if (end == std::string::npos) {
            if (said.size() > most_said) said.clear();
            return std::nullopt;
        }
        std::string line = said.substr(0, end);
        said.erase(0, end + 1);
        return line;
    }

    [[nodiscard]] bool runs() { return state_->process->alive(); }

    /// "exit status 3"; of what was ended by a signal, as a shell says it.
    [[nodiscard]] std::string how_it_ended() {
        const auto status = state_->process->exit_status();
        return status ? "exit status " + std::to_string(*status) : "nobody knows how";
    }

    /// One that has ended is started again when `now` is the time for that: after 1 s, then 2, 4 and so on up to a
    /// minute, and anew from 1 s if it has run for longer than that. What it is told meanwhile waits. Answers whether
    /// it was started.
    [[nodiscard]] heeler::Result<bool> start_again(heeler::Elapsed now) {
        State& state = *state_;
        if (!state.due) {
            if (now - state.began > pauses.cap) state.times = 0;
            state.due = now + pauses.before(state.times++);
        }
        if (now < *state.due) return false;
        state.due.reset();
        end();
        state.began = now;
        auto begun = begin();
        if (!begun) return tl::unexpected<heeler::Error>(std::move(begun.error()));
        return true;
    }

    /// And what it has left behind.
    void end() { static_cast<void>(state_->process->terminate({})); }

private:
    static constexpr std::size_t most_said = 1 << 16;
    static constexpr heeler::Backoff pauses{.base = std::chrono::seconds{1}, .cap = std::chrono::seconds{60}};

    struct State {
        std::vector<std::string> command;
        std::optional<heeler::ProcessControl> process{};
        std::string unfinished{};
        heeler::Elapsed began{};
        std::optional<heeler::Elapsed> due{};  ///< when it is started again
        std::uint32_t times = 0;               ///< in a row
    };

    explicit Orchestrator(std::vector<std::string> command) : state_{std::make_shared<State>()} {
        state_->command = std::move(command);
    }

    [[nodiscard]] heeler::Result<void> begin() {
        heeler::ProcessSpec spec;
        spec.argv = state_->command;
        spec.die_with_parent = true;
        spec.term_grace = std::chrono::seconds{2};
        auto started = heeler::ProcessControl::start(std::move(spec));
        if (!started) return tl::unexpected<heeler::Error>(std::move(started.error()));
        state_->process.emplace(std::move(*started));
        state_->unfinished.clear();
        return {};
    }

    std::shared_ptr<State> state_;
};

/// An orchestrator that is an agent in a pane: every pane with this tag. What it is told is typed there as a line.
class OrchestratorPanes {
public:
    static constexpr std::string_view name = Orchestrator::name;

    OrchestratorPanes(heeler::TmuxServer server, std::string tag) : server_{std::move(server)}, tag_{std::move(tag)} {}

    /// Errors: `no_recipient` if there is no such pane, else why nothing was typed into any of them.
    [[nodiscard]] heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) { return type(json_of(alert)); }

    [[nodiscard]] heeler::Result<heeler::Receipt> type(const std::string& line) const {
        const auto panes = find();
        if (!panes) return tl::unexpected<heeler::Error>(panes.error());
        heeler::Receipt receipt{0, {}};
        heeler::Error why{heeler::ErrorCode::no_recipient, "no pane has the tag " + tag_ + " in its option @tags"};
        for (const std::string& id : *panes) {
            heeler::TmuxPane pane{server_, id};
            const auto typed = heeler::submit_line(pane, line);
            if (!typed) why = {heeler::ErrorCode::delivery_failed, "the orchestrator: " + typed.error().message};
            if (typed) ++receipt.recipients;
        }
        if (receipt.recipients > 0) return receipt;
        return tl::unexpected<heeler::Error>(std::move(why));
    }

    /// The panes in which a program runs.
    [[nodiscard]] heeler::Result<std::vector<std::string>> find() const {
        const auto rows = server_.panes({"@tags"});
        if (!rows) return tl::unexpected<heeler::Error>(rows.error());
        std::vector<std::string> ids;
        for (const heeler::TmuxPaneRow& row : *rows) {
            const auto tags = words_of(row.options[0]);
            if (!row.dead && std::find(tags.begin(), tags.end(), tag_) != tags.end()) ids.push_back(row.id);
        }
        return ids;
    }

private:
    heeler::TmuxServer server_;
    std::string tag_;
};

/// Whichever of the two there is.
class Listener {
public:
    static constexpr std::string_view name = Orchestrator::name;

    explicit Listener(Orchestrator process) : is_{std::move(process)} {}
    explicit Listener(OrchestratorPanes panes) : is_{std::move(panes)} {}

    [[nodiscard]] heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) {
        return std::visit([&](auto& one) { return one.send(alert); }, is_);
    }

    /// What is no alert: nobody waits for it.
    void note(const std::string& line) {
        if (auto* const process = std::get_if<Orchestrator>(&is_)) static_cast<void>(process->say(line));
        if (auto* const panes = std::get_if<OrchestratorPanes>(&is_)) static_cast<void>(panes->type(line));
    }

    /// Null: it is in panes.
    [[nodiscard]] Orchestrator* process() noexcept { return std::get_if<Orchestrator>(&is_); }

private:
    std::variant<Orchestrator, OrchestratorPanes> is_;
};

}  // namespace worker_monitor
