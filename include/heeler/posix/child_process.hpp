// Starts a command in its own session, so that the caller can record it durably before it runs. POSIX.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include <heeler/core/callback.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/posix/file_descriptor.hpp>
#include <heeler/posix/process_identity.hpp>
#include <heeler/posix/process_strays.hpp>
#include <heeler/posix/regular_file.hpp>

extern char** environ;

namespace heeler::inline HEELER_ABI {

enum class ProcessIo : std::uint8_t {
    pipe,  ///< standard input, and output with errors, through pipes
    pty,   ///< a terminal without echo; for commands that behave differently without one
};

/// What a command reads as its standard input. One that reads it to the end does so before it works.
enum class ProcessInput : std::uint8_t {
    spoken,  ///< what it is told through `ChildProcess::input`, until that is closed
    none,    ///< nothing: it is at its end
    given,   ///< what `ProcessSpec::given_input` reads
};

/// What to start, and how to treat it.
struct ProcessSpec {
    std::vector<std::string> argv;       ///< command (looked up in PATH unless it has a slash) and its arguments
    std::string working_directory = {};  ///< empty = the caller's; a relative command is looked up from here
    std::vector<std::pair<std::string, std::string>> environment = {};  ///< added to the caller's environment
    ProcessIo io = ProcessIo::pipe;
    ProcessInput input = ProcessInput::spoken;
    int given_input = -1;       ///< a descriptor, which stays the caller's
    bool errors_apart = false;  ///< not one pipe for output and errors: see `ChildProcess::errors`
    /// If set, output is appended to this regular file, so that the command can outlive its caller.
    std::string output_file = {};
    std::uint64_t output_limit = 0;         ///< bytes that the file may grow to; 0 = no limit. See `read_output`
    std::string snapshot_source = {};       ///< directory that `snapshot` saves; empty = there is nothing to save
    std::string snapshot_destination = {};  ///< directory that snapshots are put in
    Duration term_grace = std::chrono::seconds(5);   ///< from the polite signal to the one that cannot be ignored
    Duration kill_grace = std::chrono::seconds(10);  ///< from there to giving up
    bool owns_orphans = false;     ///< who was adopted meanwhile (`adopt_orphans`) is taken for a descendant of it
    bool die_with_parent = false;  ///< Linux: the system kills the command when the *thread* that started it ends
    /// Called with the prepared process before the command runs in it. An error, or the caller's death, ends the
    /// process without running the command.
    Callback<Result<void>(const ProcessIdentity&)> on_prepared = {};
};

/// A started command and this side of its input and output.
struct ChildProcess {
    ProcessIdentity identity;
    FileDescriptor input;     ///< written to by the caller; in pty mode the terminal; none if it is not spoken to
    FileDescriptor output;    ///< read by the caller; in pty mode the terminal again
    FileDescriptor errors{};  ///< read by the caller, if they are apart
};

namespace detail {

struct ExecFailure {
    int number = 0;  ///< errno
    bool in_directory = false;
};

/// Everything the new process needs between fork and exec, where nothing may be allocated.
struct ExecPlan {
    std::vector<std::string> candidates;  ///< paths to try
    std::vector<std::string> variables;
    std::vector<char*> argv;
    std::vector<char*> envp;
    char* mark = nullptr;  ///< room for the mark in one of the variables
    const char* directory = nullptr;
    pid_t parent = 0;
    bool die_with_parent = false;
    bool terminal = false;
    int go = -1;
    int failure = -1;
    int standard[3] = {-1, -1, -1};
};

/// Runs in the new process: async-signal-safe calls only.
[[noreturn]] inline void become_command(const ExecPlan& plan) noexcept {
    ::setsid();
#if defined(__linux__)
    if (plan.die_with_parent) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (::getppid() != plan.parent) ::_exit(127);
    char mark[max_mark] = {};
    ssize_t read = -1;
    do read = ::read(plan.go, mark, sizeof mark - 1);
    while (read < 0 && errno == EINTR);
    if (read < 1) ::_exit(127);
    std::memcpy(plan.mark, mark, sizeof mark);
    ExecFailure failure;
    const auto report = [&](bool in_directory) {
        failure = {errno, in_directory};
        const ssize_t ignored = ::write(plan.failure, &failure, sizeof failure);
        static_cast<void>(ignored);
        ::_exit(127);
    };
    if (plan.directory != nullptr && ::chdir(plan.directory) != 0) report(true);
    if (plan.terminal) ::ioctl(plan.standard[1], TIOCSCTTY, 0);
    for (int number = 0; number < 3; ++number) ::dup2(plan.standard[number], number);
    struct sigaction normal {};
    normal.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &normal, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    int denied = 0;
    for (const std::string& path : plan.candidates) {
        ::execve(path.c_str(), plan.argv.data(), plan.envp.data());
        if (errno == EACCES) denied = errno;
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) break;
    }
    if (denied != 0 && (errno == ENOENT || errno == ENOTDIR)) errno = denied;
    report(false);
    ::_exit(127);
}

/// The last variable ends with room for the mark, which is known only to the process that is marked.
[[nodiscard]] inline std::vector<std::string> merged_environment(const ProcessSpec& spec) {
    std::vector<std::string> variables;
    std::string marks(family_variable);
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        if (text.starts_with(family_variable)) {
            if (text.size() > family_variable.size() && text.size() < 1024) marks = std::string(text) + ",";
            continue;
        }
        const auto same_name = [&](const auto& added) { return text.substr(0, text.find('=')) == added.first; };
        if (std::none_of(spec.environment.begin(), spec.environment.end(), same_name)) variables.emplace_back(text);
    }
    for (const auto& [name, value] : spec.environment) variables.push_back(name + "=" + value);
    variables.push_back(marks.append(max_mark, '\0'));
    return variables;
}

