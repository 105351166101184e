// Conditions of a host: shown, ranked, acted on or not, and the same after a restart in any store.
#include <heeler/store/sqlite_store.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/real_process.hpp"
#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using heeler_test::ScratchDirectory;

namespace {

constexpr Condition chatty = Condition::custom(0, "CHATTY", 45, Status::stalled);
constexpr Condition odd = Condition::custom(1, "ODD", 5, Status::healthy, false);
constexpr Condition grave = Condition::custom(2, "GRAVE_9", 15, Status::runaway);

/// Finds what was said last in a message: "chatty", "odd", "grave".
struct Says {
    static constexpr std::string_view kind = "says";
    struct Settings {};
    struct Memory {
        bool chatty = false, odd = false, grave = false, stalled = false;
    };
    void learn(Memory& memory, const Settings&, const Observation& seen) const {
        const auto* said = std::get_if<Message>(&seen.event);
        if (said == nullptr) return;
        const auto has = [&](std::string_view word) { return said->text.find(word) != std::string_view::npos; };
        memory = {has("chatty"), has("odd"), has("grave"), has("stalled")};
    }
    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings&, const Run&, Instant) const {
        if (!memory.chatty) return std::nullopt;
        return Finding{::chatty, Level::nudge, kind, {.rule = "says"}};
    }
};
template <int Which>
struct SaysToo : Says {
    static constexpr std::string_view kind = Which == 0 ? "says_odd" : Which == 1 ? "says_grave" : "says_stalled";
    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings&, const Run&, Instant) const {
        if (!(Which == 0 ? memory.odd : Which == 1 ? memory.grave : memory.stalled)) return std::nullopt;
        const Condition which = Which == 0 ? odd : Which == 1 ? grave : Condition::stalled;
        return Finding{which, Level::nudge, kind, {.rule = "says"}};
    }
};

RunClass saying_class() {
    RunClass rules = rooms::bare_class("saying");
    rules.detectors.turn_on<SaysToo<2>>().turn_on<Says>().turn_on<SaysToo<0>>().turn_on<SaysToo<1>>();
    const Plan plan{{ActionKind::break_pattern, {}, {}}};
    rules.ladder.as<RecoveryLadder>()->responses.push_back({chatty, {plan}, false, false});
    return rules;
}

/// A watchdog on a store of any kind that can be opened again.
template <class Open>
struct Telling {
    using Store = std::invoke_result_t<Open>;
    ManualClock clock{bench::start};
    RecordingNotifier notifier;
    ScriptedControl control;
    Open open;
    std::unique_ptr<Watchdog<ManualClock, Store, RecordingNotifier>> dog;
    RunHandle run;

    explicit Telling(Open of) : open{std::move(of)} {
        boot();
        run = *dog->start(bench::spec_of("r"), "saying");
    }
    void boot() {
        EngineSettings settings;
        settings.memory_every = 0s;
        dog = std::make_unique<Watchdog<ManualClock, Store, RecordingNotifier>>(clock, open(), notifier, settings);
        dog->attach(control);
        REQUIRE(dog->define(saying_class()));
        (void)dog->cycle();
        if (const auto found = dog->find("r")) run = *found;
    }
    CycleReport says(std::string_view text) {
        CHECK(dog->observe(run, Message{true, text}) == Observed::ok);
        clock.advance(60s);
        return dog->cycle();
    }
    [[nodiscard]] std::string interventions() {
        std::string text;
        const History known = *dog->store().history("r");
        for (const Intervention& record : known.interventions)
            text += std::string{record.condition.key()} + "." + std::to_string(record.incident) + "." +
                    std::to_string(record.attempt) + " " + std::string{name_of(record.outcome)} + ", ";
        return text;
    }
};

std::string shown(const CycleReport& report) {
    const auto events = bench::all_of<StatusEvent>(report);
    if (events.empty()) return "";
    std::string text{name_of(events.back().status)};
    for (const Finding& finding : events.back().findings) text += " " + std::string{finding.condition.key()};
    return text;
}

/// An incident about a host's condition, in the middle of which the process ends.
template <class Open>
void survives_a_restart(Open open) {
    Telling t{std::move(open)};
    CHECK(shown(t.says("chatty")) == "STALLED CHATTY");
    CHECK(t.interventions() == "CHATTY.1.1 pending, ");
    t.boot();
    CHECK(*t.dog->status(t.run) == Status::stalled);
    (void)t.says("chatty again");
    CHECK(t.interventions() == "CHATTY.1.1 persisted, CHATTY.1.2 pending, ");  // the same incident, the next attempt
    t.boot();
    CHECK(t.dog->observe(t.run, Progress{7}) == Observed::ok);
    (void)t.says("well");
    CHECK(t.interventions() == "CHATTY.1.1 persisted, CHATTY.1.2 recovered, ");
    CHECK(t.control.requests().size() == 2);
    const auto sent = t.notifier.delivered();
    REQUIRE(sent.size() == 2);
    CHECK(sent[0].kind == "run.unhealthy");
    CHECK(sent[0].issues == std::vector<std::string>{"CHATTY: says"});
    CHECK_THAT(sent[1].summary, ContainsSubstring("recovered from CHATTY"));
    const auto report = t.dog->report("r");
    REQUIRE(report);
    CHECK(report->conditions == std::vector<std::string>{"CHATTY"});
    CHECK_THAT(*t.dog->explain("r"), ContainsSubstring("intervention 1: CHATTY -> inject:break_pattern") &&
                                         ContainsSubstring(R"("condition":"CHATTY")"));
    const auto tallies = t.dog->store().load()->tallies;
    REQUIRE(tallies.size() == 1);
    CHECK((tallies[0].condition == chatty && tallies[0].incidents == 1));
}

}  // namespace

TEST_CASE("a host's condition is shown by its name and status, and ranks among the library's [M-084]") {
    Telling t{[] { return MemoryStore{}; }};
    CHECK(shown(t.says("chatty stalled")) == "STALLED CHATTY STALLED");
    Telling u{[] { return MemoryStore{}; }};
    CHECK(shown(u.says("chatty stalled grave")) == "RUNAWAY GRAVE_9 CHATTY STALLED");
    CHECK(u.interventions() == "CHATTY.1.1 pending, ");  // what nothing is done about hides nothing
    CHECK(Condition::named("CHATTY") == chatty);
    CHECK_FALSE(Condition::named("CHATTY").id() == chatty.id());
}

TEST_CASE("a host's condition that opens no incident is shown, and hides no other [M-044]") {
    Telling t{[] { return MemoryStore{}; }};
    CHECK(shown(t.says("odd")) == "HEALTHY ODD");
    CHECK(t.interventions().empty());
    CHECK(t.notifier.sent().empty());
    CHECK(shown(t.says("odd stalled")) == "STALLED ODD STALLED");
    CHECK(t.interventions() == "STALLED.1.1 pending, ");
    CHECK(t.control.requests().size() == 1);
}

TEST_CASE("a host's condition, its incident and its name survive a restart in memory") {
    survives_a_restart([store = MemoryStore{}] { return store; });
}

TEST_CASE("a host's condition, its incident and its name survive a restart in a file") {
    const ScratchDirectory directory;
    survives_a_restart([&] { return SqliteStore{directory / "store.db"}; });
}
