#include <heeler/notify/any_of.hpp>

#include <string>
#include <vector>

#include <heeler/testing/contract/notifier_contract.hpp>
#include <heeler/testing/recording_notifier.hpp>

#include "support/catch.hpp"

using heeler::AnyOf;
using heeler::Delivery;
using heeler::ErrorCode;
using heeler::RecordingNotifier;

namespace {

struct ThrowsAnInt {
    static constexpr std::string_view name = "throws_an_int";
    heeler::Result<heeler::Receipt> send(const heeler::Alert&) { throw 7; }
};

struct NamesPeople {
    static constexpr std::string_view name = "people";
    heeler::Result<heeler::Receipt> send(const heeler::Alert&) { return heeler::Receipt{2, {"ada", "ben"}}; }
};

}  // namespace

TEST_CASE("an `AnyOf` keeps the contract of notifiers") {
    RecordingNotifier one;
    AnyOf any_of{one};
    heeler::notifier_contract::check_delivering(any_of);

    one.answer_with({Delivery::no_recipient});
    heeler::notifier_contract::check_failing(any_of);
}

TEST_CASE("an `AnyOf` sends to all and sums the recipients") {
    RecordingNotifier one;
    RecordingNotifier two;
    AnyOf any_of{one, two};

    const auto receipt = any_of.send(heeler::notifier_contract::example_alert());
    REQUIRE(receipt);
    CHECK(receipt->recipients == 2);
    CHECK(one.delivered().size() == 1);
    CHECK(two.delivered().size() == 1);
}

TEST_CASE("the receipt of an `AnyOf` names who has the alert, and a channel that names nobody") {
    RecordingNotifier quiet;
    RecordingNotifier broken;
    broken.answer_with({Delivery::fail});
    AnyOf any_of{quiet, broken, NamesPeople{}};
    const auto receipt = any_of.send(heeler::notifier_contract::example_alert());
    REQUIRE(receipt);
    CHECK(receipt->recipients == 3);
    CHECK(receipt->names == std::vector<std::string>{"recording", "ada", "ben"});
}

TEST_CASE("an `AnyOf` has delivered if anybody got the alert [M-125]") {
    RecordingNotifier broken;
    RecordingNotifier working;
    broken.answer_with({GENERATE(Delivery::fail, Delivery::raise, Delivery::permanent)});
    AnyOf any_of{broken, ThrowsAnInt{}, working};

    const auto receipt = any_of.send(heeler::notifier_contract::example_alert());
    REQUIRE(receipt);
    CHECK(receipt->recipients == 1);
    CHECK(working.delivered().size() == 1);
}

TEST_CASE("an `AnyOf` that reached nobody answers with the first error") {
    RecordingNotifier first;
    RecordingNotifier second;

    SECTION("an error") {
        first.answer_with({Delivery::no_recipient});
        second.answer_with({Delivery::fail});
        AnyOf any_of{first, second};
        CHECK(any_of.send(heeler::notifier_contract::example_alert()).error().code == ErrorCode::no_recipient);
        CHECK(second.sent().size() == 1);
    }
    SECTION("an exception") {
        first.answer_with({Delivery::raise});
        second.answer_with({Delivery::permanent});
        AnyOf any_of{first, second};
        const auto answer = any_of.send(heeler::notifier_contract::example_alert());
        CHECK(answer.error().code == ErrorCode::delivery_failed);
        CHECK_THAT(answer.error().message, ContainsSubstring("recording threw"));
    }
}

TEST_CASE("the notifiers of an `AnyOf` can be reached") {
    AnyOf any_of{RecordingNotifier{}, ThrowsAnInt{}};
    REQUIRE(any_of.send(heeler::notifier_contract::example_alert()));
    CHECK(any_of.get<0>().delivered().size() == 1);
}
