// heeler_scenario_check REPLAY SCENARIO EXPECT STORE: replays a scenario and holds the expectations against its output;
// on SQLite, or with HEELER_SCENARIOS_ALL in the environment, twice, and the two outputs must be the same; on SQLite
// also with a restart in several places, which are twice as many with that variable. The language of expectations is
// described in tests/scenarios/README.md.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <simdjson.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/json_lines.hpp"

namespace {

namespace dom = simdjson::dom;
using namespace heeler_test;

using Lines = std::deque<Line>;

struct Output {
    Lines lines;
    std::string errors;
    std::string comparable;  // without what may differ between two runs
    int exit_status = 0;
};

std::string content_of(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

void append_lines(Lines& lines, const std::string& text) {
    std::istringstream stream{text};
    for (std::string line; std::getline(stream, line);)
        if (line.find_first_not_of(" \t\r") != std::string::npos) lines.emplace_back(line);
}

/// For the shell, whatever is in it.
std::string shell_word(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string{"'\\''"} : std::string{c};
    return out + "'";
}

std::size_t count_matching(const Lines& lines, dom::element wanted) {
    dom::object subset;
    if (wanted.get(subset) != simdjson::SUCCESS) throw std::runtime_error{"a subset must be an object"};
    return static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(), [&](const Line& line) { return object_matches(subset, line.object); }));
}

// --- assertions: each answers what is wrong, or nothing
// -----------------------------------------------------------------

/// "nudge", or "nudge(rejected)" where the outcome is anything but done.
std::string act_of(const Line& line) {
    std::string act = line.string_at("action");
    act.erase(0, act.find(':') == std::string::npos ? 0 : act.find(':') + 1);
    const std::string outcome = line.string_at("outcome");
    return outcome == "done" ? act : act + "(" + outcome + ")";
}

std::string check_acts(const Line& wanted, const Lines& lines) {
    std::string expected;
    for (const dom::element each : dom::array{*wanted.find("acts")})
        expected += std::string{std::string_view{each}} + " ";
    std::string actual;
    const std::string run = wanted.string_at("run");
    for (const Line& line : lines) {
        if (!line.find("action") || (!run.empty() && line.string_at("run") != run)) continue;
        const double t = line.number_at("t", 0);
        if (t >= wanted.number_at("from", 0) && t <= wanted.number_at("to", 1e300)) actual += act_of(line) + " ";
    }
    return expected == actual ? "" : "expected actions: " + expected + "\n    actual actions:   " + actual;
}

std::string check_status(const Line& wanted, const Lines& lines) {
    const Line* last = nullptr;
    const std::string run = wanted.string_at("run");
    for (const Line& line : lines)
        if (line.find("status") && (run.empty() || line.string_at("run") == run) &&
            line.number_at("t", 0) <= wanted.number_at("status_at", 0))
            last = &line;
    if (last == nullptr) return "no status was printed up to then";
    if (last->string_at("status") != wanted.string_at("is")) return "the last status up to then is " + last->text;
    const auto findings = wanted.find("findings");
    if (findings && !matches(*findings, *last->find("findings"))) return "other findings: " + last->text;
    return "";
}

/// The lines matching each subset come in this order.
std::string check_order(const Line& wanted, const Lines& lines) {
    auto from = lines.begin();
    for (const dom::element each : dom::array{*wanted.find("order")}) {
        const dom::object subset = each;
        from = std::find_if(from, lines.end(), [&](const Line& line) { return object_matches(subset, line.object); });
        if (from == lines.end()) return "missing, or too early: " + simdjson::minify(each);
        ++from;
    }
    return "";
}

std::string check_report(const Line& wanted, const Lines& lines) {
    const dom::object subset{*wanted.find("report")};
    const std::string run = wanted.string_at("run");
    std::string others;
    for (const Line& line : lines) {
        if (!line.find("report") || (!run.empty() && line.string_at("report") != run)) continue;
        if (object_matches(subset, line.object)) return "";
        others += "\n    " + line.text;
    }
    return "no report matches:" + others;
}

std::string check_one(const Line& wanted, const Output& output) {
    const Lines& lines = output.lines;
    if (wanted.find("acts")) return check_acts(wanted, lines);
    if (wanted.find("status_at")) return check_status(wanted, lines);
    if (wanted.find("order")) return check_order(wanted, lines);
    if (wanted.find("report")) return check_report(wanted, lines);
    if (const auto subset = wanted.find("has")) return count_matching(lines, *subset) > 0 ? "" : "no such line";
    if (const auto subset = wanted.find("none"))
        return count_matching(lines, *subset) == 0 ? "" : "there is such a line";
    if (const auto subset = wanted.find("count")) {
        const auto count = count_matching(lines, *subset);
        return static_cast<double>(count) == wanted.number_at("is", -1) ? "" : "there are " + std::to_string(count);
    }
    if (wanted.find("stderr"))
        return output.errors.find(wanted.string_at("stderr")) != std::string::npos ? "" : "stderr holds no such text";
    throw std::runtime_error{"no known assertion: " + wanted.text};
}

// --- running
// ------------------------------------------------------------------------------------------------------------

