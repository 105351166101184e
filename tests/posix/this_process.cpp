#include <heeler/posix/this_process.hpp>

#include <csignal>

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heeler/engine/edge.hpp>
#include <heeler/testing/manual_clock.hpp>

#include "support/catch.hpp"

using namespace heeler;

namespace {

/// A child that does as it is told, and that nobody waits for before the end of the test.
class Child {
public:
    template <class Work>
    explicit Child(Work work) : pid_{::fork()} {
        if (pid_ == 0) {
            work();
            ::_exit(0);
        }
        REQUIRE(pid_ > 0);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }

    /// Named as it would name itself.
    [[nodiscard]] std::string identity() const {
        const std::string me = this_process().identity();
        const std::string where = me.substr(0, me.rfind('/', me.rfind('/') - 1) + 1);
        return where + std::to_string(pid_) + "/" + detail::process_of(std::to_string(pid_)).start;
    }
    /// Waits for its first thread to have ended.
    [[nodiscard]] bool has_ended() const {
        for (int i = 0; i < 6000; ++i, ::usleep(10'000)) {
            const std::string text = detail::first_line("/proc/" + std::to_string(pid_) + "/stat");
            if (text.find(") Z ") != std::string::npos) return true;
        }
        return false;
    }

    [[nodiscard]] static detail::ThisProcess& this_process() {
        static ManualClock clock;
        static detail::ClockEdge<ManualClock> port{clock};
        static detail::ThisProcess process{port, ""};
        return process;
    }

private:
    pid_t pid_;
};

void wait_for_ever() {
    for (;;) ::pause();
}

void* go_on(void*) {
    wait_for_ever();
    return nullptr;
}

}  // namespace

TEST_CASE("a process that runs is not over, this one included") {
    auto& process = Child::this_process();
    const Child child{wait_for_ever};
    REQUIRE_FALSE(process.identity().empty());
    CHECK_FALSE(process.is_over(process.identity()));
    CHECK_FALSE(process.is_over(child.identity()));
    CHECK(process.is_over(child.identity() + "0"));  // of another one, that had the same number before
}

TEST_CASE("a process that ended is over, whether its parent waited for it or not") {
    const Child child{[] {}};
    REQUIRE(child.has_ended());
    CHECK(Child::this_process().is_over(child.identity()));
}

TEST_CASE("a process whose first thread ended is not over while another one runs") {
    const Child child{[] {
        pthread_t thread;
        if (::pthread_create(&thread, nullptr, go_on, nullptr) == 0) ::syscall(SYS_exit, 0);  // of this thread alone
    }};
    REQUIRE(child.has_ended());
    CHECK_FALSE(Child::this_process().is_over(child.identity()));
}