[[nodiscard]] inline std::vector<std::string> executable_candidates(const std::string& command,
                                                                    const std::vector<std::string>& variables) {
    if (command.find('/') != std::string::npos) return {command};
    std::string_view path = "/usr/local/bin:/usr/bin:/bin";
    for (const std::string& variable : variables)
        if (variable.compare(0, 5, "PATH=") == 0) path = std::string_view(variable).substr(5);
    std::vector<std::string> candidates;
    while (true) {
        const std::size_t colon = path.find(':');
        const std::string_view folder = path.substr(0, colon);
        candidates.push_back((folder.empty() ? std::string(".") : std::string(folder)) + "/" + command);
        if (colon == std::string_view::npos) return candidates;
        path.remove_prefix(colon + 1);
    }
}

[[nodiscard]] inline Result<void> validate(const ProcessSpec& spec) {
    if (spec.argv.empty() || spec.argv.front().empty())
        return fail(ErrorCode::invalid_argument, "no command given: argv needs at least the name of a command");
    for (const std::string& argument : spec.argv)
        if (argument.find('\0') != std::string::npos)
            return fail(ErrorCode::invalid_argument, "an argument holds a NUL byte, which no command can receive");
    for (const auto& [name, value] : spec.environment)
        if (name.empty() || (name + value).find('\0') != std::string::npos || name.find('=') != std::string::npos)
            return fail(ErrorCode::invalid_argument, "environment names must not be empty or hold '=' or NUL: " + name);
    if (spec.term_grace < Duration::zero() || spec.kill_grace < Duration::zero())
        return fail(ErrorCode::invalid_argument, "term_grace and kill_grace must not be negative");
    if (spec.io == ProcessIo::pty && !spec.output_file.empty())
        return fail(ErrorCode::invalid_argument, "a terminal ends with its caller: output_file needs ProcessIo::pipe");
    if (spec.errors_apart && (spec.io == ProcessIo::pty || !spec.output_file.empty()))
        return fail(ErrorCode::invalid_argument, "errors_apart needs ProcessIo::pipe and no output_file");
    return {};
}

/// This side and the command's side of input and output.
struct Channels {
    FileDescriptor input, output, errors;
    FileDescriptor child_input, child_output, child_errors;
};

