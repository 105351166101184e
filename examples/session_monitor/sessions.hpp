// The sessions in a directory, as a source: who there is, and what their logs say.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/source.hpp>
#include <heeler/source/tool_log.hpp>

namespace monitor {

class Sessions {
public:
    explicit Sessions(std::filesystem::path directory) : directory_{std::move(directory)} {}

    /// Those that are not done.
    heeler::Result<std::vector<heeler::RunSpec>> list() {
        std::vector<heeler::RunSpec> listed;
        std::map<std::string, Session> sessions;
        std::error_code error;
        for (std::filesystem::directory_iterator at{directory_, error}, end; !error && at != end; at.increment(error)) {
            const std::string name = at->path().filename().string();
            if (!has(name, log_name) || has(name, "done")) continue;
            auto known = sessions_.extract(name);
            const auto at_name =
                known ? sessions.insert(std::move(known)).position : sessions.emplace(name, open(name)).first;
            listed.push_back(at_name->second.spec);
        }
        if (error)
            return heeler::fail(heeler::ErrorCode::io, "cannot read " + directory_.string() + ": " + error.message());
        sessions_ = std::move(sessions);
        any_ |= !listed.empty();
        return listed;
    }

    /// A session that is done is completed; its log is read to the end before.
    heeler::Result<std::vector<heeler::PolledRun>> poll(std::span<const heeler::RunCursor> runs) {
        std::vector<heeler::PolledRun> found;
        for (const heeler::RunCursor& run : runs) found.push_back({run.run, read(run)});
        return found;
    }

    /// Whether there ever was one.
    [[nodiscard]] bool any() const noexcept { return any_; }

private:
    static constexpr const char* log_name = "tool_use.jsonl";

    struct Session {
        heeler::RunSpec spec;
        heeler::ToolLog log;
    };

    [[nodiscard]] Session open(const std::string& name) const {
        const std::filesystem::path log = directory_ / name / log_name;
        Session session{{}, heeler::ToolLog{log.string()}};
        session.spec.name = name;
        session.spec.origin = origin_of(name);
        session.spec.started_at = start_of(log);
        return session;
    }

    /// It began with the first thing it did, however late it is found; nobody looks for that in a long log.
    [[nodiscard]] static std::optional<heeler::WallTime> start_of(const std::filesystem::path& log) {
        heeler::ToolLogSettings whole;
        whole.first_lines = 0;
        std::error_code error;
        if (std::filesystem::file_size(log, error) > whole.read_bytes || error) return std::nullopt;
        heeler::ToolLog reader{log.string(), whole};
        const auto all = reader.poll("");
        return all && !all->events.empty() ? all->events.front().at : std::nullopt;
    }

    [[nodiscard]] heeler::Result<heeler::Polled> read(const heeler::RunCursor& run) {
        auto session = sessions_.find(run.name);
        if (session == sessions_.end()) session = sessions_.emplace(run.name, open(run.name)).first;
        auto polled = session->second.log.poll(run.cursor);
        if (polled && !polled->more && has(run.name, "done"))
            polled->events.push_back({heeler::StateChange{heeler::RunState::completed, {}, {}, {}}, std::nullopt});
        return polled;
    }

    /// Where the alerts about a session go: what it says itself, else the directory of all sessions.
    [[nodiscard]] std::string origin_of(const std::string& name) const {
        std::string origin;
        std::ifstream file{directory_ / name / "origin"};
        return std::getline(file, origin) ? origin : directory_.string();
    }

    [[nodiscard]] bool has(const std::string& name, const char* file) const {
        std::error_code error;
        return std::filesystem::exists(directory_ / name / file, error);
    }

    std::filesystem::path directory_;
    std::map<std::string, Session> sessions_;
    bool any_ = false;
};

}  // namespace monitor
