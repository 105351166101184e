#include <heeler/notify/tagged_recipients.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;

namespace {

/// People and sessions that come and go.
struct Neighbourhood {
    std::vector<TaggedRecipient> who;
    std::string told;

    void moves_in(std::string person, std::vector<std::string> tags) {
        who.push_back({person, std::move(tags), [this, person](const Alert& alert) -> Result<void> {
                           told += person + ":" + alert.kind + " ";
                           return {};
                       }});
    }
    [[nodiscard]] Result<Receipt> send(std::string route) {
        TaggedRecipients notifier{[this] { return who; }};
        Alert alert;
        alert.kind = "worker.stuck";
        alert.to = std::move(route);
        return notifier.send(alert);
    }
};

}  // namespace

TEST_CASE("an alert goes to all who have the tag that it is addressed to, and to nobody else [M-120]") {
    Neighbourhood all;
    all.moves_in("a", {"worker"});
    all.moves_in("b", {"night", "orchestrator"});
    all.moves_in("c", {"orchestrator"});
    const auto receipt = all.send("orchestrator");
    REQUIRE(receipt);
    CHECK(receipt->recipients == 2);
    CHECK(receipt->names == std::vector<std::string>{"b", "c"});
    CHECK(all.told == "b:worker.stuck c:worker.stuck ");
    CHECK(all.send("a")->recipients == 1);
}

TEST_CASE("a tag that nobody has is no recipient, until somebody has it [M-120]") {
    Neighbourhood all;
    CHECK(all.send("orchestrator").error().code == ErrorCode::no_recipient);
    all.moves_in("a", {"orchestrators"});
    const auto answer = all.send("orchestrator");
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::no_recipient);
    CHECK_THAT(answer.error().message, ContainsSubstring("`orchestrator`"));
    all.moves_in("b", {"orchestrator"});
    CHECK(all.send("orchestrator")->recipients == 1);
}

TEST_CASE("one who cannot be told keeps it from nobody, and alone is the failure [M-120]") {
    Neighbourhood all;
    all.who.push_back({"deaf", {"orchestrator"}, [](const Alert&) -> Result<void> {
                           return fail(ErrorCode::delivery_failed, "no answer");
                       }});
    all.who.push_back(
        {"broken", {"orchestrator"}, [](const Alert&) -> Result<void> { throw std::runtime_error{"gone"}; }});
    const auto answer = all.send("orchestrator");
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message == "no answer");
    all.moves_in("c", {"orchestrator"});
    CHECK(all.send("orchestrator")->recipients == 1);
}
