#include <heeler/notify/in_background.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <heeler/notify/all_of.hpp>
#include <heeler/testing/contract/notifier_contract.hpp>
#include <heeler/testing/recording_notifier.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// Sends nothing until it is let go.
struct Held {
    static constexpr std::string_view name = "held";
    std::shared_ptr<std::atomic<bool>> go = std::make_shared<std::atomic<bool>>(false);
    std::shared_ptr<std::atomic<int>> begun = std::make_shared<std::atomic<int>>(0);
    bool works = true;

    Result<Receipt> send(const Alert&) {
        ++*begun;
        while (!*go) std::this_thread::sleep_for(1ms);
        if (works) return Receipt{1, {"ada"}};
        return fail(ErrorCode::delivery_failed, "in the end it failed");
    }
};

Alert alert_of(const std::string& key) {
    Alert alert = heeler::notifier_contract::example_alert();
    alert.key = key;
    return alert;
}

template <class Notifier>
Result<Receipt> sent(Notifier& notifier, const Alert& alert) {
    for (int round = 0; round < 60000; ++round) {
        auto answer = notifier.send(alert);
        if (answer || answer.error().code != ErrorCode::under_way) return answer;
        std::this_thread::sleep_for(1ms);
    }
    return fail(ErrorCode::timed_out, "it never ends");
}

}  // namespace

TEST_CASE("a notifier in the background keeps the contract of notifiers") {
    RecordingNotifier one;
    InBackground quick{one, {45s, 10s}};
    heeler::notifier_contract::check_delivering(quick);
    one.answer_with({Delivery::no_recipient});
    heeler::notifier_contract::check_failing(quick);
}

TEST_CASE("nobody waits for a notifier in the background, and its answer comes when it is asked again") {
    Held held;
    held.works = GENERATE(true, false);
    InBackground channel{held, {45s, 1ms}};
    const auto first = channel.send(alert_of("a"));
    REQUIRE(!first);
    CHECK(first.error().code == ErrorCode::under_way);
    const auto second = channel.send(alert_of("b"));
    REQUIRE(!second);
    CHECK(second.error().code == ErrorCode::under_way);
    CHECK(channel.busy());
    *held.go = true;
    CHECK(sent(channel, alert_of("a")).has_value() == held.works);
    CHECK(*held.begun == 1);
    CHECK(sent(channel, alert_of("b")).has_value() == held.works);
    CHECK(*held.begun == 2);
}

TEST_CASE("what arrives after the time limit was delivered, and is not sent again") {
    Held held;
    InBackground channel{held, {1ms, 5ms}};
    const auto first = channel.send(alert_of("a"));
    REQUIRE(!first);
    CHECK(first.error().code == ErrorCode::delivery_failed);
    CHECK_THAT(first.error().message, ContainsSubstring("held: no answer for"));
    const auto other = channel.send(alert_of("b"));
    REQUIRE(!other);
    CHECK_THAT(other.error().message, ContainsSubstring("an earlier alert hangs"));
    *held.go = true;
    while (channel.busy()) std::this_thread::sleep_for(1ms);
    CHECK(channel.send(alert_of("a")));
    CHECK(*held.begun == 1);
}

TEST_CASE("what fails after the time limit is sent again") {
    Held held;
    held.works = false;
    InBackground channel{held, {1ms, 5ms}};
    REQUIRE(!channel.send(alert_of("a")));
    *held.go = true;
    while (channel.busy()) std::this_thread::sleep_for(1ms);
    REQUIRE(!channel.send(alert_of("a")));
    while (channel.busy()) std::this_thread::sleep_for(1ms);
    CHECK(*held.begun == 2);
}

TEST_CASE("a notifier that hangs holds up neither the others nor the end") {
    Held held;
    RecordingNotifier quick;
    const auto begin = std::chrono::steady_clock::now();
    {
        AllOf all{InBackground{held, {45s, 1ms, 1ms}}, quick};
        const auto answer = all.send(alert_of("a"));
        REQUIRE(!answer);
        CHECK(answer.error().code == ErrorCode::under_way);
        CHECK(answer.error().taken == std::vector<std::string>{"recording"});
        CHECK(quick.delivered().size() == 1);
    }
    CHECK(std::chrono::steady_clock::now() - begin < 40s);
    *held.go = true;
}

TEST_CASE("several that are slow are waited for at once, not one after the other") {
    Held a;
    Held b;
    Held c;
    // None of them ends before all have begun.
    AllOf all{InBackground{a, {90s, 60s, 0s}}, InBackground{b, {90s, 60s, 0s}}, InBackground{c, {90s, 60s, 0s}}};
    std::thread ends{[&] {
        while (*a.begun + *b.begun + *c.begun < 3) std::this_thread::sleep_for(1ms);
        *a.go = *b.go = *c.go = true;
    }};
    const auto begin = std::chrono::steady_clock::now();
    CHECK(all.send(alert_of("a")));
    CHECK(std::chrono::steady_clock::now() - begin < 55s);
    ends.join();
}

TEST_CASE("those that are slow are waited for once, and not each time that they are asked") {
    Held held;
    AllOf all{InBackground{held, {90s, 3s, 0s}}};
    REQUIRE(!all.send(alert_of("a")));
    const auto again = std::chrono::steady_clock::now();
    const auto answer = all.send(alert_of("a"));
    CHECK(std::chrono::steady_clock::now() - again < 2500ms);
    REQUIRE(!answer);
    CHECK(answer.error().code == ErrorCode::under_way);
    *held.go = true;
}
