#include <heeler/agent/control_in_background.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include <heeler/heeler.hpp>
#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/recording_notifier.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// Does not answer about the runs in `stuck` until they are let go.
struct Hanging {
    std::mutex lock{};
    std::condition_variable let_go{};
    std::set<std::string> stuck{};
    std::vector<std::string> asked{};
    Result<ActionDone> answer = ActionDone{.note = "told"};

    Result<ActionDone> inject(const ActionRequest& request) {
        std::unique_lock one{lock};
        asked.push_back(std::string{request.run} + " " + std::string{request.key} + " " + std::string{request.text});
        let_go.wait(one, [&, run = std::string{request.run}] { return stuck.count(run) == 0; });
        return answer;
    }
    Result<StopProof> prove_stopped(std::string_view run) {
        std::unique_lock one{lock};
        let_go.wait(one, [&, key = std::string{run}] { return stuck.count(key) == 0; });
        return StopProof::stopped;
    }
    void hang(const std::string& run) {
        const std::lock_guard one{lock};
        stuck.insert(run);
    }
    void free_all() {
        const std::lock_guard one{lock};
        stuck.clear();
        let_go.notify_all();
    }
    [[nodiscard]] std::size_t calls() {
        const std::lock_guard one{lock};
        return asked.size();
    }
};

struct Background {
    std::shared_ptr<Hanging> agents = std::make_shared<Hanging>();
    ControlInBackground<Hanging> control{agents, {20ms, 2, 1s}};

    Background() = default;
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    ~Background() { agents->free_all(); }

    Result<ActionDone> nudge(const std::string& run, const std::string& key) {
        ActionRequest request;
        request.run = run;
        request.key = key;
        request.text = "go on";
        return control.inject(request);
    }
    [[nodiscard]] bool settles() const {
        for (int round = 0; round < 60000 && control.hanging() > 0; ++round) std::this_thread::sleep_for(1ms);
        return control.hanging() == 0;
    }
};

}  // namespace

TEST_CASE("what a control in the background answers in time is its answer") {
    Background b;
    const auto done = b.nudge("r1", "k1");
    REQUIRE(done);
    CHECK(done->note == "told");
    CHECK(b.agents->asked == std::vector<std::string>{"r1 k1 go on"});
    CHECK(*b.control.prove_stopped("r1") == StopProof::stopped);
    CHECK(*b.control.find("k1") == Found::unknown);  // this control cannot tell
    CHECK_FALSE(b.control.idempotent());
    b.agents->answer = fail(ErrorCode::rejected, "no");
    const auto refused = b.nudge("r1", "k2");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::rejected);
}

TEST_CASE("one agent that does not answer holds up no other, and is found once it has") {
    Background b;
    b.agents->hang("r1");
    const auto late = b.nudge("r1", "k1");
    REQUIRE_FALSE(late);
    CHECK(late.error().code == ErrorCode::timed_out);
    CHECK(late.error().message == "no answer within 0s; the call is not over");
    CHECK(b.nudge("r2", "k2"));
    CHECK(b.control.hanging() == 1);
    CHECK(*b.control.find("k1") == Found::unknown);
    CHECK(*b.control.prove_stopped("r1") == StopProof::unknown);
    SECTION("and nothing more is done to it meanwhile") {
        const auto more = b.nudge("r1", "k3");
        REQUIRE_FALSE(more);
        CHECK(more.error().code == ErrorCode::failed);
        CHECK(more.error().message == "an earlier call about it, `k1`, is not over");
        CHECK_FALSE(b.nudge("r1", "k1"));
        CHECK(b.agents->calls() == 2);
    }
    SECTION("it was done") {
        b.agents->free_all();
        REQUIRE(b.settles());
        CHECK(*b.control.find("k1") == Found::found);
        CHECK(*b.control.find("k1") == Found::found);
        CHECK(b.nudge("r1", "k1"));  // not again
        CHECK(b.agents->calls() == 2);
        CHECK(*b.control.prove_stopped("r1") == StopProof::stopped);
    }
    SECTION("it was not done") {
        b.agents->answer = fail(ErrorCode::rejected, "no");
        b.agents->free_all();
        REQUIRE(b.settles());
        CHECK(*b.control.find("k1") == Found::absent);
        CHECK(*b.control.find("k1") == Found::absent);
        CHECK_FALSE(b.nudge("r1", "k1"));
        CHECK(b.agents->calls() == 3);
    }
}

TEST_CASE("when many calls hang nothing new is begun") {
    Background b;
    b.agents->hang("r1");
    b.agents->hang("r2");
    CHECK_FALSE(b.nudge("r1", "k1"));
    CHECK_FALSE(b.nudge("r2", "k2"));
    const auto refused = b.nudge("r3", "k3");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::busy);
    CHECK(refused.error().message == "2 calls are not over");
    b.agents->free_all();
    REQUIRE(b.settles());
    CHECK(b.nudge("r3", "k3"));
}

TEST_CASE("a control that never answers outlives what went around it") {
    const auto agents = std::make_shared<Hanging>();
    agents->hang("r1");
    {
        ControlInBackground control{agents, {1ms, 8, 1ms}};
        ActionRequest request;
        request.run = "r1";
        request.key = "k1";
        CHECK_FALSE(control.inject(request));
    }
    agents->free_all();
    for (int round = 0; round < 60000 && agents.use_count() > 1; ++round) std::this_thread::sleep_for(1ms);
    CHECK(agents.use_count() == 1);
}

TEST_CASE("of two runs that stand still the one whose agent does not answer is told of, and the other is nudged") {
    Background b;
    ManualClock clock;
    RecordingNotifier people;
    Watchdog dog{clock, MemoryStore{}, people};
    REQUIRE(dog.attach(b.control));
    b.agents->hang("r1");
    REQUIRE(dog.start({.id = "r1"}, presets::recommended()));
    REQUIRE(dog.start({.id = "r2"}, presets::recommended()));
    for (int minute = 0; minute < 40; ++minute) {
        REQUIRE(dog.cycle().ok());
        clock.advance(1min);
        for (const char* run : {"r1", "r2"}) dog.observe(*dog.find(run), Heartbeat{});
    }
    CHECK(b.agents->calls() >= 2);
    const auto said = dog.explain("r1");
    REQUIRE(said);
    CHECK(said->find("no answer within") != std::string::npos);
    bool told = false;
    for (const auto& each : people.sent()) told |= each.alert.run.id == "r1";
    CHECK(told);
}
