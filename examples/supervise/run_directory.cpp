#include "run_directory.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <heeler/text/sanitise.hpp>

namespace supervise {

namespace fs = std::filesystem;

using heeler::ErrorCode;
using heeler::FileDescriptor;
using heeler::system_error;

namespace {

/// One line: no line breaks, nothing that moves a terminal.
std::string one_line(const std::string& text) {
    std::string line = heeler::text::sanitise(text, 1024);
    for (char& c : line)
        if (c == '\n') c = ' ';
    return line;
}

}  // namespace

std::string boot_id() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(file, id);
    return id;
}

bool ChildRecord::alive() const { return boot == boot_id() && !heeler::family_of(identity).members.empty(); }

heeler::Result<std::optional<ChildRecord>> RunDirectory::read_child() const {
    const std::string path = file("child");
    constexpr std::size_t longest_record = 1 << 16;
    const auto text = heeler::read_head(place("child"), longest_record);
    if (!text) return tl::unexpected<heeler::Error>(text.error());
    if (!*text) return std::optional<ChildRecord>();
    std::istringstream stream(**text);
    std::map<std::string, std::string> values;
    for (std::string line; std::getline(stream, line);) {
        const std::size_t blank = line.find(' ');
        if (blank != std::string::npos) values[line.substr(0, blank)] = line.substr(blank + 1);
    }
    ChildRecord record;
    std::istringstream numbers(values["process"]);
    numbers >> record.identity.pid >> record.identity.pgid >> record.identity.start_time;
    if (!numbers || values["end"] != "of record")
        return heeler::fail(ErrorCode::corrupt,
                            path + " is damaged: make sure that no earlier command runs, and remove it");
    record.boot = values["boot"];
    record.run = values["run"];
    record.output_file = values["output"];
    record.command = values["command"];
    return std::optional<ChildRecord>(std::move(record));
}

heeler::Result<void> RunDirectory::write_child(const ChildRecord& record) const {
    std::ostringstream text;
    text << "process " << record.identity.pid << ' ' << record.identity.pgid << ' ' << record.identity.start_time
         << "\nboot " << record.boot << "\nrun " << record.run << "\noutput " << record.output_file << "\ncommand "
         << one_line(record.command) << "\nend of record\n";
    return heeler::replace_file(place("child"), text.str(), 0600);
}

void RunDirectory::forget_child() const { ::unlink(file("child").c_str()); }

std::variant<RunDirectory, Quit> open_run_directory(const std::string& state_directory, const std::string& name) {
    std::error_code error;
    const std::string state = fs::absolute(state_directory, error).string();
    const std::string below = "runs/" + name;
    const std::string path = state + "/" + below;
    fs::create_directories(path, error);
    if (error) return Quit{exit_state, "cannot create the state directory " + path + ": " + error.message()};
    auto opened = heeler::open_regular({state, below + "/lock"}, O_RDWR | O_CREAT, 0600);
    if (!opened) return Quit{exit_state, opened.error().message};
    if (!*opened) return Quit{exit_state, system_error("cannot write " + path + "/lock", ENOENT).message};
    FileDescriptor lock = std::move((*opened)->descriptor);
    fs::permissions(path, fs::perms::owner_all, error);
    if (auto store = heeler::open_regular({state, below + "/store.sqlite"}, O_RDONLY); !store)
        return Quit{exit_store, store.error().message};
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        char text[32] = {};
        const ssize_t size = ::pread(lock.get(), text, sizeof text - 1, 0);
        const std::string holder = size > 0 ? " (process " + std::to_string(std::atol(text)) + ")" : "";
        return Quit{exit_watched, "run \"" + name + "\" is watched by another heeler-supervise" + holder +
                                      ": end that one, or choose another --name"};
    }
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(lock.get(), 0) != 0 || ::pwrite(lock.get(), pid.data(), pid.size(), 0) < 0)
        return Quit{exit_state, system_error("cannot write " + path + "/lock", errno).message};
    return RunDirectory(state, below, std::move(lock));
}

}  // namespace supervise
