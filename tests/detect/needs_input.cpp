#include <heeler/detect/needs_input.hpp>

#include "support/catch.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("the words of a question tell what is asked for [M-081]") {
    for (const char* text : {"Do you want to proceed? (y/n)", "Overwrite? [Y/n]", "Press Enter to continue"})
        CHECK(prompt_type_of(text) == PromptType::confirmation);
    for (const char* text : {"Allow?", "Approve?", "allow this edit (y/n)", "needs permission to write"})
        CHECK(prompt_type_of(text) == PromptType::permission);
    for (const char* text : {"", "Which branch?", "Name:"}) CHECK(prompt_type_of(text) == PromptType::input);
}

TEST_CASE("only a run that waits for a person needs input, which is no unhealth [M-080]") {
    const facts::Taught<NeedsInput> rule;
    for (std::size_t i = 0; i < run_state_names.size(); ++i) {
        facts::At at{1s};
        at.run.state = static_cast<RunState>(i);
        CAPTURE(name_of(at.run.state));
        CHECK(rule.check(at).has_value() == (at.run.state == RunState::waiting_human));
    }
    CHECK_FALSE(Condition::needs_input.opens_incident());
    CHECK(Condition::needs_input.status() == Status::healthy);
}

TEST_CASE("a wait for a person is told again and escalated after its times, each looked at then [M-050]") {
    facts::Taught<NeedsInput> rule;
    rule.settings = {6h, 4h, 24h};
    facts::At at{0s};
    at.run.state = RunState::waiting_human;
    at.run.waiting_since = at.now.elapsed;
    const Elapsed began = at.now.elapsed;
    const auto after = [&](Duration wait) {
        at.now.elapsed = began + wait;
        return rule.check(at)->condition;
    };
    CHECK(after(4h - 1s) == Condition::needs_input);
    CHECK(after(4h) == Condition::unanswered);
    CHECK(NeedsInput::describe(*rule.check(at)) == "Has waited for 4h 0m for a person");
    CHECK(after(24h - 1s) == Condition::unanswered);
    CHECK(after(24h) == Condition::left_waiting);
    CHECK(name_of(after(24h)) == "NEEDS_INPUT");
    const auto due = [&](Duration since) { return NeedsInput{}.due_waiting({}, rule.settings, at.run, began + since); };
    CHECK(due(0s) == began + 4h);
    CHECK(due(4h) == began + 24h);
    CHECK_FALSE(due(24h));
    rule.settings.wait_escalation = 1h;  // nobody is reminded after that
    CHECK(due(0s) == began + 1h);
    CHECK(after(5h) == Condition::left_waiting);
    rule.settings = {};
    CHECK(after(100h) == Condition::needs_input);
    CHECK_FALSE(due(0s));
    at.run.state = RunState::waiting_child;
    CHECK(due(0s) == began + 6h);
    CHECK(due(6h) == began + 24h);  // told, and not looked at all the time
    CHECK_FALSE(due(24h));
    at.run.state = RunState::rate_limited;
    CHECK(due(0s) == began + 6h);
    at.now.elapsed = began + 6h;
    CHECK(NeedsInput::describe(*rule.check(at)) == "Has waited for 6h 0m for its children or a rate limit");
}

TEST_CASE("a wait for children counts from the last progress of one of them, but not for ever [M-192]") {
    facts::Taught<NeedsInput> rule;
    facts::At at{0s};
    at.run.state = RunState::waiting_child;
    at.run.waiting_since = at.now.elapsed;
    const Elapsed began = at.now.elapsed;
    RunsBelow& children = at.run.children.edit();
    const auto found = [&](Duration wait) {
        at.now.elapsed = began + wait;
        return rule.check(at).has_value();
    };
    const auto due = [&](Duration since) { return NeedsInput{}.due_waiting({}, rule.settings, at.run, began + since); };
    children.progress = began - 1h;  // before it began to wait
    CHECK((!found(6h - 1s) && found(6h) && due(0s) == began + 6h));
    children.progress = began + 5h;
    CHECK((!found(11h - 1s) && found(11h) && due(0s) == began + 11h));
    CHECK(rule.check(at)->evidence.fact("waits_s") == in_seconds(11h));
    CHECK(rule.check(at)->evidence.fact("children_s") == in_seconds(6h));
    children.progress = began + 23h;
    CHECK((!found(24h - 1s) && found(24h)));
    CHECK(NeedsInput::describe(*rule.check(at)) == "Has waited for 1d 0h for its children or a rate limit");
    at.run.state = RunState::rate_limited;  // no child helps against that
    CHECK((!found(6h - 1s) && found(6h)));
}

TEST_CASE("who waits for children all of which are over is told of after ten minutes [M-192]") {
    facts::Taught<NeedsInput> rule;
    facts::At at{0s};
    at.run.state = RunState::waiting_child;
    at.run.waiting_since = at.now.elapsed;
    const Elapsed began = at.now.elapsed;
    RunsBelow& children = at.run.children.edit();
    const auto found = [&](Duration wait) {
        at.now.elapsed = began + wait;
        return rule.check(at).has_value();
    };
    CHECK_FALSE(found(10min));  // it never had one that is known
    children.last_end = began + 1h;
    CHECK((!found(70min - 1s) && found(70min)));
    CHECK(NeedsInput{}.due_waiting({}, rule.settings, at.run, began) == began + 70min);
    const Finding finding = *rule.check(at);
    CHECK(finding.condition == Condition::needs_input);
    CHECK(NeedsInput::describe(finding) == "Waits for children, all of which are over");
    CHECK(NeedsInput{}.details({}, rule.settings, at.run, finding).front().value == "waiting_child");
    CHECK(NeedsInput{}.details({}, rule.settings, at.run, finding).back().value == "all of them are over");
    children.left = true;
    CHECK_FALSE(found(70min));
    children.left = false;
    children.told = 1;  // there are others, of which its host tells
    CHECK_FALSE(found(70min));
    children = {.last_end = began - 1h};  // they were over before it began to wait
    CHECK((!found(10min - 1s) && found(10min)));
    rule.settings.after_children = 1min;
    CHECK((!found(1min - 1s) && found(1min)));
    CHECK_THAT(NeedsInput::bound(rule.settings, 60s, 60s), ContainsSubstring("for children that are over within 2m"));
}
