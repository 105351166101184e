#include <heeler/core/agent_control.hpp>

#include <string>
#include <string_view>

#include "support/catch.hpp"

using namespace heeler;

namespace {

struct OnlyPauses {
    static constexpr bool idempotent = true;
    std::string paused;
    Result<ActionDone> pause(const ActionRequest& asked) {
        paused = asked.run;
        return ActionDone{"paused"};
    }
    int resume(const ActionRequest&) { return 1; }  // of another type: not a verb
};

struct OnlyLooks {
    bool harmless = false;
    Result<Found> find(std::string_view key) { return key == "k" ? Found::found : Found::absent; }
    [[nodiscard]] bool idempotent() const { return harmless; }
};

template <class Call>
bool has(Call call) {
    return call != nullptr;
}

}  // namespace

TEST_CASE("the table of a control holds the verbs that it has, and no others") {
    OnlyPauses control;
    constexpr detail::ControlVerbs verbs = detail::control_verbs<OnlyPauses>;
    CHECK(has(verbs.pause));
    CHECK_FALSE((has(verbs.resume) || has(verbs.find) || has(verbs.retire) || has(verbs.prove_stopped)));
    CHECK(verbs.pause(&control, {"r", "k", "", 1})->note == "paused");
    CHECK(control.paused == "r");
    CHECK(verbs.idempotent(&control));

    OnlyLooks looks;
    constexpr detail::ControlVerbs other = detail::control_verbs<OnlyLooks>;
    CHECK((has(other.find) && !has(other.pause)));
    CHECK(*other.find(&looks, "k") == Found::found);
    CHECK_FALSE(other.idempotent(&looks));
    looks.harmless = true;
    CHECK(other.idempotent(&looks));
}

TEST_CASE("verbs are named as they are called") {
    static_assert(AgentControlLike<OnlyPauses> && AgentControlLike<OnlyLooks> && !AgentControlLike<int>);
    CHECK(control_verb_names.size() == 7);
    CHECK(control_verb_names[static_cast<std::size_t>(ControlVerb::inject)] == "inject");
    CHECK(control_verb_names[static_cast<std::size_t>(ControlVerb::spawn)] == "spawn");
}
