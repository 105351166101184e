// Workers that were replaced learn it: the file of their host, what they ask it with, and real ones that stood still.
#include <heeler/agent/fence_file.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <heeler/agent/check_fence.hpp>
#include <heeler/agent/process_control.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/notify/log_notifier.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/store/memory_store.hpp>
#include <heeler/testing/manual_clock.hpp>

#include "support/catch.hpp"
#include "support/real_process.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using heeler_test::read_until;
using heeler_test::ScratchDirectory;

namespace {

/// What this process finds in its environment, until it ends.
class AsWorker {
public:
    explicit AsWorker(std::vector<std::pair<std::string, std::string>> variables) : variables_(std::move(variables)) {
        for (const auto& [name, value] : variables_) ::setenv(name.c_str(), value.c_str(), 1);
    }
    AsWorker(const AsWorker&) = delete;
    AsWorker& operator=(const AsWorker&) = delete;
    ~AsWorker() {
        for (const auto& [name, value] : variables_) ::unsetenv(name.c_str());
    }

private:
    std::vector<std::pair<std::string, std::string>> variables_;
};

void put(const std::string& path, std::string_view text) { std::ofstream(path, std::ios::trunc) << text; }

std::string shell_function() {
    const auto project = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
    return (project / "include/heeler/agent/check_fence.sh").string();
}

/// A worker that asks whenever it is told to, and says what it learned: 0, 1 or 2.
ProcessSpec worker() {
    return heeler_test::shell(". '" + shell_function() + "'\nwhile read line; do check_fence; echo \"$line $?\"; done");
}

ActionRequest telling(std::string_view text) {
    ActionRequest request;
    request.text = text;
    return request;
}

/// `word` is new each time.
std::string answer(ProcessControl& asked, const std::string& word) {
    std::string seen;
    if (!asked.inject(telling(word))) return "deaf";
    return read_until(asked, seen, word + " ") && read_until(asked, seen, "\n") ? seen : "silent";
}

/// What `check_fence` of the shell says of a worker with these variables.
std::string shell_answer(std::vector<std::pair<std::string, std::string>> variables) {
    ProcessSpec spec = worker();
    spec.environment = std::move(variables);
    auto asked = ProcessControl::start(std::move(spec));
    REQUIRE(asked);
    const std::string said = answer(*asked, "asked");
    CHECK(asked->terminate({}));
    return said;
}

/// Starts a fresh worker beside the one that stands still: nothing but the fence keeps that from its last step.
struct Host {
    FenceFile fence;
    std::map<std::uint64_t, ProcessControl> workers;

    Result<void> start(std::uint64_t generation) {
        if (auto raised = fence.raise(generation); !raised) return raised;
        ProcessSpec spec = worker();
        spec.environment = fence.environment(generation);
        auto started = ProcessControl::start(std::move(spec));
        if (!started) return tl::unexpected<Error>(started.error());
        workers.emplace(generation, std::move(*started));
        return {};
    }
    Result<ActionDone> spawn(const ActionRequest& asked) {
        if (auto started = start(asked.fence); !started) return tl::unexpected<Error>(started.error());
        return ActionDone{"generation " + std::to_string(asked.fence)};
    }
};

}  // namespace

