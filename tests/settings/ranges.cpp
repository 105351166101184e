// The range that a README names for a setting is the one that is taken by its name, and that a class takes.
#include <heeler/settings/name_regex_settings.hpp>
#include <heeler/settings/overlay.hpp>
#include <heeler/settings/worker_monitor.hpp>
#include <heeler/tree/watch/presets.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <heeler/settings/presets.hpp>
#include <heeler/settings/ready_class.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// What a README says of the settings of one row.
struct Range {
    std::vector<std::string> names;
    double least = 0, most = 0;
    double step = 1;  ///< this much further is outside
    bool of_trees = false;
};

std::string page(const char* name) {
    const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
    std::ifstream file(root / "include/heeler" / name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The lines of a section, up to the next one.
std::vector<std::string> lines_of(const char* file, const std::string& title) {
    std::istringstream text{page(file)};
    std::vector<std::string> lines;
    bool in = false;
    for (std::string line; std::getline(text, line);) {
        if (line.rfind("## ", 0) == 0) in = line == "## " + title;
        if (in && line.rfind("| ", 0) == 0) lines.push_back(line);
    }
    return lines;
}

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream text{line.substr(1)};
    for (std::string cell; std::getline(text, cell, '|');) cells.push_back(cell);
    return cells;
}

std::vector<std::string> names_in(const std::string& cell, const std::string& prefix) {
    std::vector<std::string> names;
    static const std::regex name{"`([a-z_.]+)`"};
    for (std::sregex_iterator at{cell.begin(), cell.end(), name}, end; at != end; ++at)
        names.push_back(prefix + (*at)[1].str());
    return names;
}

double number_in(std::string digits, const std::string& unit) {
    digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
    const double number = digits == "2^50" ? static_cast<double>(std::int64_t{1} << 50) : std::atof(digits.c_str());
    if (unit == "ms") return number / 1000;
    if (unit == "h") return number * 3600;
    if (unit == "days") return number * 86400;
    return unit == "years" ? number * 365 * 86400 : number;
}

/// Each "A to B" of a cell. In seconds where it has a unit.
void add_ranges(std::vector<Range>& ranges, const std::vector<std::string>& names, const std::string& takes) {
    static const std::regex range{
        R"(([0-9.,^]+)( (?:ms|s|h|days|years))? to ([0-9.,^]*[0-9])( (?:ms|s|h|days|years))?( of a task tree)?)"};
    for (std::sregex_iterator at{takes.begin(), takes.end(), range}, end; at != end; ++at) {
        const auto unit = [&](std::size_t of) { return (*at)[of].matched ? (*at)[of].str().substr(1) : std::string{}; };
        Range one{names, number_in((*at)[1], unit(2)), number_in((*at)[3], unit(4)), 1, (*at)[5].matched};
        if (!unit(4).empty() || one.least != static_cast<double>(static_cast<std::int64_t>(one.least)))
            one.step = 0.0005;
        ranges.push_back(one);
    }
}

std::vector<Range> ranges_of_readmes() {
    std::vector<Range> ranges;
    for (const std::string& line : lines_of("settings/README.md", "Names of settings")) {
        const auto cells = cells_of(line);
        if (cells.size() < 4 || cells[1].find("](") != std::string::npos) continue;  // said there
        const auto names = names_in(cells[0], "");
        // Of a row with several the first range is that of the numbers.
        const auto ranges_before = ranges.size();
        add_ranges(ranges, names, cells[1]);
        if (ranges.size() == ranges_before + 1 && names.back() == "loop.watch") ranges.back().names.pop_back();
    }
    static const std::regex group{R"(([^()]*)\(([0-9]+ to [0-9]+)\))"};
    for (const std::string& line : lines_of("detect/loop/README.md", "Families")) {
        const auto cells = cells_of(line);
        if (cells.size() < 3) continue;
        for (std::sregex_iterator at{cells[2].begin(), cells[2].end(), group}, end; at != end; ++at)
            add_ranges(ranges, names_in((*at)[1], "loop."), (*at)[2]);
    }
    return ranges;
}

const std::vector<RunClass>& classes() {
    static const std::vector<RunClass> all{
        presets::long_run(),         presets::recommended(),     presets::checkpoint_continuation(),
        presets::checkpoint_relay(), presets::session_monitor(), presets::worker_monitor(),
        presets::task_tree(),        presets::orphan_recovery()};
    return all;
}

bool watches_trees(const RunClass& rules) { return rules.detectors.find<TaskTreeRule>() != nullptr; }

/// Why a class does not take it, as far as it is about a range.
std::string refused(RunClass rules, const std::string& name, double value) {
    static const std::regex about{"must be (a whole number from |a number from )?[0-9.e+]+s? to "};
    for (const SettingFault& fault : overlay(rules, {{name, {value}, {}}}))
        if (std::regex_search(fault.message, about)) return fault.message;
    return {};
}

/// What of a class has limits of its own, and is not one of those that are described once for both.
struct Held {
    const char* name;
    void (*set)(RunClass&, double);
    double step;
    RunClass (*preset)();
};

template <class L, class Set>
void change(RunClass& rules, Set set) {
    if (auto* ladder = rules.ladder.as<L>()) set(*ladder);
}

Duration in_units(double seconds) { return Duration{static_cast<Duration::rep>(seconds * 1e6)}; }

const Held held[] = {
    {"notification_retries",
     [](RunClass& c, double n) { c.alerts.outbox.at_once = static_cast<std::uint32_t>(std::int64_t(n)); }, 1,
     presets::worker_monitor},
    {"max_attempts",
     [](RunClass& c, double n) {
         change<RecoveryLadder>(c, [&](auto& l) { l.max_attempts = static_cast<std::uint32_t>(std::int64_t(n)); });
     },
     1, presets::long_run},
    {"max_continuations",
     [](RunClass& c, double n) {
         change<RecoveryLadder>(c, [&](auto& l) { l.max_continuations = static_cast<std::uint32_t>(std::int64_t(n)); });
     },
     1, presets::long_run},
    {"max_pause_s",
     [](RunClass& c, double s) { change<RecoveryLadder>(c, [&](auto& l) { l.max_pause = in_units(s); }); }, 0.001,
     presets::long_run},
    {"retry.count",
     [](RunClass& c, double n) {
         change<RecoveryLadder>(
             c, [&](auto& l) { l.retry.emplace().count = static_cast<std::uint32_t>(std::int64_t(n)); });
     },
     1, presets::long_run},
    {"retry.factor",
     [](RunClass& c, double n) { change<RecoveryLadder>(c, [&](auto& l) { l.retry.emplace().factor = n; }); }, 0.001,
     presets::long_run},
    {"retry.base_s",
     [](RunClass& c, double s) {
         change<RecoveryLadder>(c, [&](auto& l) { l.retry.emplace(Backoff{3, in_units(s), 2, 24h}); });
     },
     0.001, presets::long_run},
    {"retry.cap_s",
     [](RunClass& c, double s) {
         change<RecoveryLadder>(c, [&](auto& l) { l.retry.emplace(Backoff{3, 1s, 2, in_units(s)}); });
     },
     0.001, presets::long_run},
    {"escalation.wait_s", [](RunClass& c, double s) { c.alerts.escalation.levels[1].after = in_units(s); }, 0.001,
     presets::recommended},
    {"given_up_after_s",
     [](RunClass& c, double s) {
         change<WatchLadder>(c, [&](auto& l) { l.endings.front().silent_longer = in_units(s); });
     },
     0.001, presets::session_monitor},
    {"steer_cooldown.loop_s",
     [](RunClass& c, double s) {
         change<WatchLadder>(c,
                             [&](auto& l) { (l.steers = presets::session_steers()).front().cooldown = in_units(s); });
     },
     0.001, presets::session_monitor},
    {"first_run_grace_s",
     [](RunClass& c, double s) {
         TreeSettings changed = *c.detectors.find<TaskTreeRule>();
         changed.rules.first_run_grace = in_units(s);
         c.detectors.turn_on<TaskTreeRule>(changed);
     },
     0.001, presets::task_tree},
    {"foreign_grace_s",
     [](RunClass& c, double s) {
         TreeSettings changed = *c.detectors.find<TaskTreeRule>();
         changed.foreign_grace = in_units(s);
         c.detectors.turn_on<TaskTreeRule>(changed);
     },
     0.001, presets::task_tree},
    {"review_limit_s",
     [](RunClass& c, double s) {
         TreeSettings changed = *c.detectors.find<TaskTreeRule>();
         changed.review_limit = in_units(s);
         c.detectors.turn_on<TaskTreeRule>(changed);
     },
     0.001, presets::task_tree},
};

}  // namespace

