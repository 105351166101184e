#include <heeler/posix/process_strays.hpp>

#include <algorithm>
#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"

namespace {

/// A process that waits for its end; 0: there is none.
pid_t waiting() {
    const pid_t pid = ::fork();
    if (pid != 0) return std::max(pid, 0);
    ::alarm(60);  // whatever hangs ends
    while (true) ::pause();
}

/// -1 would be everybody, and 0 the whole group.
void end(pid_t pid) {
    if (pid > 0) ::kill(pid, SIGKILL);
}

/// A process that waits for its end, and whose parent is over; 0: there is none.
pid_t orphaned() {
    auto line = heeler::make_pipe();
    if (!line) return 0;
    const pid_t parent = ::fork();
    if (parent < 0) return 0;
    if (parent == 0) {
        const pid_t orphan = waiting();
        if (orphan > 0 && ::write(line->writer.get(), &orphan, sizeof orphan) == sizeof orphan) ::_exit(0);
        end(orphan);
        ::_exit(1);
    }
    line->writer.close();  // a parent that has nothing to say ends the wait
    pid_t orphan = 0;
    if (::read(line->reader.get(), &orphan, sizeof orphan) != sizeof orphan) orphan = 0;
    ::waitpid(parent, nullptr, 0);
    return orphan;
}

/// Whether of these two children the orphan alone is a stray of a command that began with both of them.
bool tells_them_apart() {
    const pid_t before = waiting();
    const pid_t orphan = heeler::adopt_orphans() ? orphaned() : 0;
    const auto row = before > 0 ? heeler::read_process(before) : std::nullopt;
    bool apart = false;
    if (orphan > 0 && row) {
        constexpr pid_t nobody = 1 << 30;
        const auto strays = heeler::strays_of({nobody, nobody, row->start_time}, true);
        apart = strays.size() == 1 && strays.front().pid == orphan;
    }
    for (const pid_t pid : {before, orphan}) end(pid);
    return apart;
}

}  // namespace

TEST_CASE("a child from before orphans were adopted is none of them, even if a command began in the same moment") {
    const pid_t adopting = ::fork();  // it would adopt whatever later tests leave
    if (adopting == 0) {
        ::alarm(60);
        ::_exit(tells_them_apart() ? 0 : 1);
    }
    REQUIRE(adopting > 0);
    int status = 0;
    REQUIRE(::waitpid(adopting, &status, 0) == adopting);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}
