#include "hook_config.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include <heeler/posix/regular_file.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shell_word.hpp>

#include "session_files.hpp"

namespace watch {

namespace {

namespace fs = std::filesystem;
using Settings = nlohmann::ordered_json;
using heeler::ErrorCode;

/// Something that an agent tells of, and by which answer it reads a text.
struct Event {
    std::string_view name;
    bool of_tools = false;
    enum class Hears { nothing, reason, context, permission, decision } hears = Hears::nothing;

    /// Whether it comes before a call, and only with a guard.
    [[nodiscard]] constexpr bool of_guard() const { return hears == Hears::permission || hears == Hears::decision; }
};

constexpr std::array claude_events{Event{"PostToolUse", true, Event::Hears::reason},
                                   Event{"PostToolUseFailure", true, Event::Hears::context},
                                   Event{"Notification"},
                                   Event{"Stop"},
                                   Event{"SessionEnd"},
                                   Event{"PreToolUse", true, Event::Hears::permission}};
constexpr std::array codex_events{Event{"PostToolUse", true, Event::Hears::context}, Event{"PermissionRequest", true},
                                  Event{"Stop"}, Event{"PreToolUse", true, Event::Hears::permission}};
constexpr std::array gemini_events{Event{"AfterTool", true, Event::Hears::context}, Event{"Notification"},
                                   Event{"AfterAgent"}, Event{"SessionEnd"},
                                   Event{"BeforeTool", true, Event::Hears::decision}};

/// An agent whose settings have `hooks`: lists of what is started, by event.
struct Agent {
    std::string_view name;
    const Event* events;
    std::size_t count;
    int patience;  ///< how long it waits for a hook, in its own unit: 5 s
    std::string_view file = "settings.json";
    std::string_view then = "";  ///< what its person has to do besides
};

constexpr std::array hooked_agents{
    Agent{"claude", claude_events.data(), claude_events.size(), 5},
    Agent{"codex", codex_events.data(), codex_events.size(), 5, "hooks.json",
          "Codex runs them once you have trusted them: open /hooks there. "},
    Agent{"gemini", gemini_events.data(), gemini_events.size(), 5000},
};

const Agent* agent_named(std::string_view name) {
    const auto at = std::find_if(hooked_agents.begin(), hooked_agents.end(),
                                 [&](const Agent& agent) { return agent.name == name; });
    return at == hooked_agents.end() ? nullptr : at;
}

const Event* event_named(std::string_view agent, std::string_view name) {
    const Agent* const known = agent_named(agent);
    if (known == nullptr) return nullptr;
    const Event* const end = known->events + known->count;
    const Event* const event = std::find_if(known->events, end, [&](const Event& each) { return each.name == name; });
    return event == end ? nullptr : event;
}

fs::path file_of(const Agent& agent, const std::string& home) {
    const fs::path folder{folder_of_agent(agent.name, home)};
    // Settings may be a link to where a person keeps them.
    std::error_code error;
    const fs::path file = fs::weakly_canonical(folder / agent.file, error);
    return error ? folder / agent.file : file;
}

/// By which a hook of ours is known, wherever the program lies.
std::string ending_of(const Agent& agent) { return "/heeler-watch' hook " + std::string{agent.name}; }

bool is_ours(const Settings& hook, const Agent& agent) {
    const auto command = hook.is_object() ? hook.find("command") : hook.end();
    return hook.is_object() && command != hook.end() && command->is_string() &&
           command->get_ref<const std::string&>().ends_with(ending_of(agent));
}

bool take_ours(Settings& hooks, const Agent& agent) {
    Settings kept = Settings::array();
    for (Settings& hook : hooks)
        if (!is_ours(hook, agent)) kept.push_back(std::move(hook));
    const bool found = kept.size() < hooks.size();
    hooks = std::move(kept);
    return found;
}

heeler::Result<std::string> text_of(const fs::path& file) {
    constexpr std::size_t most = 16U << 20;
    const auto text = heeler::read_head(heeler::FilePlace{file.string()}, most);
    if (!text) return tl::unexpected<heeler::Error>(text.error());
    return text->value_or("");
}

heeler::Result<Settings> settings_of(const fs::path& file, const std::string& text) {
    Settings settings = Settings::object();
    if (text.find_first_not_of(" \t\r\n") != std::string::npos) {
        try {
            settings = Settings::parse(text);
        } catch (const Settings::exception& error) {
            return heeler::fail(ErrorCode::invalid_argument, file.string() + " is no JSON, and stays as it is: " +
                                                                 heeler::text::one_line(error.what(), 300));
        }
    }
    const auto hooks = settings.is_object() ? settings.find("hooks") : settings.end();
    bool fits = settings.is_object() && (hooks == settings.end() || hooks->is_object());
    if (fits && hooks != settings.end())
        for (const Settings& list : *hooks) fits = fits && (list.is_array() || list.is_boolean());
    if (fits) return settings;
    return heeler::fail(ErrorCode::invalid_argument,
                        file.string() + " has other hooks than the agent reads, and stays as it is");
}

/// From one list; true if there was one.
bool take_out_of(Settings& list, const Agent& agent) {
    bool found = false;
    Settings kept = Settings::array();
    for (Settings& group : list) {
        const bool lists = group.is_object() && group.contains("hooks") && group["hooks"].is_array();
        const bool held = lists && take_ours(group["hooks"], agent);
        found |= held;
        if (!held || !group["hooks"].empty()) kept.push_back(std::move(group));
    }
    list = std::move(kept);
    return found;
}

/// What only held hooks of ours goes, too.
void take_out(Settings& settings, const Agent& agent) {
    if (!settings.contains("hooks")) return;
    Settings kept = Settings::object();
    bool found = false;
    for (auto& [event, list] : settings["hooks"].items()) {
        const bool held = list.is_array() && take_out_of(list, agent);
        found |= held;
        if (!held || !list.empty()) kept[event] = std::move(list);
    }
    if (found && kept.empty())
        settings.erase("hooks");
    else
        settings["hooks"] = std::move(kept);
}

void put_in(Settings& settings, const Agent& agent, const std::string& program, bool guard) {
    for (std::size_t i = 0; i < agent.count; ++i) {
        const Event& event = agent.events[i];
        if (event.of_guard() && !guard) continue;
        Settings hook = {{"type", "command"},
                         {"command", heeler::text::shell_word(program) + " hook " + std::string{agent.name}},
                         {"timeout", agent.patience}};
        Settings group = Settings::object();
        if (event.of_tools) group["matcher"] = "*";
        group["hooks"] = Settings::array({std::move(hook)});
        settings["hooks"][std::string{event.name}].push_back(std::move(group));
    }
}

heeler::Result<HookChange> change(const std::string& name, const std::string& home, const std::string* program,
                                  bool guard) {
    const Agent* const agent = agent_named(name);
    if (agent == nullptr)
        return heeler::fail(ErrorCode::invalid_argument, "'" + name + "' has no hooks that heeler-watch knows");
    const fs::path file = file_of(*agent, home);
    auto before = text_of(file);
    if (!before) return tl::unexpected<heeler::Error>(before.error());
    auto settings = settings_of(file, *before);
    if (!settings) return tl::unexpected<heeler::Error>(settings.error());
    const Settings was = *settings;
    take_out(*settings, *agent);
    if (program != nullptr) put_in(*settings, *agent, *program, guard);
    HookChange found{file.string(), *std::move(before), {}, {}};
    if (program != nullptr) found.then = agent->then;
    // A file that says the same, in any order, stays as somebody wrote it.
    found.after = nlohmann::json(*settings) == nlohmann::json(was) ? found.before : settings->dump(2) + "\n";
    return found;
}

}  // namespace

std::vector<std::string> agents_with_hooks() {
    std::vector<std::string> names;
    for (const Agent& agent : hooked_agents) names.emplace_back(agent.name);
    return names;
}

heeler::Result<HookChange> with_hooks(const std::string& agent, const std::string& home, const std::string& program,
                                      bool guard) {
    if (!program.ends_with("/heeler-watch"))
        return heeler::fail(ErrorCode::invalid_argument,
                            "the program is called " + program + ", and its hooks are known by the name heeler-watch");
    return change(agent, home, &program, guard);
}

heeler::Result<HookChange> without_hooks(const std::string& agent, const std::string& home) {
    return change(agent, home, nullptr, false);
}

bool has_hooks(const std::string& name, const std::string& home) {
    const Agent* const agent = agent_named(name);
    if (agent == nullptr) return false;
    const auto text = text_of(file_of(*agent, home));
    const auto settings = text ? settings_of({}, *text) : heeler::fail(text.error().code, "");
    if (!settings || !settings->contains("hooks")) return false;
    const Settings& hooks = (*settings)["hooks"];
    for (std::size_t i = 0; i < agent->count; ++i) {
        if (agent->events[i].of_guard()) continue;
        const auto list = hooks.find(std::string{agent->events[i].name});
        if (list == hooks.end() || !list->is_array()) return false;
        bool found = false;
        for (const Settings& group : *list)
            if (group.is_object() && group.contains("hooks") && group["hooks"].is_array())
                for (const Settings& hook : group["hooks"]) {
                    if (!is_ours(hook, *agent)) continue;
                    const std::string& command = hook["command"].get_ref<const std::string&>();
                    found |= ::access(command.substr(1, command.rfind("' hook ") - 1).c_str(), X_OK) == 0;
                }
        if (!found) return false;
    }
    return true;
}

heeler::Result<void> write_change(const HookChange& change) {
    const fs::path file{change.file};
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    mode_t mode = 0600;  // settings may hold keys
    if (!change.before.empty()) {
        mode = static_cast<mode_t>(fs::status(file, error).permissions()) & 0777;
        if (auto kept = heeler::replace_file(heeler::FilePlace{change.file + ".before-heeler"}, change.before, mode);
            !kept)
            return kept;
    }
    return heeler::replace_file(heeler::FilePlace{change.file}, change.after, mode);
}

bool is_before_call(std::string_view agent, std::string_view name) {
    const Event* const event = event_named(agent, name);
    return event != nullptr && event->of_guard();
}

std::string hook_answer(std::string_view agent, std::string_view name, std::string_view text) {
    const Event* const event = event_named(agent, name);
    if (event == nullptr || text.empty()) return {};
    const std::string words{text};
    const std::string of{name};
    Settings answer;
    switch (event->hears) {
        case Event::Hears::nothing:
            return {};
        case Event::Hears::reason:
            answer = {{"decision", "block"}, {"reason", words}};
            break;
        case Event::Hears::decision:
            answer = {{"decision", "deny"}, {"reason", words}};
            break;
        case Event::Hears::context:
            answer = {{"hookSpecificOutput", {{"hookEventName", of}, {"additionalContext", words}}}};
            break;
        case Event::Hears::permission:
            answer = {{"hookSpecificOutput",
                       {{"hookEventName", of}, {"permissionDecision", "deny"}, {"permissionDecisionReason", words}}}};
            break;
    }
    return answer.dump(-1, ' ', false, Settings::error_handler_t::replace);
}

}  // namespace watch
