// The sessions in a directory, as a source: who there is, and what their logs say.
#pragma once

#include <cstdio>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/source.hpp>
#include <heeler/posix/regular_file.hpp>
#include <heeler/source/tool_log.hpp>
#include <heeler/text/one_line.hpp>

namespace monitor {

/// What lies in a session's folder is an agent's: nothing of it is trusted to be a file, or to be short.
class Sessions {
public:
    /// `project`: that of a session which does not say another.
    Sessions(std::filesystem::path directory, std::string project)
        : directory_{std::move(directory)}, project_{std::move(project)} {}

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

    /// It began with the first thing it did, however late it is found.
    [[nodiscard]] Session open(const std::string& name) const {
        Session session{{}, heeler::ToolLog{place(name, log_name)}};
        session.spec.name = name;
        session.spec.origin = said(name, "origin", directory_.string());
        session.spec.project = said(name, "project", project_);
        session.spec.started_at = session.log.began();
        return session;
    }

    [[nodiscard]] heeler::Result<heeler::Polled> read(const heeler::RunCursor& run) {
        auto session = sessions_.find(run.name);
        if (session == sessions_.end()) session = sessions_.emplace(run.name, open(run.name)).first;
        auto polled = session->second.log.poll(run.cursor);
        if (polled && !polled->more && has(run.name, "done"))
            polled->events.push_back({heeler::StateChange{heeler::RunState::completed, {}, {}, {}}, std::nullopt});
        return polled;
    }

    /// What a session says itself in a file of one line, or else `usual`.
    [[nodiscard]] std::string said(const std::string& name, const char* file, const std::string& usual) const {
        constexpr std::size_t longest = 512;
        const auto head = heeler::read_head(place(name, file), longest);
        if (!head) {
            const std::string why = heeler::text::one_line(head.error().message, 1024);
            std::fprintf(stderr, "heeler-session-monitor: %s: \"%s\" instead\n", why.c_str(), usual.c_str());
        }
        const std::string line = head && *head ? (*head)->substr(0, (*head)->find_first_of("\r\n")) : std::string{};
        return line.empty() ? usual : line;
    }

    [[nodiscard]] bool has(const std::string& name, const char* file) const {
        return heeler::lies_there(place(name, file));
    }

    [[nodiscard]] heeler::FilePlace place(const std::string& name, const char* file) const {
        return {directory_.string(), name + "/" + file};
    }

    std::filesystem::path directory_;
    std::string project_;
    std::map<std::string, Session> sessions_;
    bool any_ = false;
};

}  // namespace monitor
