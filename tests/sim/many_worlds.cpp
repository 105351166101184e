// Lives many worlds, one after the other in each of some processes: heeler_sim_worlds [FROM [COUNT [PROCESSES]]].
// Exit status 1: a promise is broken.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#include "sim/report.hpp"
#include "sim/world.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Number = unsigned long long;

/// What is broken more often than that is broken in the same way, most likely.
constexpr std::uint64_t most_broken = 5;

/// What the processes have in common.
struct Count {
    std::atomic<std::uint64_t> next{0}, lived{0}, broken{0}, traces{0};
    const pid_t first = getpid();  ///< who is told to stop, and whom the others follow
};

void live(Count& all, std::uint64_t from, std::uint64_t worlds) {
    for (std::uint64_t at = all.next++; at < worlds && all.broken < most_broken && getppid() == all.first;
         at = all.next++) {
        const sim::Story story = sim::story_of(from + at, sim::short_story);
        sim::World world{story};
        world.live();
        all.traces += sim::hash_of(world.trace());
        ++all.lived;
        if (world.fault().empty()) continue;
        ++all.broken;
        std::printf("%s\n", sim::report_of(sim::shrunk(story)).c_str());
        std::fflush(stdout);
    }
}

/// The traces in any order: the same for the same worlds, by whatever they were compiled.
void say(const Count& all, Clock::time_point since) {
    const auto seconds = std::chrono::duration<double>(Clock::now() - since).count();
    std::printf("%llu worlds in %.0f s, a promise is broken in %llu, traces %016llx\n", Number{all.lived}, seconds,
                Number{all.broken}, Number{all.traces});
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
    const auto number = [&](int place, std::uint64_t otherwise) -> std::uint64_t {
        return place < count ? std::strtoull(words[place], nullptr, 10) : otherwise;
    };
    const std::uint64_t from = number(1, 1), worlds = number(2, 10'000);
    const std::uint64_t processes = number(3, std::thread::hardware_concurrency());
    std::printf("heeler_sim_worlds %llu %llu %llu\n", Number{from}, Number{worlds}, Number{processes});
    std::fflush(stdout);
    void* const shared = mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 1;
    Count& all = *::new (shared) Count;

    std::uint64_t at_work = 0;
    for (std::uint64_t i = 0; i < processes; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            live(all, from, worlds);
            std::_Exit(0);
        }
        if (child > 0) ++at_work;
    }
    const auto begin = Clock::now();
    auto told = begin;
    bool crashed = false;
    while (at_work > 0) {
        int status = 0;
        if (waitpid(-1, &status, WNOHANG) > 0) {
            --at_work;
            crashed |= status != 0;
            continue;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
        if (Clock::now() - told < std::chrono::seconds{10}) continue;
        told = Clock::now();
        say(all, begin);
    }
    say(all, begin);
    if (crashed) std::printf("a process that lived worlds has crashed\n");
    return !crashed && all.broken == 0 && all.lived == worlds && worlds > 0 ? 0 : 1;
}
