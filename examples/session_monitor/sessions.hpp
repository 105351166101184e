// Finds the sessions in a directory: new ones are watched, those that are over are finished.
#pragma once

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/source/tool_log.hpp>
#include <heeler/text/one_line.hpp>

namespace monitor {

/// Belongs to the thread that runs the watchdog's cycles.
template <class Dog>
class Sessions {
public:
    /// The class of the sessions must be defined before the first `scan`.
    Sessions(Dog& dog, std::filesystem::path directory, std::string class_name)
        : dog_{dog}, directory_{std::move(directory)}, class_name_{std::move(class_name)} {}

    /// Looks once. What is wrong with a session is said on stderr and concerns no other.
    void scan() {
        std::error_code error;
        for (std::filesystem::directory_iterator at{directory_, error}, end; !error && at != end; at.increment(error)) {
            const std::string name = at->path().filename().string();
            if (sessions_.count(name) == 0 && has(name, log_name) && !has(name, "done")) begin(name);
        }
        for (auto& [name, session] : sessions_)
            if (!session.over) follow(name, session);
    }

    /// Whether there were sessions, and all of them are over.
    [[nodiscard]] bool idle() const {
        return !sessions_.empty() &&
               std::all_of(sessions_.begin(), sessions_.end(), [](const auto& each) { return each.second.over; });
    }

private:
    static constexpr const char* log_name = "tool_use.jsonl";

    struct Session {
        std::unique_ptr<heeler::ToolLog> log;  ///< the watchdog polls it as long as the session is watched
        heeler::RunHandle run{};
        bool over = false;
    };

    void begin(const std::string& name) {
        Session& session = sessions_[name];
        session.log = std::make_unique<heeler::ToolLog>((directory_ / name / log_name).string());
        const auto run = enlist(name, *session.log);
        if (run) session.run = *run;
        const auto watched = run ? dog_.watch(*run, *session.log) : tl::unexpected<heeler::Error>(run.error());
        session.over = !watched;
        if (!watched) complain(name, watched.error());
    }

    /// The store may know the session from an earlier monitor.
    [[nodiscard]] heeler::Result<heeler::RunHandle> enlist(const std::string& name, heeler::ToolLog& log) {
        auto known = dog_.find(name);
        if (known || known.error().code == heeler::ErrorCode::ended) return known;
        heeler::RunSpec spec;
        spec.id = name;
        spec.origin = origin_of(name);
        // It began with the first thing it did, however late it is found.
        if (const auto first = log.poll(""); first && !first->events.empty())
            spec.started_at = first->events.front().at;
        auto started = dog_.start(std::move(spec), class_name_);
        if (!started) return tl::unexpected<heeler::Error>(started.error());
        if (started->not_stored) complain(name, *started->not_stored);
        return heeler::RunHandle{*started};
    }

    void follow(const std::string& name, Session& session) {
        using heeler::RunState;
        const bool done = has(name, "done");
        if (done || !has(name, log_name)) {
            const auto finished = dog_.finish(session.run, done ? RunState::completed : RunState::cancelled);
            if (!finished) complain(name, finished.error());
            session.over = true;
        } else if (const auto watched = dog_.find(name); !watched) {
            session.over = watched.error().code == heeler::ErrorCode::ended;  // given up, or ended by an operator
        }
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

    /// That a session is over is nothing to complain about.
    static void complain(const std::string& name, const heeler::Error& error) {
        if (error.code == heeler::ErrorCode::ended) return;
        std::fprintf(stderr, "heeler-session-monitor: session %s: %s\n", heeler::one_line(name, 128).c_str(),
                     heeler::one_line(error.message, 1024).c_str());
    }

    Dog& dog_;
    std::filesystem::path directory_;
    std::string class_name_;
    std::map<std::string, Session> sessions_;
};

}  // namespace monitor
