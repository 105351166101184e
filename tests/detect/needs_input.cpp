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