/// A directory that is gone afterwards, whatever was left in it.
class Scratch {
public:
    Scratch() {
        std::string pattern = "/tmp/heeler_scenario_XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"no temporary directory"};
        path_ = pattern;
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        std::error_code nothing_to_do;
        std::filesystem::remove_all(path_, nothing_to_do);
    }

    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

/// A store that is empty, and used by nobody else.
std::string store_arguments(const std::string& store, const Scratch& scratch) {
    if (store == "sqlite") return " --store " + shell_word("sqlite:" + scratch.file("store.db"));
    if (store != "postgres") return " --store " + shell_word(store);
    const char* const server = std::getenv("HEELER_POSTGRES");
    if (server == nullptr) throw std::runtime_error{"HEELER_POSTGRES names no server"};
    const std::string path = scratch.file("");
    return " --store " + shell_word("postgres:host=" + std::string{server} + " user=heeler dbname=postgres") +
           " --schema " + shell_word("scenario " + path.substr(path.size() - 7, 6));
}

Output run_replay(const std::string& replay, const std::string& scenario, const Line& header,
                  const std::string& store) {
    const Scratch scratch;
    std::string command = shell_word(replay);
    if (const auto args = header.find("args"))
        for (const dom::element each : dom::array{*args})
            command += " " + shell_word(std::string{std::string_view{each}});
    if (const auto config = header.find("config")) {
        std::ofstream{scratch.file("config.json")} << simdjson::minify(*config);
        command += " --config " + shell_word(scratch.file("config.json"));
    }
    command += store_arguments(store, scratch);
    command +=
        " " + shell_word(scenario) + " >" + shell_word(scratch.file("out")) + " 2>" + shell_word(scratch.file("err"));

    Output output;
    const int status = std::system(command.c_str());
    output.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
    output.errors = content_of(scratch.file("err"));
    append_lines(output.lines, content_of(scratch.file("out")));
    for (const Line& line : output.lines)
        output.comparable += line.text.substr(0, line.text.find("\"events_per_second\"")) + "\n";
    return output;
}

/// What the scenario is about: the lines that a failed assertion may have meant.
void show_around(const Line& wanted, const Output& output) {
    std::size_t shown = 0;
    for (const Line& line : output.lines) {
        const bool late = line.number_at("t", 0) > wanted.number_at("status_at", 1e300);
        if (!late && shown++ < 60) std::printf("    | %s\n", line.text.substr(0, 400).c_str());
    }
    if (!output.errors.empty()) std::printf("    stderr: %s\n", output.errors.substr(0, 2000).c_str());
}

/// A scenario with its expectations, and how often they failed.
class Check {
public:
    Check(std::string replay, std::string scenario, const std::string& expect, std::string store)
        : replay_{std::move(replay)}, scenario_{std::move(scenario)}, store_{std::move(store)} {
        append_lines(expectations_, content_of(expect));
        if (expectations_.size() < 2) throw std::runtime_error{expect + " holds no assertion"};
    }

    [[nodiscard]] int run() {
        const Output output = replayed(scenario_);
        hold(output, "");
        if ((all_ || store_ == "sqlite") && replayed(scenario_).comparable != output.comparable)
            fail(header(), output, "a second run prints something else");
        if (store_ == "sqlite") restart_anywhere();
        std::printf("%s: %zu assertions, %d failed\n", header().string_at("about").c_str(), expectations_.size() - 1,
                    failures_);
        return failures_ == 0 ? 0 : 1;
    }

private:
    const bool all_ = std::getenv("HEELER_SCENARIOS_ALL") != nullptr;

    [[nodiscard]] const Line& header() const { return expectations_.front(); }
    [[nodiscard]] Output replayed(const std::string& scenario) const {
        return run_replay(replay_, scenario, header(), store_);
    }

    void fail(const Line& wanted, const Output& output, const std::string& why) {
        ++failures_;
        std::printf("FAILED %s\n    %s\n", wanted.text.c_str(), why.c_str());
        show_around(wanted, output);
    }

    /// `where` is said with every failure.
    void hold(const Output& output, const std::string& where) {
        if (output.exit_status != static_cast<int>(header().number_at("exit", 0)))
            fail(header(), output, where + "exit status " + std::to_string(output.exit_status));
        bool errors_expected = false;
        for (auto wanted = std::next(expectations_.begin()); wanted != expectations_.end(); ++wanted) {
            errors_expected |= wanted->find("stderr").has_value();
            if (const std::string why = check_one(*wanted, output); !why.empty()) fail(*wanted, output, where + why);
        }
        if (!errors_expected && !output.errors.empty()) fail(header(), output, where + "stderr is not empty");
    }

    /// The watchdog may start again after any line, and must still do the same.
    void restart_anywhere() {
        if (const auto wanted = header().find("restarts"); wanted && !bool{*wanted}) return;
        std::vector<std::string> lines;
        std::istringstream stream{content_of(scenario_)};
        for (std::string line; std::getline(stream, line);) lines.push_back(line);
        const std::size_t step = std::max<std::size_t>(1, lines.size() / (all_ ? 6 : 3));
        for (std::size_t after = 1; after < lines.size() && failures_ == 0; after += step) {
            const Scratch scratch;
            std::ofstream file{scratch.file("restarted.jsonl")};
            for (std::size_t i = 0; i < lines.size(); ++i)
                file << lines[i] << (i + 1 == after ? "\n{\"type\":\"restart\"}\n" : "\n");
            file.close();
            hold(replayed(scratch.file("restarted.jsonl")),
                 "with a restart after line " + std::to_string(after) + ": ");
        }
    }

    std::string replay_;
    std::string scenario_;
    std::string store_;
    Lines expectations_;
    int failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fputs("usage: heeler_scenario_check REPLAY SCENARIO EXPECT memory|sqlite|postgres\n", stderr);
        return 2;
    }
    try {
        return Check{argv[1], argv[2], argv[3], argv[4]}.run();
    } catch (const std::exception& wrong) {
        std::printf("FAILED %s: %s\n", argv[3], wrong.what());
        return 1;
    }
}
