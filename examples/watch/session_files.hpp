// Where coding agents keep the files of their sessions, below a person's home.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/posix/regular_file.hpp>

namespace watch {

struct SessionFile {
    std::string id;  ///< "claude/SESSION"; the same as long as the file is there
    std::string agent;
    std::string parent;  ///< id of the session whose sub-agent it is; empty: none's
    heeler::FilePlace place;
    heeler::WallTime changed{};
    bool is_folder = false;  ///< in which each event has a file
};

/// The agents whose sessions are found.
[[nodiscard]] std::vector<std::string> known_agents();

/// Where the agent keeps what is its own: below `home`, or where its own variable of the environment puts it.
[[nodiscard]] std::string folder_of_agent(std::string_view agent, const std::string& home);

/// The files of these agents that were written to since then. Folders that are not there hold none; links are not
/// followed. Errors: `io` for a folder that is there and cannot be read.
[[nodiscard]] heeler::Result<std::vector<SessionFile>> find_session_files(const std::string& home,
                                                                          const std::vector<std::string>& agents,
                                                                          heeler::WallTime since);

/// "~/.claude/projects (claude), ..."; each below `home`, or where the agent's own variable puts it.
[[nodiscard]] std::string session_folders(const std::string& home);

}  // namespace watch
