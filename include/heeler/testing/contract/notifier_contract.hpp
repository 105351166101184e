// What every notifier must keep to. Run it on your own: build one that can deliver, and one that cannot.
#pragma once

#include <string>
#include <string_view>

#include <heeler/core/alert.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/testing/contract/catch.hpp>

namespace heeler::inline HEELER_ABI::notifier_contract {

/// An alert as the outbox would hand it over, with text in every part.
[[nodiscard]] inline Alert example_alert() {
    Alert alert;
    alert.key = "run-1/1/begin";
    alert.kind = "run.unhealthy";
    alert.run = {"run-1", "nightly refactor", "issue-7", "tools"};
    alert.summary = "run-1 is STALLED";
    alert.issues = {"no progress in 2 intervals"};
    alert.details = {{"seen", "2 samples without a change"}, {"next", "verified in 60 s"}};
    return alert;
}

/// A notifier whose deliveries work: a receipt with at least one recipient, for any alert, again and again.
template <class Notifier>
void check_delivering(Notifier& notifier) {
    static_assert(check_notifier<Notifier>());
    CHECK_FALSE(std::string_view{Notifier::name}.empty());

    Alert alert = example_alert();
    const auto first = notifier.send(alert);
    REQUIRE(first);
    CHECK(first->recipients >= 1);

    alert.attempt = 2;
    CHECK(notifier.send(alert));

    CHECK(notifier.send(Alert{}));

    alert.summary = std::string(100'000, 'x');
    alert.issues.assign(1'000, "one of many");
    CHECK(notifier.send(alert));

    using namespace std::string_literals;
    alert.summary = "broken \xff\xfe utf-8, a \x1b[31mcolour, a line\nbreak and a \0 byte"s;
    CHECK(notifier.send(alert));
}

/// A notifier whose deliveries cannot work: an error that says why, no exception, and no receipt.
template <class Notifier>
void check_failing(Notifier& notifier) {
    static_assert(check_notifier<Notifier>());
    const auto answer = notifier.send(example_alert());
    REQUIRE_FALSE(answer);
    CHECK_FALSE(answer.error().message.empty());
}

}  // namespace heeler::inline HEELER_ABI::notifier_contract
