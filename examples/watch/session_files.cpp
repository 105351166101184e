#include "session_files.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace watch {

namespace {

namespace fs = std::filesystem;

/// One agent's way of keeping sessions. A new agent is a row here, and its format one of `heeler::Transcript`.
struct AgentFolder {
    std::string_view agent;
    const char* variable;      ///< of the environment, which moves its folder; null: none does
    std::string_view in_home;  ///< its folder otherwise
    std::string_view below;    ///< where in its folder the sessions are
    bool (*is_session)(const fs::path&);
    bool of_folders = false;  ///< a session is a folder in which each event has a file
};

bool is_rollout(const fs::path& file) { return file.filename().string().starts_with("rollout-"); }
bool is_chat(const fs::path& file) { return file.parent_path().filename() == "chats"; }
bool is_any(const fs::path&) { return true; }
bool is_events(const fs::path& folder) { return folder.filename() == "events"; }

constexpr std::array agent_folders{
    AgentFolder{"claude", "CLAUDE_CONFIG_DIR", ".claude", "projects", &is_any},
    AgentFolder{"codex", "CODEX_HOME", ".codex", "sessions", &is_rollout},
    AgentFolder{"gemini", nullptr, ".gemini", "tmp", &is_chat},
    AgentFolder{"openhands", "OPENHANDS_PERSISTENCE_DIR", ".openhands", "conversations", &is_events, true},
    AgentFolder{"pi", "PI_CODING_AGENT_DIR", ".pi/agent", "sessions", &is_any},
};

constexpr int deepest = 5;               // folders below an agent's; the deepest known is 3
constexpr std::size_t longest_id = 100;  // without the agent; a run's id may have 128 bytes

fs::path folder_of(const AgentFolder& folder, const std::string& home) {
    const char* const moved = folder.variable == nullptr ? nullptr : std::getenv(folder.variable);
    return moved != nullptr && *moved == '/' ? fs::path{moved} : fs::path{home} / folder.in_home;
}

fs::path sessions_of(const AgentFolder& folder, const std::string& home) {
    return folder_of(folder, home) / folder.below;
}

/// The session's own id where the file's name holds one: "rollout-2026-03-01T10-00-00-UUID".
std::string id_of(const fs::path& file) {
    constexpr std::size_t uuid = 36;
    const std::string stem = file.stem().string();
    if (is_rollout(file) && stem.size() > uuid && stem[stem.size() - uuid + 8] == '-')
        return stem.substr(stem.size() - uuid);
    return stem.substr(0, longest_id);
}

/// A sub-agent's file lies in "SESSION/subagents".
std::string parent_of(const AgentFolder& folder, const fs::path& file) {
    if (file.parent_path().filename() != "subagents") return {};
    return std::string{folder.agent} + "/" + file.parent_path().parent_path().filename().string().substr(0, longest_id);
}

heeler::WallTime in_utc(fs::file_time_type when) {
    return std::chrono::floor<heeler::Duration>(std::chrono::file_clock::to_sys(when));
}

heeler::Result<void> look_into(const AgentFolder& folder, const fs::path& root, heeler::WallTime since,
                               std::vector<SessionFile>& found) {
    std::error_code error;
    if (!fs::exists(root, error)) return {};
    fs::recursive_directory_iterator at{root, fs::directory_options::skip_permission_denied, error};
    for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
        if (at.depth() == deepest) at.disable_recursion_pending();
        std::error_code gone;  // what vanishes while it is looked at is no error
        const fs::path& path = at->path();
        if ((!folder.of_folders && path.extension() != ".jsonl") || !folder.is_session(path)) continue;
        const auto wanted = folder.of_folders ? fs::file_type::directory : fs::file_type::regular;
        if (at->symlink_status(gone).type() != wanted || gone) continue;
        const fs::file_time_type changed = at->last_write_time(gone);
        if (gone || in_utc(changed) < since) continue;
        const std::string agent{folder.agent};
        if (folder.of_folders) at.disable_recursion_pending();
        found.push_back({agent + "/" + id_of(folder.of_folders ? path.parent_path() : path),
                         agent,
                         parent_of(folder, path),
                         {root.string() + "/", path.lexically_relative(root).string()},
                         in_utc(changed),
                         folder.of_folders});
    }
    if (!error) return {};
    return heeler::fail(heeler::ErrorCode::io, "cannot read " + root.string() + ": " + error.message());
}

}  // namespace

std::string folder_of_agent(std::string_view agent, const std::string& home) {
    for (const AgentFolder& folder : agent_folders)
        if (folder.agent == agent) return folder_of(folder, home).string();
    return {};
}

std::vector<std::string> known_agents() {
    std::vector<std::string> names;
    for (const AgentFolder& folder : agent_folders) names.emplace_back(folder.agent);
    return names;
}

heeler::Result<std::vector<SessionFile>> find_session_files(const std::string& home,
                                                            const std::vector<std::string>& agents,
                                                            heeler::WallTime since) {
    std::vector<SessionFile> found;
    for (const AgentFolder& folder : agent_folders)
        if (std::find(agents.begin(), agents.end(), folder.agent) == agents.end())
            continue;
        else if (auto looked = look_into(folder, sessions_of(folder, home), since, found); !looked)
            return tl::unexpected<heeler::Error>(std::move(looked.error()));
    return found;
}

std::string session_folders(const std::string& home) {
    std::string all;
    for (const AgentFolder& folder : agent_folders)
        all += (all.empty() ? "" : ", ") + sessions_of(folder, home).string() + " (" + std::string{folder.agent} + ")";
    return all;
}

}  // namespace watch
