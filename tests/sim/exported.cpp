// Worlds that are written as scenarios, and played by heeler-replay.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/number.hpp"
#include "sim/scenario.hpp"
#include "sim/world.hpp"
#include "support/catch.hpp"
#include "support/real_process.hpp"
#include "support/slowed.hpp"

namespace sim {
namespace {

using namespace heeler;

/// What people see, in its order: the statuses of each run by themselves, and alerts. A status that one and the same
/// moment changes again was none.
struct Seen {
    std::map<std::string, std::vector<std::string>> statuses;
    std::vector<std::string> alerts;

    void status(const std::string& at, const std::string& run, const std::string& status) {
        std::vector<std::string>& all = statuses[run];
        if (!all.empty() && all.back().starts_with(at + " ")) all.pop_back();
        const std::string before =
            all.empty() ? std::string{name_of(Status::healthy)} : all.back().substr(all.back().find(' ') + 1);
        if (before != status) all.push_back(at + " " + status);
    }
};

[[nodiscard]] std::string words_of(const Seen& seen) {
    std::string text;
    for (const auto& [run, all] : seen.statuses)
        for (const std::string& each : all) text += run + " " + each + "\n";
    for (const std::string& each : seen.alerts) text += each + "\n";
    return text;
}

[[nodiscard]] std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> words(1);
    for (const char c : line)
        if (c == ' ')
            words.emplace_back();
        else
            words.back() += c;
    return words;
}

[[nodiscard]] Seen seen_in(const std::vector<std::string>& trace) {
    Seen seen;
    for (const std::string& line : trace) {
        const std::vector<std::string> words = split(line);
        if (words[1] == "status") seen.status(words[0], words[2], words[3]);
        if (words[1] == "sent") seen.alerts.push_back(words[0] + " " + words[2] + " " + words[3]);
    }
    return seen;
}

/// A text or number of a line that heeler-replay prints.
[[nodiscard]] std::string value_of(const std::string& line, const std::string& key) {
    const std::size_t at = line.find("\"" + key + "\":");
    if (at == std::string::npos) return {};
    std::string value = line.substr(at + key.size() + 3);
    if (value.starts_with('"')) return value.substr(1, value.find('"', 1) - 1);
    return value.substr(0, value.find_first_of(",}"));
}

[[nodiscard]] Seen seen_by_replay(const std::string& program, const std::string& arguments) {
    const std::string command = program + " " + arguments + " 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> output{::popen(command.c_str(), "r"), ::pclose};
    REQUIRE(output != nullptr);
    std::string all;
    std::array<char, 65536> buffer{};
    while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), output.get()))
        all.append(buffer.data(), size);
    Seen seen;
    for (std::size_t at = 0; at < all.size();) {
        const std::string line = all.substr(at, all.find('\n', at) - at);
        at += line.size() + 1;
        const std::string t = value_of(line, "t"), run = value_of(line, "run");
        if (line.starts_with("{\"status\":")) seen.status(t, run, value_of(line, "status"));
        if (line.starts_with("{\"alert\":") && value_of(line, "delivered") == "true")
            seen.alerts.push_back(t + " " + value_of(line, "alert") + " " + (run == "null" ? "" : run));
    }
    return seen;
}

}  // namespace

TEST_CASE("heeler-replay finds in a world that is written as a scenario what the world found") {
    const char* const directory = std::getenv("HEELER_BIN");
    const std::string program = directory == nullptr ? "" : std::string{directory} + "/heeler-replay";
    if (program.empty() || !std::filesystem::exists(program)) HEELER_SKIP("heeler-replay is not built");
    const heeler_test::ScratchDirectory scratch;
    std::size_t played = 0, lines = 0;
    const std::uint64_t count = number_of("HEELER_SIM_SCENARIOS", heeler_test::is_slowed ? 5 : 40);
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        const Tellable told = tellable(story_of(seed, 24));
        World world{told.story};
        world.live();
        INFO("seed " << seed << ": " << world.fault());
        CHECK(world.fault().empty());
        const auto script = world.script();
        if (!script) continue;
        const Seen seen = seen_in(world.trace());
        const std::string arguments = write_scenario(told, *script, scratch.text());
        INFO(arguments);
        CHECK(words_of(seen_by_replay(program, arguments)) == words_of(seen));
        ++played;
        lines += seen.alerts.size();
    }
    CHECK(played >= count - count / 4);
    CHECK(lines > count);
}

TEST_CASE("what no scenario can say of a world is named") {
    Story story = story_of(1, 0);
    story.dogs = 2;
    story.happenings = {{What::time, 0, 3},   {What::crash, 0, 0},           {What::wall, 0, 0},
                        {What::crash, 0, 1},  {What::control, 1, 1 + 2 * 8}, {What::control, 1, 3},
                        {What::channel, 0, 3}};
    const Tellable told = tellable(story);
    CHECK(told.cannot ==
          std::vector<std::string>{"several watchdogs", "crash", "wall",
                                   "a control that throws, is busy, or does not do what it never answers"});
    CHECK(told.story.happenings.size() == 3);
    CHECK(told.story.dogs == 1);
}

}  // namespace sim
