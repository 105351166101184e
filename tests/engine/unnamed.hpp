// Watchdogs without a name, in processes of their own, on one store.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include "support/bench.hpp"
#include "support/catch.hpp"

namespace unnamed {

using namespace heeler;
using namespace std::chrono_literals;

template <class Store>
using Dog = Watchdog<ManualClock, Store, RecordingNotifier>;

template <class Store>
[[nodiscard]] std::unique_ptr<Dog<Store>> boot(Store store) {
    auto dog = std::make_unique<Dog<Store>>(ManualClock{bench::start}, std::move(store), RecordingNotifier{});
    if (!dog->define(bench::minute_class())) return nullptr;
    return dog;
}

/// Another process, whose watchdog has started the run `r`; stays until it is killed.
class Other {
public:
    template <class Open>
    explicit Other(Open open) {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::close(ends[0]);
            const auto dog = boot(open());
            const auto started = dog->start(bench::spec_of("r"), std::string_view{bench::minute_class().name});
            const char said = started && !started->not_stored ? 'y' : 'n';
            if (::write(ends[1], &said, 1) != 1) ::_exit(1);
            for (;;) ::pause();
        }
        ::close(ends[1]);
        REQUIRE(pid_ > 0);
        const bool heard = ::read(ends[0], &said_, 1) == 1;
        ::close(ends[0]);
        REQUIRE(heard);
    }
    Other(const Other&) = delete;
    Other& operator=(const Other&) = delete;
    ~Other() { kill(); }

    [[nodiscard]] bool started() const { return said_ == 'y'; }
    [[nodiscard]] pid_t pid() const { return pid_; }
    void kill() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(std::exchange(pid_, 0), nullptr, 0);
    }
    /// It ends, and nobody waits for it yet.
    void kill_unwaited() const {
        REQUIRE(pid_ > 0);
        ::kill(pid_, SIGKILL);
        siginfo_t ended{};
        REQUIRE(::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT) == 0);
    }

private:
    pid_t pid_ = 0;
    char said_ = 'n';
};

template <class Store>
[[nodiscard]] std::string errors_of(Dog<Store>& dog) {
    std::string text;
    const CycleReport report = dog.cycle();
    for (const Event& event : report.events)
        if (const auto* error = std::get_if<ErrorEvent>(&event)) text += error->error.message + "\n";
    return text;
}

template <class Open>
void sole_watchdog(Open open) {
    Other other{open};
    REQUIRE(other.started());
    const auto dog = boot(open());
    const std::string who = "process " + std::to_string(other.pid()) + " on host ";
    const auto told = [&](const std::string& text) {
        CHECK_THAT(text, ContainsSubstring(who) && ContainsSubstring("EngineSettings::holder"));
    };
    const auto refused = dog->start(bench::spec_of("s"), std::string_view{bench::minute_class().name});
    REQUIRE(refused);
    REQUIRE(refused->not_stored);
    told(refused->not_stored->message);
    for (int i = 0; i < 3; ++i) told(errors_of(*dog));
    const auto noted = dog->checkpoint(*refused, CheckpointNote{1, "step 1"});
    REQUIRE_FALSE(noted);
    told(noted.error().message);
    const auto finished = dog->finish(*refused, RunEnd::completed);
    REQUIRE_FALSE(finished);
    told(finished.error().message);
    const auto found = dog->find("r");
    REQUIRE_FALSE(found);
    told(found.error().message);
    CHECK_FALSE(dog->store().history("s")->row);

    if (GENERATE(true, false))
        other.kill();
    else
        other.kill_unwaited();
    SECTION("a new one goes on at once") {
        const auto next = boot(open());
        CHECK(next->find("r"));
        CHECK(errors_of(*next).empty());
        SECTION("and gives the store back") {
            CHECK(next->leave());
            CHECK(dog->store().holders()->at(0).owner.empty());
        }
    }
    SECTION("who was refused goes on soon") {
        dog->clock().advance(5s);
        CHECK(errors_of(*dog).empty());
        CHECK(dog->find("r"));
        CHECK(dog->store().history("s")->row->state == RunState::completed);
    }
}

/// A host that starts its runs again before its predecessor is known to have ended.
template <class Open>
void handles_stay_good(Open open) {
    Other other{open};
    REQUIRE(other.started());
    const auto dog = boot(open());
    const auto& rules = bench::minute_class().name;
    const auto run =
        GENERATE(true, false) ? dog->start(bench::spec_of("r"), rules) : dog->attach(bench::spec_of("r"), rules);
    REQUIRE(run);
    CHECK(run->not_stored);
    CHECK(dog->observe(*run, Progress{3}) == Observed::ok);
    CHECK_FALSE(dog->checkpoint(*run, CheckpointNote{1, "step 1"}));
    const auto again = dog->attach(bench::spec_of("r"), rules);
    REQUIRE(again);
    CHECK((again->found && again->not_stored && RunHandle{*again} == RunHandle{*run}));
    CHECK_FALSE(errors_of(*dog).empty());

    other.kill_unwaited();
    for (int minute = 0; minute < 10; ++minute) {
        dog->clock().advance(30s);
        CHECK(dog->observe(*run, Progress{4 + minute}) == Observed::ok);
        CHECK(errors_of(*dog).empty());
        dog->clock().advance(30s);
        CHECK(errors_of(*dog).empty());
    }
    CHECK(dog->store().history("r")->checkpoints.size() == 1);
    CHECK(dog->store().history("r")->interventions.empty());
    CHECK(dog->notifier().sent().empty());
    CHECK(*dog->find("r") == RunHandle{*run});
    CHECK(dog->finish(*run));
    CHECK(dog->store().history("r")->row->state == RunState::completed);
}

}  // namespace unnamed
