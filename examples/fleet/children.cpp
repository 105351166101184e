#include "children.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <sys/wait.h>

#include "../common/own_environment.hpp"

namespace fleet {

Children::Children(const Options& options) : options_{options} {
    std::string folder = (std::filesystem::temp_directory_path() / "heeler-fleet-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error{"no folder can be made: " + folder};
    folder_ = folder;
}

Children::~Children() {
    while (!alive_.empty()) kill(std::string{alive_.begin()->first});
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void Children::start(const std::string& name, const std::vector<std::string>& role) {
    heeler::ProcessSpec spec;
    spec.argv = {std::filesystem::read_symlink("/proc/self/exe").string(),
                 "--schema",
                 options_.store.schema,
                 "--runs",
                 std::to_string(options_.runs),
                 "--watchdogs",
                 std::to_string(options_.watchdogs),
                 "--stalls",
                 std::to_string(options_.stalls),
                 "--seed",
                 std::to_string(options_.seed),
                 "--pace",
                 std::to_string(options_.pace)};
    for (const std::string& channel : options_.notify) spec.argv.insert(spec.argv.end(), {"--notify", channel});
    spec.argv.insert(spec.argv.end(), role.begin(), role.end());
    auto secrets = common::own_environment();
    secrets["HEELER_STORE"] = options_.store_text;  // it may hold a password
    spec.environment.assign(secrets.begin(), secrets.end());
    spec.environment.emplace_back("PGAPPNAME", "heeler-fleet " + name);  // for whoever looks at the server's sessions
    spec.output_file = file_of(name);
    spec.die_with_parent = true;
    auto child = heeler::start_child(spec);
    if (!child) throw std::runtime_error{child.error().message};
    alive_.emplace(name, std::move(*child));
}

void Children::signal(const std::string& name, int number) const { ::kill(alive_.at(name).identity.pid, number); }

void Children::kill(const std::string& name) {
    signal(name, SIGKILL);
    heeler::detail::reap(alive_.at(name).identity.pid);
    alive_.erase(name);
}

void Children::check() {
    for (const auto& [name, child] : alive_) {
        if (::waitpid(child.identity.pid, nullptr, WNOHANG) != child.identity.pid) continue;
        const std::string gone = name;
        alive_.erase(gone);
        throw std::runtime_error{gone + " has ended by itself: " + said(gone)};
    }
}

void Children::end() {
    for (auto& [name, child] : alive_) child.input.close();
    for (int waits = 0; waits < 300 && !alive_.empty(); ++waits) {
        for (auto child = alive_.begin(); child != alive_.end();)
            child =
                ::waitpid(child->second.identity.pid, nullptr, WNOHANG) != 0 ? alive_.erase(child) : std::next(child);
        if (!alive_.empty()) std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
    if (!alive_.empty()) throw std::runtime_error{alive_.begin()->first + " does not end"};
}

std::string Children::said(const std::string& name) const {
    std::ifstream file{file_of(name)};
    std::string text(4000, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

}  // namespace fleet
