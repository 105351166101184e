#include <heeler/testing/scripted_control.hpp>

#include "support/catch.hpp"

using heeler::ActionRequest;
using heeler::ControlAnswer;
using heeler::ControlVerb;
using heeler::ErrorCode;
using heeler::ScriptedControl;

TEST_CASE("a scripted control keeps what it is asked for") {
    ScriptedControl control;
    ScriptedControl handle = control;
    CHECK(control.inject({"r", "r/1/1/0", "go on", 1}));
    CHECK(control.terminate({"r", "r/1/3/2", "", 3}));

    const auto requests = handle.requests();
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].verb == ControlVerb::inject);
    CHECK(requests[0].run == "r");
    CHECK(requests[0].key == "r/1/1/0");
    CHECK(requests[0].text == "go on");
    CHECK(requests[1].verb == ControlVerb::terminate);
    CHECK(requests[1].attempt == 3);

    handle.clear();
    CHECK(control.requests().empty());
}

TEST_CASE("each verb of a scripted control answers as told") {
    ScriptedControl control;
    const ActionRequest asked{"r", "k", "", 1};

    control.answer(ControlVerb::inject, ControlAnswer::reject);
    control.answer(ControlVerb::pause, ControlAnswer::fail);
    control.answer(ControlVerb::resume, ControlAnswer::unsupported);
    control.answer(ControlVerb::isolate, ControlAnswer::timeout_but_done);
    control.answer(ControlVerb::snapshot, ControlAnswer::ended);

    CHECK(control.inject(asked).error().code == ErrorCode::rejected);
    CHECK(control.pause(asked).error().code == ErrorCode::failed);
    CHECK(control.resume(asked).error().code == ErrorCode::unsupported);
    CHECK(control.isolate(asked).error().code == ErrorCode::timed_out);
    CHECK(control.snapshot(asked).error().code == ErrorCode::ended);
    CHECK(control.terminate(asked));

    control.answer(ControlVerb::inject, ControlAnswer::ok);
    CHECK(control.inject(asked));
    CHECK(control.requests().size() == 7);
}

TEST_CASE("a scripted control knows nothing of keys and proofs unless told") {
    ScriptedControl control;
    CHECK_FALSE(control.idempotent());
    CHECK(control.find("k").error().code == ErrorCode::unsupported);
    CHECK(control.prove_stopped("r").error().code == ErrorCode::unsupported);

    control.set_idempotent(true);
    control.answer_find(heeler::Found::absent);
    control.answer_prove_stopped(heeler::StopProof::stopped);
    CHECK(control.idempotent());
    CHECK(*control.find("k") == heeler::Found::absent);
    CHECK(*control.prove_stopped("r") == heeler::StopProof::stopped);
}