TEST_CASE("the range that a README names is the one that is taken by name, and by the class [M-186]") {
    const auto ranges = ranges_of_readmes();
    REQUIRE(ranges.size() > 70);
    for (const Range& range : ranges)
        for (const std::string& name : range.names) {
            CAPTURE(name, range.least, range.most);
            bool below = false, above = false;
            std::string refused_within;
            for (const RunClass& rules : classes()) {
                if (watches_trees(rules) ? name == "max_attempts" && !range.of_trees : range.of_trees) continue;
                below |= !refused(rules, name, range.least - range.step).empty();
                above |= !refused(rules, name, range.most + range.step).empty();
                if (refused_within.empty()) refused_within = refused(rules, name, range.least);
                if (refused_within.empty()) refused_within = refused(rules, name, range.most);
            }
            CHECK(refused_within == "");
            CHECK(below);
            CHECK(above);
        }
}

TEST_CASE("what is not taken by name is refused of a class as well [M-186]") {
    const auto ranges = ranges_of_readmes();
    for (const Held& one : held) {
        CAPTURE(one.name);
        const Range* range = nullptr;
        for (const Range& each : ranges)
            if (std::find(each.names.begin(), each.names.end(), one.name) != each.names.end() && !each.of_trees)
                range = &each;
        REQUIRE(range != nullptr);
        const auto taken = [&](double value) {
            RunClass rules = one.preset();
            one.set(rules, value);
            return detail::ReadyClass::check(rules).has_value();
        };
        CHECK(taken(range->least));
        CHECK(taken(range->most));
        if (range->least > 0 || one.step < 1) CHECK_FALSE(taken(range->least - one.step));
        CHECK_FALSE(taken(range->most + one.step));
    }
}
