#include "standard_streams.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heeler/posix/regular_file.hpp>

namespace supervise {

namespace {

using heeler::FileDescriptor;
using heeler::ProcessInput;

/// A pipe, or a file that holds something: somebody meant it to be read.
bool holds_text(int descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return false;
    return S_ISFIFO(status.st_mode) || (S_ISREG(status.st_mode) && status.st_size > 0);
}

/// The command is no job of the shell, which therefore could not keep it from what is typed at the shell.
bool is_typed_elsewhere(int descriptor, bool detach) {
    if (::isatty(descriptor) == 0) return false;
    const pid_t foreground = ::tcgetpgrp(descriptor);
    return detach || (foreground >= 0 && foreground != ::getpgrp());
}

CommandInput passed(const Options& options) {
    if (is_typed_elsewhere(STDIN_FILENO, options.detach))
        return {ProcessInput::none,
                {},
                "the terminal is not passed on to a command that is in the background: it has nothing to read"};
    FileDescriptor got{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)};
    if (!got) return {};
    return {ProcessInput::given, std::move(got), {}};
}

}  // namespace

void open_closed_streams() {
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(number, F_GETFD) < 0 && errno == EBADF)
            static_cast<void>(::open("/dev/null", number == STDIN_FILENO ? O_RDONLY : O_WRONLY));
}

bool reads_messages(const Options& options) {
    if (options.agent != "claude" || options.input != Input::pass || options.pty || options.detach) return false;
    bool named = false;
    for (const std::string& word : options.command) {
        if (word == "--input-format=stream-json" || (named && word == "stream-json")) return true;
        named = word == "--input-format";
    }
    return false;
}

bool shows_messages(const Options& options) {
    const auto& words = options.command;
    return reads_messages(options) && std::find(words.begin(), words.end(), "--replay-user-messages") != words.end();
}

CommandInput take_input(const Options& options) {
    CommandInput taken;
    if (options.input == Input::pass) taken = passed(options);
    if (reads_messages(options) && ::isatty(STDIN_FILENO) != 0)
        taken = {ProcessInput::none,
                 {},
                 "the command reads its task from standard input, and there is none: echo TASK | heeler-supervise ..."};
    if (options.input == Input::nudges) {
        taken.kind = ProcessInput::spoken;
        if (holds_text(STDIN_FILENO))
            taken.note = "standard input is not passed on: the command reads what the watchdog says (or --stdin pass)";
    }
    if (const FileDescriptor nothing{::open("/dev/null", O_RDONLY | O_CLOEXEC)}; nothing)
        ::dup2(nothing.get(), STDIN_FILENO);
    return taken;
}

void leave_streams() noexcept {
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, number);
    if (nothing > STDERR_FILENO) ::close(nothing);
}

heeler::Result<int> open_log(const std::string& where) {
    if (where == "stderr") return STDERR_FILENO;
    if (where.starts_with("fd:")) {
        int number = -1;
        const char* const end = where.data() + where.size();
        const auto read = std::from_chars(where.data() + 3, end, number);
        const int flags = read.ec == std::errc{} && read.ptr == end && number >= 0 ? ::fcntl(number, F_GETFL) : -1;
        if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
            return heeler::fail(heeler::ErrorCode::invalid_argument,
                                "--log " + where + " is no descriptor that can be written");
        if (number > STDERR_FILENO) ::fcntl(number, F_SETFD, FD_CLOEXEC);
        return number;
    }
    auto opened = heeler::open_regular(where, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (!opened) return tl::unexpected<heeler::Error>(opened.error());
    if (!*opened) return tl::unexpected<heeler::Error>(heeler::system_error("cannot open --log " + where, ENOENT));
    return ::fcntl((*opened)->descriptor.get(), F_DUPFD_CLOEXEC, 3);
}

}  // namespace supervise
