// The live sessions of a person's agents, as a source: who there is, and what their files say.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <heeler/clock/system_clock.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/source.hpp>
#include <heeler/core/time.hpp>
#include <heeler/source/transcript_folder.hpp>
#include <heeler/source/transcript_log.hpp>

#include "session_files.hpp"

namespace watch {

/// A session as people see it.
struct SessionRow {
    std::string id;
    std::string agent;
    std::string project;
    heeler::TranscriptTotals totals;
    heeler::WallTime changed{};
};

/// What lies in the folders is the agents': it is read and never written. Thread-safe.
class Sessions {
public:
    /// Of these agents. A session is live while its file was written to within `live`.
    Sessions(std::string home, std::vector<std::string> agents, heeler::Duration live)
        : home_{std::move(home)}, agents_{std::move(agents)}, live_{live} {}

    heeler::Result<std::vector<heeler::RunSpec>> list();
    heeler::Result<std::vector<heeler::PolledRun>> poll(std::span<const heeler::RunCursor> runs);

    /// Those that are live, in order of their ids.
    [[nodiscard]] std::vector<SessionRow> rows() const;

    [[nodiscard]] bool is_live(const std::string& id) const;

    /// Whether a file holds more than was read of it.
    [[nodiscard]] bool behind() const;

private:
    /// One file with a line, or one folder with a file, for each thing that happened.
    using Log = std::variant<heeler::TranscriptLog<heeler::SystemClock>, heeler::TranscriptFolder<heeler::SystemClock>>;

    struct Session {
        heeler::RunSpec spec;
        std::string agent;
        heeler::WallTime changed{};
        std::unique_ptr<Log> log;
        bool behind = true;
        heeler::WallTime read{};  ///< what `changed` was then
    };

    [[nodiscard]] std::optional<Session> open(const SessionFile& file);
    [[nodiscard]] static bool has_no_news(const Session& session);

    std::string home_;
    std::vector<std::string> agents_;
    heeler::Duration live_;
    mutable std::mutex lock_;
    std::map<std::string, Session, std::less<>> sessions_;
    std::map<std::string, heeler::WallTime>
        no_sessions_;  ///< files that are none so far, and when they were written to
};

}  // namespace watch
