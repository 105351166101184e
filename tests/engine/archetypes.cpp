// The watchdog asks for no more than its concepts say: everything it has compiles and works with types that have
// nothing else, not even a copy.
#include <heeler/engine/runner.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/settings/presets.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"

using namespace heeler;

namespace {

/// An agent control with a single verb.
struct OneVerb {
    Result<ActionDone> inject(const ActionRequest&) { return ActionDone{}; }
};

}  // namespace

// What a host may write in one source file, with `extern template` in the others: every member compiles, called or not.
template class heeler::Watchdog<archetype::Clock, archetype::Store, archetype::Notifier>;

TEST_CASE("a watchdog needs no more than its concepts say [M-005]") {
    OneVerb agents;
    Watchdog<archetype::Clock, archetype::Store, archetype::Notifier> dog{archetype::Clock{}, archetype::Store{},
                                                                          archetype::Notifier{}};
    archetype::Mailbox mailbox;
    dog.attach(agents);
    CHECK(dog.attach(mailbox));

    RunClass rules = presets::long_run();
    rules.detectors.turn_on<archetype::Detector>();
    const auto run = dog.start({.name = "r"}, rules);
    REQUIRE(run);
    CHECK_FALSE(run->not_stored);
    CHECK(dog.find("r"));
    CHECK(dog.observe(*run, Heartbeat{}) == Observed::ok);
    CHECK(dog.observe("r", Output{"a line\n"}) == Observed::ok);
    CHECK(dog.observe("nobody", Heartbeat{}) == Observed::unknown);
    CHECK(dog.checkpoint(*run, {1, "done", CheckpointReason::scheduled}));
    CHECK(dog.decide({.run = "r", .verb = Verb::ack}));
    CHECK(dog.cycle(TickCause::on_demand).checked == 1);
    CHECK(dog.tick().ok());
    CHECK(dog.deliver().ok());
    CHECK(*dog.status(*run) == Status::healthy);
    CHECK(dog.report("r")->final_status == "running");
    CHECK_FALSE(dog.explain("r"));  // this store remembers nothing
    CHECK_THAT(dog.describe(), ContainsSubstring("detectors: "));
    CHECK(dog.flush());
    CHECK(dog.next_deadline());
    CHECK(dog.finish(*run));
    {
        const auto scope = dog.scoped({.id = "scoped", .name = "s"}, "long_run");
        REQUIRE(scope);
        CHECK(dog.observe(*scope, Heartbeat{}) == Observed::ok);
    }
    CHECK_FALSE(dog.find("scoped"));  // over with its scope
    { Runner runner{dog, std::chrono::hours{1}}; }
}