TEST_CASE("a run belongs to the newest generation, and is never given back") {
    const ScratchDirectory scratch;
    FenceFile fence{scratch / "fence"};
    REQUIRE(fence.owner());
    CHECK(*fence.owner() == 0);
    REQUIRE(fence.raise(3));
    CHECK(fence.raise(3));
    CHECK(*fence.owner() == 3);
    const auto late = fence.raise(2);
    REQUIRE_FALSE(late);
    CHECK(late.error().code == ErrorCode::rejected);
    CHECK(late.error().message == "the run belongs to generation 3, which is later than 2");
    CHECK(*fence.owner() == 3);
    CHECK(fence.raise(0).error().code == ErrorCode::invalid_argument);
    CHECK(fence.raise(FenceFile::max_generation + 1).error().code == ErrorCode::invalid_argument);
    CHECK(fence.raise(FenceFile::max_generation));
    CHECK(*FenceFile{scratch / "fence"}.owner() == FenceFile::max_generation);
    for (const char* const name : {"fence", "fence.lock"})
        CHECK((std::filesystem::status(scratch / name).permissions() & std::filesystem::perms::all) ==
              (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    CHECK(FenceFile{scratch / "missing/fence"}.raise(1).error().code == ErrorCode::io);
    put(scratch / "fence", "12");
    CHECK(fence.owner().error().code == ErrorCode::corrupt);
    CHECK(fence.raise(13).error().code == ErrorCode::corrupt);
}

TEST_CASE("of hosts that raise a fence at once each sees what the others wrote") {
    const ScratchDirectory scratch;
    constexpr std::uint64_t each = 100;
    const auto raise = [&](std::uint64_t first) {
        FenceFile fence{scratch / "fence"};
        for (std::uint64_t number = first; number <= 2 * each; number += 2) static_cast<void>(fence.raise(number));
    };
    std::thread odd(raise, 1);
    raise(2);
    odd.join();
    CHECK(*FenceFile{scratch / "fence"}.owner() == 2 * each);
}

TEST_CASE("a worker learns from its environment and the fence whether its run is its own still") {
    const ScratchDirectory scratch;
    const std::string path = scratch / "fence";
    FenceFile fence{path};
    REQUIRE(fence.raise(7));
    struct Row {
        const char* file;
        const char* generation;
        FenceAnswer answer;
    };
    const Row rows[] = {
        {"7\n", "7", FenceAnswer::owner},
        {"8\n", "7", FenceAnswer::fenced},
        {"999999999999999999\n", "999999999999999998", FenceAnswer::fenced},
        {"10\n", "9", FenceAnswer::fenced},
        {"6\n", "7", FenceAnswer::unknown},  // somebody put an old file back
        {"7", "7", FenceAnswer::unknown},
        {"", "7", FenceAnswer::unknown},
        {"\n", "7", FenceAnswer::unknown},
        {"seven\n", "7", FenceAnswer::unknown},
        {" 8\n", "7", FenceAnswer::unknown},
        {"-8\n", "7", FenceAnswer::unknown},
        {"8\r\n", "7", FenceAnswer::unknown},
        {"99999999999999999999999999999999999999\n", "7", FenceAnswer::unknown},
        {"7\n", "", FenceAnswer::unknown},
        {"7\n", "7x", FenceAnswer::unknown},
        {"7\n", "99999999999999999999", FenceAnswer::unknown},
    };
    for (const Row& row : rows) {
        CAPTURE(row.file, row.generation);
        put(path, row.file);
        auto variables = fence.environment(7);
        variables[1].second = row.generation;
        {
            const AsWorker here{variables};
            CHECK(check_fence() == row.answer);
        }
        CHECK(shell_answer(variables) == "asked " + std::to_string(static_cast<int>(row.answer)) + "\n");
    }
    std::filesystem::remove(path);
    CHECK(shell_answer(fence.environment(7)) == "asked 2\n");
    CHECK(shell_answer({}) == "asked 2\n");
    CHECK(check_fence() == FenceAnswer::unknown);
    const AsWorker here{fence.environment(7)};
    CHECK(check_fence() == FenceAnswer::unknown);
}

TEST_CASE("an agent that stood still, was replaced and wakes learns it before its last step") {
    const ScratchDirectory scratch;
    Host host{FenceFile{scratch / "fence"}, {}};
    ManualClock clock;
    Watchdog dog{clock, MemoryStore{}, LogNotifier{}};
    dog.attach(host);
    REQUIRE(dog.start({.id = "release", .name = "release", .task = "Publish it"}, presets::checkpoint_continuation()));
    REQUIRE(host.start(1));
    ProcessControl& first = host.workers.at(1);
    CHECK(answer(first, "before") == "before 0\n");
    REQUIRE(first.pause({}));

    clock.advance(30min);
    REQUIRE(dog.cycle().ok());
    REQUIRE(host.workers.size() == 2);
    const std::uint64_t newest = host.workers.rbegin()->first;
    CHECK(answer(host.workers.rbegin()->second, "fresh") == "fresh 0\n");

    REQUIRE(first.resume({}));
    CHECK(answer(first, "woken") == "woken 1\n");
    // A watchdog that was replaced as well cannot give the run back to an agent of its own.
    const auto late = host.spawn({.run = "release", .key = "late", .fence = newest - 1});
    REQUIRE_FALSE(late);
    CHECK(late.error().code == ErrorCode::rejected);
    CHECK(host.workers.size() == 2);
    for (auto& [generation, each] : host.workers) CHECK(each.terminate({}));
}
