// Starts agents as processes of their own, which share nothing with the watchdog but a prompt and a database.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/action.hpp>
#include <heeler/core/result.hpp>
#include <heeler/posix/child_process.hpp>
#include <heeler/posix/regular_file.hpp>

namespace sql_agents {

/// Nobody is watched, signalled or looked up: all that it can do is start another one.
class Starter {
public:
    /// `ways`: how the agents of a run behave, the first one's first; the last one's way is repeated.
    Starter(std::filesystem::path directory, std::string agent, std::string pause,
            std::map<std::string, std::vector<std::string>, std::less<>> ways)
        : directory_{std::move(directory)},
          agent_{std::move(agent)},
          pause_{std::move(pause)},
          ways_{std::move(ways)} {}

    heeler::Result<heeler::ActionDone> spawn(const heeler::ActionRequest& asked) {
        return start(asked.run, asked.text);
    }

    heeler::Result<heeler::ActionDone> start(std::string_view run, std::string_view prompt) {
        const std::size_t number = ++started_[std::string{run}];
        const std::string name = std::string{run} + "-" + std::to_string(number);
        const std::filesystem::path file = directory_ / (name + ".prompt");
        if (const auto written = heeler::replace_file(file.string(), prompt, 0600); !written)
            return tl::unexpected<heeler::Error>(written.error());
        const auto& ways = ways_.find(run)->second;
        heeler::ProcessSpec spec;
        spec.argv = {agent_, ways[std::min(number, ways.size()) - 1], (directory_ / "agents.db").string(),
                     file.string(), pause_};
        spec.output_file = (directory_ / (name + ".log")).string();
        spec.die_with_parent = true;
        const auto child = heeler::start_child(spec);
        if (!child) return tl::unexpected<heeler::Error>(child.error());
        return heeler::ActionDone{name + " is process " + std::to_string(child->identity.pid)};
    }

private:
    std::filesystem::path directory_;
    std::string agent_;
    std::string pause_;
    std::map<std::string, std::vector<std::string>, std::less<>> ways_;
    std::map<std::string, std::size_t> started_;
};

}  // namespace sql_agents
