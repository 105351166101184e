#include <heeler/notify/command_notifier.hpp>

#include <chrono>
#include <string>

#include <heeler/testing/contract/notifier_contract.hpp>

#include "support/catch.hpp"
#include "support/scratch_log.hpp"

using heeler::CommandNotifier;
using heeler::ErrorCode;
using namespace std::chrono_literals;

namespace {

CommandNotifier shell_notifier(const std::string& script, heeler::Duration timeout = 10s) {
    return CommandNotifier{{{"sh", "-c", script}, timeout}};
}

heeler::Error command_error(const std::string& script, heeler::Duration timeout = 10s) {
    auto answer = shell_notifier(script, timeout).send(heeler::notifier_contract::example_alert());
    REQUIRE_FALSE(answer);
    return answer.error();
}

}  // namespace

TEST_CASE("a command keeps the contract of notifiers") {
    auto reads = shell_notifier("cat >/dev/null");
    heeler::notifier_contract::check_delivering(reads);
    auto reads_nothing = shell_notifier("exec <&-; :");
    heeler::notifier_contract::check_delivering(reads_nothing);
    auto fails = shell_notifier("exit 1");
    heeler::notifier_contract::check_failing(fails);
    CommandNotifier nothing{{}};
    heeler::notifier_contract::check_failing(nothing);
    CommandNotifier missing{{{"no-such-program-anywhere"}}};
    heeler::notifier_contract::check_failing(missing);
}

TEST_CASE("a command reads the alert as one line of JSON") {
    const ScratchLog folder;
    auto command = shell_notifier("cat >'" + folder.path("got") + "'");
    heeler::Alert alert = heeler::notifier_contract::example_alert();
    alert.summary = std::string(200'000, 'x');  // more than a pipe holds
    REQUIRE(command.send(alert));
    std::FILE* const file = std::fopen(folder.path("got").c_str(), "rb");
    REQUIRE(file != nullptr);
    std::string got(400'000, '\0');
    got.resize(std::fread(got.data(), 1, got.size(), file));
    std::fclose(file);
    CHECK(got == heeler::alert_json(alert) + "\n");
}

TEST_CASE("how a command ended decides whether it is asked again") {
    CHECK(command_error("exit 75").code == ErrorCode::delivery_failed);
    CHECK(command_error("exit 67").code == ErrorCode::permanent);
    CHECK(command_error("exit 78").code == ErrorCode::permanent);
    CHECK(command_error("kill -9 $$").message == "command: sh ended with 137");
    CHECK(command_error("echo no such user >&2; exit 67").message == "command: sh ended with 67: no such user ");
    CHECK(command_error("echo password=hunter22; exit 1").message.find("hunter22") == std::string::npos);
}

TEST_CASE("a command that does not end is ended, with what it started") {
    const auto begin = std::chrono::steady_clock::now();
    CHECK(command_error("sleep 300 & sleep 300", 200ms).code == ErrorCode::timed_out);
    CHECK(std::chrono::steady_clock::now() - begin < 60s);
    // One that leaves something behind that holds its output is not waited for.
    const auto again = std::chrono::steady_clock::now();
    CHECK(shell_notifier("sleep 100 & exit 0").send(heeler::notifier_contract::example_alert()));
    CHECK(std::chrono::steady_clock::now() - again < 60s);
}
