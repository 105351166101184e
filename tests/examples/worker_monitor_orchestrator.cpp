#include "worker_monitor/orchestrator.hpp"

#include "support/catch.hpp"
#include "support/real_process.hpp"

using worker_monitor::nudge_of;
using worker_monitor::Orchestrator;

namespace {

heeler::Alert stuck() {
    heeler::Alert alert;
    alert.kind = "worker.stuck";
    alert.key = "k";
    alert.summary = "run a: Stuck";
    alert.details = {{"worker_name", "a \"b\"\n"}, {"intervals_stuck", "3", true}};
    return alert;
}

}  // namespace

TEST_CASE("an alert is one line with a type and a payload", "[worker_monitor]") {
    CHECK(worker_monitor::json_of(stuck()) ==
          R"({"msg_type":"worker.stuck","payload":{"worker_name":"a \"b\"\n","intervals_stuck":3,)"
          R"("suggestions":["investigate","nudge","restart"]},)"
          R"("summary":"run a: Stuck","key":"k","at":"1970-01-01T00:00:00.000Z"})");
}

TEST_CASE("only a whole request for a nudge is one", "[worker_monitor]") {
    const auto nudge = nudge_of(R"({"nudge":"build-7","text":"go on\n\u0003"})");
    REQUIRE(nudge);
    CHECK(nudge->worker == "build-7");
    CHECK(nudge->text == "go on\n\x03");
    for (const char* line : {"", "nudge", "{}", "[]", R"({"nudge":"a"})", R"({"nudge":1,"text":"b"})",
                             R"({"nudge":"a","text":"b"},)", R"({"text":"b")", "\xff"})
        CHECK_FALSE(nudge_of(line));
}

TEST_CASE("an orchestrator reads alerts, and what one that is gone is to read is kept [M-120]", "[worker_monitor]") {
    CHECK_FALSE(Orchestrator::start({"heeler-no-such-command"}));
    auto orchestrator =
        Orchestrator::start({"sh", "-c", "read -r line; printf 'got %s\\n' \"$line\"; printf 'half a line'; exit 3"});
    REQUIRE(orchestrator);
    REQUIRE(orchestrator->send(stuck()));
    std::optional<std::string> heard;
    REQUIRE(heeler_test::wait_for([&] { return (heard = orchestrator->heard()).has_value(); }));
    CHECK_THAT(*heard, ContainsSubstring("got {\"msg_type\":\"worker.stuck\""));
    REQUIRE(heeler_test::wait_for([&] { return !orchestrator->runs(); }));
    CHECK_FALSE(orchestrator->heard());
    CHECK(orchestrator->how_it_ended() == "exit status 3");
    const auto answer = orchestrator->send(stuck());
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == heeler::ErrorCode::under_way);
    orchestrator->end();
}

TEST_CASE("an orchestrator is started again after pauses that grow [M-120]", "[worker_monitor]") {
    auto orchestrator = Orchestrator::start({"true"});
    REQUIRE(orchestrator);
    heeler::Elapsed now{};
    for (const int pause : {1, 2, 4, 8, 16, 32, 60, 60}) {
        REQUIRE(heeler_test::wait_for([&] { return !orchestrator->runs(); }));
        CHECK(orchestrator->start_again(now) == false);
        now += std::chrono::seconds{pause} - std::chrono::milliseconds{1};
        CHECK(orchestrator->start_again(now) == false);
        now += std::chrono::milliseconds{1};
        CHECK(orchestrator->start_again(now) == true);
    }
    now += std::chrono::seconds{61};  // it had lasted
    REQUIRE(heeler_test::wait_for([&] { return !orchestrator->runs(); }));
    CHECK(orchestrator->start_again(now) == false);
    CHECK(orchestrator->start_again(now + std::chrono::seconds{1}) == true);
    orchestrator->end();
}

TEST_CASE("of what an orchestrator says only as much is read as somebody listens to", "[worker_monitor]") {
    auto orchestrator = Orchestrator::start({"sh", "-c", "while echo '{}'; do :; done"});
    REQUIRE(orchestrator);
    REQUIRE(heeler_test::wait_for([&] { return orchestrator->heard().has_value(); }));
    for (int i = 0; i < 10'000; ++i) CHECK(orchestrator->heard().value_or("{}") == "{}");
    orchestrator->end();
}
