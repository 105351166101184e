#include <heeler/notify/log_notifier.hpp>

#include <cstdio>
#include <memory>
#include <string>

#include <heeler/testing/contract/notifier_contract.hpp>

#include "support/catch.hpp"

using heeler::ErrorCode;
using heeler::LogNotifier;
using heeler::Severity;

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::string content_of(std::FILE* file) {
    std::string content;
    std::rewind(file);
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) content += static_cast<char>(c);
    return content;
}

}  // namespace

TEST_CASE("a log notifier keeps the contract of notifiers") {
    const File file{std::tmpfile(), &std::fclose};
    LogNotifier working{file.get()};
    heeler::notifier_contract::check_delivering(working);

    const File closed_to_writers{std::fopen("/dev/null", "r"), &std::fclose};
    LogNotifier broken{closed_to_writers.get()};
    heeler::notifier_contract::check_failing(broken);
}

TEST_CASE("a log notifier writes one warning line per alert [M-125] [M-183] [M-124]") {
    const File file{std::tmpfile(), &std::fclose};
    LogNotifier notifier{file.get()};
    auto alert = heeler::notifier_contract::example_alert();
    alert.at = heeler::WallTime{std::chrono::hours{24 * 365} + std::chrono::milliseconds{250}};
    REQUIRE(notifier.send(alert));

    alert.run.project.clear();
    REQUIRE(notifier.send(alert));

    alert.run = {};
    alert.kind = "watchdog.store_up";
    alert.severity = Severity::none;
    alert.summary = "two\nlines and a \x1b[31mcolour";
    alert.issues = {"one", "two"};
    REQUIRE(notifier.send(alert));

    alert.severity = Severity::critical;
    alert.summary.clear();
    alert.issues.clear();
    alert.details.clear();
    REQUIRE(notifier.send(alert));

    CHECK(content_of(file.get()) ==
          "1971-01-01T00:00:00.250Z WARNING heeler run.unhealthy [run-1] (tools) run-1 is STALLED: no progress in 2 "
          "intervals; next: verified in 60 s\n"
          "1971-01-01T00:00:00.250Z WARNING heeler run.unhealthy [run-1] run-1 is STALLED: no progress in 2 intervals; "
          "next: verified in 60 s\n"
          "1971-01-01T00:00:00.250Z NOTE heeler watchdog.store_up two lines and a colour: one; two; "
          "next: verified in 60 s\n"
          "1971-01-01T00:00:00.250Z CRITICAL heeler watchdog.store_up\n");
}

TEST_CASE("a log line ends with what comes next and how to stop it, whole [M-124]") {
    auto alert = heeler::notifier_contract::example_alert();
    alert.summary = std::string(10'000, 'x');
    alert.run.id = "a\xE2\x80\xAE";
    alert.details = {{"seen", "s"}, {"stop", "heeler-ctl snooze --for 2h -- 'a; b'"}, {"next", "judged again\nsoon"}};
    const auto line = LogNotifier::line_of(alert);
    CHECK_THAT(line, ContainsSubstring(" [a\\u{202E}] (tools) x"));
    CHECK(line.ends_with("; next: judged again soon; stop: heeler-ctl snooze --for 2h -- 'a; b'"));
    CHECK(line.size() <= LogNotifier::max_line_bytes);
    alert.details[1].value = std::string(5000, 'y');
    CHECK_THAT(LogNotifier::line_of(alert), !ContainsSubstring("stop:"));
}

TEST_CASE("a log line says what can be done, however long the rest is [M-118]") {
    auto alert = heeler::notifier_contract::example_alert();
    alert.kind = "worker.needs_input";
    alert.summary = std::string(10'000, 'x');
    CHECK(LogNotifier::line_of(alert).ends_with("; next: verified in 60 s; suggested: approve, decline, review"));
}

TEST_CASE("a log line is bounded whatever the alert holds") {
    auto alert = heeler::notifier_contract::example_alert();
    alert.summary = std::string(1'000'000, 'x');
    const auto line = LogNotifier::line_of(alert);
    CHECK(line.size() <= LogNotifier::max_line_bytes);
    CHECK_THAT(line, ContainsSubstring("no progress in 2 intervals"));
}
