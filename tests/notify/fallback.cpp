#include <heeler/notify/fallback.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <heeler/notify/log_notifier.hpp>
#include <heeler/testing/contract/notifier_contract.hpp>
#include <heeler/testing/recording_notifier.hpp>

#include "support/catch.hpp"

using heeler::Alert;
using heeler::Delivery;
using heeler::ErrorCode;
using heeler::FallbackNotifier;
using heeler::LogNotifier;
using heeler::Receipt;
using heeler::RecordingNotifier;
using heeler::Result;
using heeler::Severity;
using namespace std::chrono_literals;

namespace {

struct NobodyListens {
    static constexpr std::string_view name = "nobody_listens";
    Result<Receipt> send(const Alert&) { return Receipt{0}; }
};

struct ThrowsAnInt {
    static constexpr std::string_view name = "throws_an_int";
    Result<Receipt> send(const Alert&) { throw 7; }
};

Alert attempt(std::uint32_t number) {
    Alert alert = heeler::notifier_contract::example_alert();
    alert.attempt = number;
    return alert;
}

}  // namespace

TEST_CASE("a fallback notifier keeps the contract of notifiers") {
    RecordingNotifier first;
    RecordingNotifier second;
    FallbackNotifier working{first, second};
    heeler::notifier_contract::check_delivering(working);
    CHECK(second.sent().empty());

    first.answer_with({Delivery::fail});
    heeler::notifier_contract::check_failing(working);
    FallbackNotifier saved{first, second, {.counts_as_delivered = true}};
    heeler::notifier_contract::check_delivering(saved);
}

TEST_CASE("a failed delivery is a warning at the second notifier and stays undelivered [M-125]") {
    RecordingNotifier first;
    RecordingNotifier second;
    const auto [delivery, code] =
        GENERATE(table<Delivery, ErrorCode>({{Delivery::fail, ErrorCode::delivery_failed},
                                             {Delivery::raise, ErrorCode::delivery_failed},
                                             {Delivery::no_recipient, ErrorCode::no_recipient},
                                             {Delivery::permanent, ErrorCode::permanent}}));
    first.answer_with({delivery});
    FallbackNotifier notifier{first, second};

    Alert alert = heeler::notifier_contract::example_alert();
    alert.severity = Severity::none;
    const auto answer = notifier.send(alert);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == code);
    REQUIRE(second.delivered().size() == 1);
    const Alert said = second.delivered()[0];
    CHECK(said.key == alert.key);
    CHECK(said.severity == Severity::warning);
    REQUIRE(said.issues.size() == 2);
    CHECK(said.issues[0] == alert.issues[0]);
    CHECK(said.issues[1] == "not delivered by recording: " + answer.error().message);
}

TEST_CASE("a receipt without recipients is a failure, and is answered as it came [M-120]") {
    RecordingNotifier second;
    FallbackNotifier notifier{NobodyListens{}, second};
    const auto answer = notifier.send(attempt(1));
    REQUIRE(answer);
    CHECK(answer->recipients == 0);
    REQUIRE(second.delivered().size() == 1);
    CHECK(second.delivered()[0].issues[1] == "not delivered by nobody_listens: nobody listens on this route");
}

TEST_CASE("a long outage does not flood the second notifier [M-125]") {
    RecordingNotifier first;
    RecordingNotifier second;
    first.answer_with({Delivery::fail});
    FallbackNotifier notifier{first, second};
    for (std::uint32_t number = 1; number <= 300; ++number) CHECK_FALSE(notifier.send(attempt(number)));
    CHECK(first.sent().size() == 300);
    std::vector<std::uint32_t> told;
    for (const Alert& alert : second.delivered()) told.push_back(alert.attempt);
    CHECK(told == std::vector<std::uint32_t>{1, 2, 4, 8, 16, 32, 64, 128, 256});
}

TEST_CASE("the second notifier may hear only of what nobody has for a while [M-125]") {
    RecordingNotifier first;
    RecordingNotifier second;
    const bool counts = GENERATE(false, true);
    FallbackNotifier notifier{first, second, {.counts_as_delivered = counts, .after = 15min}};
    const auto send = [&](heeler::Duration old, std::uint32_t number) {
        Alert alert = attempt(number);
        alert.at = std::chrono::time_point_cast<heeler::Duration>(std::chrono::system_clock::now()) - old;
        return notifier.send(alert);
    };
    first.answer_with({Delivery::fail});
    CHECK_FALSE(send(0s, 1));
    CHECK_FALSE(send(14min, 8));
    CHECK(second.sent().empty());
    CHECK(send(15min, 9).has_value() == counts);  // none of 1, 2, 4, 8, but the first of which it is to hear
    CHECK(second.sent().size() == 1);
    if (!counts) {
        for (std::uint32_t number = 10; number <= 16; ++number) CHECK_FALSE(send(20min, number));
        CHECK(second.sent().size() == 4);  // 9, 10, 12 and 16
    }
    second.clear();
    first.answer_with({Delivery::permanent});
    (void)send(0s, 3);
    CHECK(second.sent().size() == 1);  // nobody tries that again
}

TEST_CASE("the second notifier can be the delivery [M-125]") {
    RecordingNotifier first;
    RecordingNotifier second;
    first.answer_with({Delivery::fail});
    FallbackNotifier notifier{first, second, {.counts_as_delivered = true}};
    const auto answer = notifier.send(attempt(3));
    REQUIRE(answer);
    CHECK(answer->recipients == 1);
    CHECK(second.delivered().size() == 1);

    second.answer_with({Delivery::no_recipient});
    first.answer_with({Delivery::permanent});
    const auto nothing = notifier.send(attempt(1));
    REQUIRE_FALSE(nothing);
    CHECK(nothing.error().code == ErrorCode::permanent);
    CHECK_THAT(nothing.error().message, ContainsSubstring("refuse for good") && ContainsSubstring("recording: nobody"));
}

TEST_CASE("a second notifier that fails, too, changes nothing and lets nothing escape [M-008]") {
    RecordingNotifier first;
    first.answer_with({Delivery::fail});
    FallbackNotifier notifier{first, ThrowsAnInt{}};
    const auto answer = notifier.send(attempt(1));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message == "the recording notifier was told to fail");

    FallbackNotifier counting{ThrowsAnInt{}, ThrowsAnInt{}, {.counts_as_delivered = true}};
    const auto nothing = counting.send(attempt(1));
    REQUIRE_FALSE(nothing);
    CHECK_THAT(nothing.error().message, ContainsSubstring("; throws_an_int: throws_an_int threw"));
}

TEST_CASE("a log as the fallback gets one warning line [M-125] [M-183]") {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), &std::fclose};
    RecordingNotifier chat;
    chat.answer_with({Delivery::raise});
    FallbackNotifier notifier{chat, LogNotifier{file.get()}};
    CHECK_FALSE(notifier.send(attempt(1)));
    CHECK(notifier.first().sent().size() == 1);

    std::string line;
    std::rewind(file.get());
    for (int c = std::fgetc(file.get()); c != EOF; c = std::fgetc(file.get())) line += static_cast<char>(c);
    CHECK_THAT(line, ContainsSubstring(" WARNING heeler run.unhealthy [run-1] ") &&
                         ContainsSubstring("; not delivered by recording: recording threw: "));
    CHECK(std::count(line.begin(), line.end(), '\n') == 1);
}
