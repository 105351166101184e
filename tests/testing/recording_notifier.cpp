#include <heeler/testing/recording_notifier.hpp>

#include <heeler/core/concepts.hpp>
#include <heeler/testing/contract/notifier_contract.hpp>

#include "support/catch.hpp"

using heeler::Delivery;
using heeler::ErrorCode;
using heeler::RecordingNotifier;

TEST_CASE("a recording notifier keeps the contract of notifiers") {
    RecordingNotifier notifier;
    heeler::notifier_contract::check_delivering(notifier);
    CHECK(notifier.delivered().size() == 5);

    notifier.answer_with({Delivery::fail});
    heeler::notifier_contract::check_failing(notifier);
}

TEST_CASE("a recording notifier answers as told, in order, and repeats the last answer") {
    RecordingNotifier notifier;
    RecordingNotifier handle = notifier;
    handle.answer_with({Delivery::no_recipient, Delivery::permanent, Delivery::raise, Delivery::ok, Delivery::fail});

    const auto alert = heeler::notifier_contract::example_alert();
    CHECK(notifier.send(alert).error().code == ErrorCode::no_recipient);
    CHECK(notifier.send(alert).error().code == ErrorCode::permanent);
    CHECK_THROWS_AS((void)notifier.send(alert), std::runtime_error);
    CHECK(notifier.send(alert));
    CHECK(notifier.send(alert).error().code == ErrorCode::delivery_failed);
    CHECK(notifier.send(alert).error().code == ErrorCode::delivery_failed);

    CHECK(handle.sent().size() == 6);
    CHECK(handle.delivered().size() == 1);
    CHECK(handle.delivered().front().key == alert.key);

    handle.answer_with({});
    CHECK(notifier.send(alert));
    handle.clear();
    CHECK(notifier.sent().empty());
}
