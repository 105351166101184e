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
          R"({"msg_type":"worker.stuck","payload":{"worker_name":"a \"b\"\n","intervals_stuck":3},)"
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

TEST_CASE("an orchestrator reads alerts, and one that is gone is no recipient [M-120]", "[worker_monitor]") {
    CHECK_FALSE(Orchestrator::start({"heeler-no-such-command"}));
    auto orchestrator =
        Orchestrator::start({"sh", "-c", "read -r line; printf 'got %s\\n' \"$line\"; printf 'half a line'"});
    REQUIRE(orchestrator);
    REQUIRE(orchestrator->send(stuck()));
    std::vector<std::string> heard;
    REQUIRE(heeler_test::wait_for([&] {
        for (std::string& line : orchestrator->heard()) heard.push_back(std::move(line));
        return !heard.empty();
    }));
    CHECK(heard.size() == 1);
    CHECK_THAT(heard.front(), ContainsSubstring("got {\"msg_type\":\"worker.stuck\""));
    heeler::Result<heeler::Receipt> answer;
    REQUIRE(heeler_test::wait_for([&] { return !(answer = orchestrator->send(stuck())); }));
    REQUIRE(heeler_test::wait_for([&] {
        answer = orchestrator->send(stuck());
        return !answer && answer.error().code == heeler::ErrorCode::no_recipient;
    }));
    orchestrator->end();
}
