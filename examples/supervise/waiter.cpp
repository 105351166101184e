#include "waiter.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sstream>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exit_status.hpp"
#include "standard_streams.hpp"

namespace supervise {

namespace {

constexpr const char* word = "--write-down-the-end-of";
constexpr int before_command = 6;  // program, word, folder, name, run, --

constexpr int kept_from_waiter[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// The program is looked up before it may be replaced by another version.
std::string own_program() {
    char path[4096] = {};
    const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path - 1);
    return size > 0 && ::access(path, X_OK) == 0 ? path : "/proc/self/exe";
}

[[noreturn]] void become(char** command) {
    for (const int signal : kept_from_waiter) ::signal(signal, SIG_DFL);
    ::execvp(command[0], command);
    const int why = errno;
    std::fprintf(stderr, "heeler-supervise: cannot start \"%s\": %s\n", command[0], std::strerror(why));
    std::fflush(stderr);
    ::_exit(why == ENOENT ? exit_not_found : exit_not_executable);
}

/// As the command did, so that whoever waits for this process sees no difference.
[[noreturn]] void end_like(int how) {
    if (WIFSIGNALED(how)) {
        const rlimit none{0, 0};
        ::setrlimit(RLIMIT_CORE, &none);
        ::signal(WTERMSIG(how), SIG_DFL);
        ::kill(::getpid(), WTERMSIG(how));
    }
    ::_exit(WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how));
}

}  // namespace

std::vector<std::string> with_waiter(const std::vector<std::string>& command, const heeler::FilePlace& place,
                                     const std::string& run) {
    std::vector<std::string> words{own_program(), word, place.folder, place.name, run, "--"};
    words.insert(words.end(), command.begin(), command.end());
    return words;
}

bool is_waiter(int argc, const char* const* argv) {
    return argc > before_command && std::strcmp(argv[1], word) == 0 && std::strcmp(argv[before_command - 1], "--") == 0;
}

void wait_for_command(int, char** argv) {
    for (const int signal : kept_from_waiter) ::signal(signal, SIG_IGN);
    const pid_t command = ::fork();
    if (command < 0) ::_exit(exit_not_executable);
    if (command == 0) become(argv + before_command);
    leave_streams();
    int how = 0;
    while (::waitpid(command, &how, 0) < 0 && errno == EINTR) continue;
    const int status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    static_cast<void>(
        heeler::replace_file(heeler::FilePlace{argv[2], argv[3]}, std::to_string(status) + " " + argv[4] + "\n", 0600));
    end_like(how);
}

std::optional<WaitedEnd> waited_end(const heeler::FilePlace& place) {
    const auto text = heeler::read_head(place, 4096);
    std::istringstream words(text && *text ? **text : std::string());
    WaitedEnd end;
    if (!(words >> end.status >> end.run) || end.status < 0 || end.status > 255) return std::nullopt;
    return end;
}

}  // namespace supervise
