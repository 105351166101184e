#include <heeler/notify/all_of.hpp>

#include <string>
#include <vector>

#include <heeler/alert/outbox.hpp>
#include <heeler/notify/fallback.hpp>
#include <heeler/testing/contract/notifier_contract.hpp>
#include <heeler/testing/recording_notifier.hpp>

#include "support/catch.hpp"

using namespace heeler;

namespace {

using Names = std::vector<std::string>;

struct Pager {
    static constexpr std::string_view name = "pager";
    RecordingNotifier inner{};
    Result<Receipt> send(const Alert& alert) { return inner.send(alert); }
};

struct Slow {
    static constexpr std::string_view name = "slow";
    Result<Receipt> send(const Alert&) { return fail(ErrorCode::under_way, "soon"); }
};

struct OneRoute {
    static constexpr std::string_view name = "one_route";
    Result<Receipt> send(const Alert&) { return Receipt{}; }
    [[nodiscard]] Result<void> serves(std::string_view route) const {
        if (route == "people") return {};
        return fail(ErrorCode::no_recipient, "the routes that are known are `people`");
    }
};

}  // namespace

TEST_CASE("an `AllOf` keeps the contract of notifiers") {
    RecordingNotifier one;
    AllOf all{one};
    heeler::notifier_contract::check_delivering(all);
    one.answer_with({Delivery::no_recipient});
    heeler::notifier_contract::check_failing(all);
}

TEST_CASE("an `AllOf` has delivered when each has the alert, and asks nobody again who has it") {
    Pager down;
    RecordingNotifier works;
    down.inner.answer_with({GENERATE(Delivery::fail, Delivery::raise, Delivery::no_recipient)});
    AlertRow row;
    row.alert = heeler::notifier_contract::example_alert();
    {
        AllOf all{works, down};
        const auto answer = all.send(row.alert);
        REQUIRE(!answer);
        CHECK(answer.error().taken == Names{"recording"});
        row = after_attempt(row, {}, answer, row.created_at);
    }
    CHECK(row.state == AlertRow::State::pending);
    CHECK(row.attempts == 1);
    CHECK(row.alert.taken == Names{"recording"});

    down.inner.answer_with({Delivery::ok});
    AllOf after_restart{works, down};
    const auto receipt = after_restart.send(row.alert);
    REQUIRE(receipt);
    CHECK(receipt->recipients == 2);
    CHECK(receipt->names == Names{"recording", "pager"});
    CHECK(works.delivered().size() == 1);
    CHECK(down.inner.delivered().size() == 1);
    CHECK(after_attempt(row, {}, receipt, row.created_at).state == AlertRow::State::delivered);
}

TEST_CASE("two channels of one name are two") {
    RecordingNotifier one;
    RecordingNotifier two;
    one.answer_with({Delivery::fail});
    AllOf all{one, two};
    const auto answer = all.send(heeler::notifier_contract::example_alert());
    REQUIRE(!answer);
    CHECK(answer.error().taken == Names{"recording#2"});
}

TEST_CASE("one that can never get an alert holds up nobody, if another has it") {
    Pager gone;
    RecordingNotifier works;
    gone.inner.answer_with({Delivery::permanent});
    AllOf all{gone, works};
    CHECK(all.send(heeler::notifier_contract::example_alert()));
    works.answer_with({Delivery::fail});
    const auto answer = all.send(heeler::notifier_contract::example_alert());
    REQUIRE(!answer);
    CHECK(answer.error().code == ErrorCode::delivery_failed);
    works.answer_with({Delivery::permanent});
    const auto none = all.send(heeler::notifier_contract::example_alert());
    REQUIRE(!none);
    CHECK(none.error().code == ErrorCode::permanent);
}

TEST_CASE("an `AllOf` serves the routes that each of its notifiers serves") {
    const AllOf all{RecordingNotifier{}, OneRoute{}};
    CHECK(all.serves("people"));
    CHECK(!all.serves("nobody"));
}

TEST_CASE("what is under way has not failed: no fallback speaks") {
    RecordingNotifier log;
    FallbackNotifier fallback{Slow{}, log};
    const auto answer = fallback.send(heeler::notifier_contract::example_alert());
    REQUIRE(!answer);
    CHECK(answer.error().code == ErrorCode::under_way);
    CHECK(log.sent().empty());
}