[[nodiscard]] inline Result<Channels> open_terminal() {
    Channels made;
    made.input = lifted(::posix_openpt(O_RDWR | O_NOCTTY));
    const int main = made.input.get();
    if (main < 0 || ::grantpt(main) != 0 || ::unlockpt(main) != 0)
        return tl::unexpected<Error>(system_error("cannot open a terminal", errno));
    const char* const name = ::ptsname(main);
    made.child_input = lifted(name == nullptr ? -1 : ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!made.child_input) return tl::unexpected<Error>(system_error("cannot open a terminal", errno));
    termios settings{};
    ::tcgetattr(made.child_input.get(), &settings);
    // Echo would count what the watchdog says as what the agent says.
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL);
    settings.c_oflag &= ~static_cast<tcflag_t>(ONLCR);
    ::tcsetattr(made.child_input.get(), TCSANOW, &settings);
    const winsize size{40, 120, 0, 0};
    ::ioctl(main, TIOCSWINSZ, &size);
    made.output = FileDescriptor(::fcntl(main, F_DUPFD_CLOEXEC, 3));
    made.child_output = FileDescriptor(::fcntl(made.child_input.get(), F_DUPFD_CLOEXEC, 3));
    return made;
}

/// Where a command's output goes to, or is read. Agents may lie in wait at its name with a link or a named pipe.
[[nodiscard]] inline Result<FileDescriptor> open_output(const std::string& path, int flags) {
    auto file = open_regular(path, flags, 0600);
    if (!file) return tl::unexpected<Error>(std::move(file.error()));
    if (!file->has_value()) return tl::unexpected<Error>(system_error("cannot open the output file " + path, ENOENT));
    return FileDescriptor{::fcntl((*file)->descriptor.get(), F_DUPFD_CLOEXEC, 3)};
}

/// A pipe from the command to this side.
[[nodiscard]] inline Result<void> open_pipe(FileDescriptor& here, FileDescriptor& there) {
    auto made = make_pipe();
    if (!made) return tl::unexpected<Error>(std::move(made.error()));
    here = std::move(made->reader);
    there = std::move(made->writer);
    return {};
}

[[nodiscard]] inline Result<void> open_output_file(const std::string& path, Channels& made) {
    auto written = open_output(path, O_WRONLY | O_CREAT | O_APPEND);
    if (!written) return tl::unexpected<Error>(std::move(written.error()));
    auto read = open_output(path, O_RDONLY);
    if (!read) return tl::unexpected<Error>(std::move(read.error()));
    made.child_output = std::move(*written);
    made.output = std::move(*read);
    ::lseek(made.output.get(), 0, SEEK_END);
    return {};
}

/// Instead of the terminal, or of a pipe from this side.
[[nodiscard]] inline Result<void> open_input(const ProcessSpec& spec, Channels& made) {
    if (spec.input == ProcessInput::spoken && spec.io == ProcessIo::pty) return {};
    if (spec.input == ProcessInput::spoken) return open_pipe(made.child_input, made.input);
    made.input.close();
    made.child_input = spec.input == ProcessInput::none ? lifted(::open("/dev/null", O_RDONLY | O_CLOEXEC))
                                                        : FileDescriptor(::fcntl(spec.given_input, F_DUPFD_CLOEXEC, 3));
    if (!made.child_input) return tl::unexpected<Error>(system_error("cannot give the command its input", errno));
    return {};
}

[[nodiscard]] inline Result<Channels> open_channels(const ProcessSpec& spec) {
    Result<Channels> made;
    if (spec.io == ProcessIo::pty) made = open_terminal();
    Result<void> opened;
    if (made) opened = open_input(spec, *made);
    if (made && opened && !spec.output_file.empty())
        opened = open_output_file(spec.output_file, *made);
    else if (made && opened && spec.io == ProcessIo::pipe)
        opened = open_pipe(made->output, made->child_output);
    if (made && opened && spec.errors_apart) opened = open_pipe(made->errors, made->child_errors);
    if (!opened) return tl::unexpected<Error>(std::move(opened.error()));
    return made;
}

