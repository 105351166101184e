#include <heeler/agent/process_strays.hpp>

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"

namespace {

/// A process that waits for its end.
pid_t waiting() {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    while (true) ::pause();
}

/// A process that waits for its end, and whose parent is over.
pid_t orphaned() {
    const auto line = heeler::make_pipe();
    const pid_t parent = ::fork();
    if (parent == 0) {
        const pid_t orphan = waiting();
        ::_exit(::write(line->writer.get(), &orphan, sizeof orphan) == sizeof orphan ? 0 : 1);
    }
    pid_t orphan = 0;
    if (::read(line->reader.get(), &orphan, sizeof orphan) != sizeof orphan) return 0;
    ::waitpid(parent, nullptr, 0);
    return orphan;
}

/// Whether of these two children the orphan alone is a stray of a command that began with both of them.
bool tells_them_apart() {
    const pid_t before = waiting();
    if (!heeler::adopt_orphans()) return false;
    const pid_t orphan = orphaned();
    const auto row = heeler::read_process(before);
    constexpr pid_t nobody = 1 << 30;
    const auto strays = heeler::strays_of({nobody, nobody, row->start_time}, true);
    for (const pid_t pid : {before, orphan}) ::kill(pid, SIGKILL);
    return strays.size() == 1 && strays.front().pid == orphan;
}

}  // namespace

TEST_CASE("a child from before orphans were adopted is none of them, even if a command began in the same moment") {
    const pid_t adopting = ::fork();  // it would adopt whatever later tests leave
    if (adopting == 0) ::_exit(tells_them_apart() ? 0 : 1);
    int status = 0;
    REQUIRE(::waitpid(adopting, &status, 0) == adopting);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}
