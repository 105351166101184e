#include <heeler/effects/control_ref.hpp>

#include <stdexcept>

#include "support/rooms.hpp"

using namespace heeler;
using detail::ControlRef;

namespace {

/// Has three verbs, one of which throws.
struct Few {
    static constexpr bool idempotent = true;
    std::string seen;
    Result<ActionDone> inject(const ActionRequest& asked) {
        seen = std::string{asked.run} + " " + std::string{asked.key} + " " + std::string{asked.text};
        return ActionDone{"queued"};
    }
    Result<ActionDone> pause(const ActionRequest&) { throw std::runtime_error{"the pipe broke"}; }
    Result<ActionDone> retire(const ActionRequest&, RunState how) { return ActionDone{std::string{name_of(how)}}; }
};

struct SaysEachTime {
    bool harmless = false;
    Result<Found> find(std::string_view key) { return key == "k" ? Found::found : Found::absent; }
    [[nodiscard]] bool idempotent() const { return harmless; }
};

}  // namespace

TEST_CASE("a verb that a control has is asked, one that it lacks is unsupported by name", "[effects]") {
    Few few;
    const ControlRef control{few};
    const ActionRequest asked{"r", "k", "go on", 1};
    for (const ActionKind kind : {ActionKind::nudge, ActionKind::break_pattern, ActionKind::steer}) {
        few.seen.clear();
        const auto answer = control.act(kind, asked);
        REQUIRE(answer);
        CHECK((answer->note == "queued" && few.seen == "r k go on"));
    }
    CHECK(control.act(ActionKind::abandon, asked)->note == "abandoned");
    CHECK(control.act(ActionKind::mark_failed, asked)->note == "failed");
    for (const auto& [kind, verb] : {std::pair{ActionKind::resume, "resume"},
                                     {ActionKind::isolate, "isolate"},
                                     {ActionKind::snapshot, "snapshot"},
                                     {ActionKind::terminate, "terminate"},
                                     {ActionKind::spawn, "spawn"}}) {
        const auto answer = control.act(kind, asked);
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == ErrorCode::unsupported);
        CHECK_THAT(answer.error().message, ContainsSubstring(verb));
    }
    CHECK(control.find("k").error().code == ErrorCode::unsupported);
    CHECK(control.prove_stopped("r").error().code == ErrorCode::unsupported);
}

TEST_CASE("what a control throws may have happened, and is said", "[effects]") {
    Few few;
    const auto answer = ControlRef{few}.act(ActionKind::pause, {"r", "k", "", 1});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::timed_out);
    CHECK_THAT(answer.error().message, ContainsSubstring("the agent control") && ContainsSubstring("the pipe broke"));
}

TEST_CASE("without a control everything is unsupported and nothing can be repeated", "[effects]") {
    const ControlRef none;
    CHECK_FALSE(none.present());
    CHECK_FALSE(none.idempotent());
    CHECK(none.act(ActionKind::nudge, {"r", "k", "", 1}).error().code == ErrorCode::unsupported);
    CHECK(none.find("k").error().code == ErrorCode::unsupported);
}

TEST_CASE("whether a repeated key is harmless is said by the type, or each time", "[effects]") {
    Few few;
    CHECK(ControlRef{few}.idempotent());
    SaysEachTime each;
    const ControlRef control{each};
    CHECK_FALSE(control.idempotent());
    each.harmless = true;
    CHECK(control.idempotent());
    CHECK(*control.find("k") == Found::found);
    CHECK(*control.find("x") == Found::absent);
}

TEST_CASE("an answer counts as what its error says", "[effects]") {
    const auto of = [](ErrorCode code) { return detail::outcome_of(Result<ActionDone>{fail(code, "")}); };
    CHECK(detail::outcome_of(Result<ActionDone>{ActionDone{}}) == ActionOutcome::done);
    CHECK(of(ErrorCode::rejected) == ActionOutcome::rejected);
    CHECK(of(ErrorCode::unsupported) == ActionOutcome::unsupported);
    CHECK(of(ErrorCode::timed_out) == ActionOutcome::unknown);
    CHECK(of(ErrorCode::ended) == ActionOutcome::ended);
    CHECK(of(ErrorCode::failed) == ActionOutcome::failed);
    CHECK(of(ErrorCode::invalid_argument) == ActionOutcome::failed);
    CHECK(of(ErrorCode::busy) == ActionOutcome::intended);
    CHECK(of(ErrorCode::io) == ActionOutcome::unknown);
    CHECK(of(ErrorCode::fenced) == ActionOutcome::unknown);
}