/// Forks with every signal blocked, so that no handler of the host runs in the new process.
[[nodiscard]] inline pid_t fork_quietly(const ExecPlan& plan, const FileDescriptor& go_writer) noexcept {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::close(go_writer.get());
        become_command(plan);
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return pid;
}

inline void reap(pid_t pid) noexcept {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

/// Lets the prepared process go on, and waits until the command runs in it or could not be started.
[[nodiscard]] inline Result<void> release(const ProcessSpec& spec, const ProcessIdentity& identity,
                                          const FileDescriptor& go, const FileDescriptor& failed) {
    const std::string mark = family_mark(identity);
    if (write_quietly(go, mark) != static_cast<ssize_t>(mark.size()))
        return tl::unexpected<Error>(system_error("cannot release the child", errno));
    ExecFailure failure;
    ssize_t read = -1;
    do read = ::read(failed.get(), &failure, sizeof failure);
    while (read < 0 && errno == EINTR);
    if (read == 0) return {};
    const std::string what = failure.in_directory ? "cannot start in the directory \"" + spec.working_directory + "\""
                                                  : "cannot start \"" + spec.argv.front() + "\"";
    return tl::unexpected<Error>(system_error(what, failure.number));
}

}  // namespace detail

/// Starts a command. It leads its own session and group. Errors: `invalid_argument`, `failed` (which command and why),
/// or what `on_prepared` answered. Thread-safe; starts one command at a time.
[[nodiscard]] inline Result<ChildProcess> start_child(const ProcessSpec& spec) {
    if (auto valid = detail::validate(spec); !valid) return tl::unexpected<Error>(std::move(valid.error()));
    // Two prepared processes that held each other's pipes would outlive a caller that dies now.
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    auto channels = detail::open_channels(spec);
    if (!channels) return tl::unexpected<Error>(std::move(channels.error()));
    auto go = make_pipe();
    auto failed = make_pipe();
    if (!go || !failed) return fail(ErrorCode::failed, "cannot create a pipe: too many open files");

    detail::ExecPlan plan;
    plan.variables = detail::merged_environment(spec);
    plan.candidates = detail::executable_candidates(spec.argv.front(), plan.variables);
    for (const std::string& argument : spec.argv) plan.argv.push_back(const_cast<char*>(argument.c_str()));
    plan.argv.push_back(nullptr);
    for (std::string& variable : plan.variables) plan.envp.push_back(variable.data());
    plan.envp.push_back(nullptr);
    std::string& marked = plan.variables.back();
    plan.mark = marked.data() + marked.size() - detail::max_mark;
    plan.directory = spec.working_directory.empty() ? nullptr : spec.working_directory.c_str();
    plan.parent = ::getpid();
    plan.die_with_parent = spec.die_with_parent;
    plan.terminal = spec.io == ProcessIo::pty;
    plan.go = go->reader.get();
    plan.failure = failed->writer.get();
    plan.standard[0] = channels->child_input.get();
    plan.standard[1] = plan.standard[2] = channels->child_output.get();
    if (channels->child_errors) plan.standard[2] = channels->child_errors.get();

    const pid_t pid = detail::OwnChildren::here().add([&] { return detail::fork_quietly(plan, go->writer); });
    if (pid < 0) return tl::unexpected<Error>(system_error("cannot start a process", errno));
    failed->writer.close();
    go->reader.close();
    const auto row = read_process(pid);
    const ProcessIdentity identity{pid, pid, row ? row->start_time : 0};
    Result<void> outcome = spec.on_prepared ? spec.on_prepared(identity) : Result<void>();
    if (outcome) outcome = detail::release(spec, identity, go->writer, failed->reader);
    if (!outcome) {
        go->writer.close();
        detail::reap(pid);
        detail::OwnChildren::here().forget(pid);
        return tl::unexpected<Error>(std::move(outcome.error()));
    }
    if (channels->input) set_non_blocking(channels->input);
    if (channels->errors) set_non_blocking(channels->errors);
    if (spec.output_file.empty()) set_non_blocking(channels->output);
    return ChildProcess{identity, std::move(channels->input), std::move(channels->output), std::move(channels->errors)};
}

}  // namespace heeler::inline HEELER_ABI
