#include <heeler/notify/routed_notifier.hpp>

#include <heeler/notify/all_of.hpp>
#include <heeler/notify/any_of.hpp>
#include <heeler/notify/fallback.hpp>
#include <heeler/notify/in_background.hpp>
#include <heeler/testing/contract/notifier_contract.hpp>
#include <heeler/testing/recording_notifier.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;

namespace {

/// A pager for what is critical at night, the orchestrator, whoever fixes workers; the others get the rest.
struct Switchboard {
    RecordingNotifier pager, orchestrator, workers, others;
    RoutedNotifier<RecordingNotifier, RecordingNotifier, RecordingNotifier, RecordingNotifier> routed{
        others, Route{Match{.tags = {"night", "weekend"}, .at_least = Severity::critical}, pager},
        Route{Match{.to = {"lead", "orchestrator"}}, orchestrator},
        Route{Match{.kinds = {"worker.*", "escalation"}, .at_least = Severity::warning}, workers}};

    /// Who was told of it.
    [[nodiscard]] std::string tell(Alert alert) {
        REQUIRE(routed.send(alert));
        const auto had = [](RecordingNotifier& one) {
            const bool any = !one.delivered().empty();
            one.clear();
            return any;
        };
        std::string who;
        if (had(pager)) who += "pager ";
        if (had(orchestrator)) who += "orchestrator ";
        if (had(workers)) who += "workers ";
        if (had(others)) who += "others ";
        return who;
    }
};

Alert about(std::string kind, std::string to = {}, Severity severity = Severity::warning,
            std::vector<std::string> tags = {}) {
    Alert alert;
    alert.kind = std::move(kind);
    alert.to = std::move(to);
    alert.severity = severity;
    alert.tags = std::move(tags);
    return alert;
}

using RoutedDog = Watchdog<ManualClock, MemoryStore,
                           RoutedNotifier<RecordingNotifier, RecordingNotifier, RecordingNotifier, RecordingNotifier>>;

}  // namespace

TEST_CASE("a kind in a table of routes that no alert has is answered with the nearest") {
    const auto doubts = [](std::vector<std::string> kinds) {
        return RoutedNotifier{RecordingNotifier{}, Route{Match{.kinds = std::move(kinds)}, RecordingNotifier{}}}
            .doubts();
    };
    CHECK(doubts({"run.unhealty"}) == "no alert has the kind `run.unhealty`, the nearest is `run.unhealthy`");
    CHECK(
        doubts({"escalatoin", "wroker.*"}) ==
        "no alert has the kind `escalatoin`, the nearest is `escalation`; none has the kind `wroker.*`, the nearest is "
        "`worker.*`");
    CHECK(doubts({"escalation", "run.*", "run.un*", "*", "watchdog.store_down"}).empty());
    CHECK(doubts({"deploy.failed", "deploy.*", ""}).empty());  // a class may have kinds of its own
    const RoutedNotifier inner{RecordingNotifier{}, Route{Match{.kinds = {"run.endet"}}, RecordingNotifier{}}};
    CHECK(RoutedNotifier{RecordingNotifier{}, Route{Match{.to = {"ops"}}, inner}}.doubts() ==
          "no alert has the kind `run.endet`, the nearest is `run.ended`");
}

TEST_CASE("what is doubtful in a table of routes is on record when a class is defined") {
    ManualClock clock{bench::start};
    MemoryStore store;
    Watchdog dog{clock, store,
                 RoutedNotifier{RecordingNotifier{}, Route{Match{.kinds = {"run.unhealty"}}, RecordingNotifier{}}}};
    REQUIRE(dog.define(bench::minute_class()));
    std::string doubt;
    for (const AuditEvent& event : bench::all_of<AuditEvent>(dog.cycle())) doubt += event.row.body;
    CHECK_THAT(doubt,
               ContainsSubstring(R"("setting":"routes")") && ContainsSubstring("the nearest is `run.unhealthy`"));
}

TEST_CASE("notifiers that hold others pass on what those doubt, and the tags that they ask for") {
    const RoutedNotifier table{RecordingNotifier{},
                               Route{Match{.kinds = {"run.endet"}, .tags = {"night", "weekend"}}, RecordingNotifier{}}};
    const std::string doubt = "no alert has the kind `run.endet`, the nearest is `run.ended`";
    const std::vector<std::string> tags{"night", "weekend"};
    const auto passes_on = [&](const auto& notifier) {
        return notifier.doubts() == doubt && notifier.tags().asked() == tags;
    };
    CHECK(passes_on(table));
    CHECK(passes_on(AnyOf{RecordingNotifier{}, table}));
    CHECK(passes_on(AllOf{table, RecordingNotifier{}}));
    CHECK(passes_on(FallbackNotifier{table, RecordingNotifier{}}));
    CHECK(passes_on(FallbackNotifier{RecordingNotifier{}, AllOf{AnyOf{table}}}));
    CHECK(passes_on(InBackground{table}));
    CHECK(passes_on(RoutedNotifier{table}));
    CHECK(passes_on(RoutedNotifier{RecordingNotifier{}, Route{Match{.to = {"ops"}}, table}}));
    CHECK(AnyOf{table, table}.doubts() == doubt + "; " + doubt);
    CHECK(AnyOf{RecordingNotifier{}}.doubts().empty());
}

TEST_CASE("a tag in a table of routes that no run has is on record when people are told of one that is like it") {
    ManualClock clock{bench::start};
    MemoryStore store;
    Watchdog dog{clock, store,
                 AnyOf{RoutedNotifier{RecordingNotifier{},
                                      Route{Match{.tags = {"nigth", "deploy", "weekend"}}, RecordingNotifier{}}}}};
    REQUIRE(dog.define(bench::minute_class()));
    const auto told_of = [&](const std::string& id, std::vector<std::string> tags) {
        RunSpec spec = bench::spec_of(id);
        spec.tags = std::move(tags);
        const auto run = dog.start(spec, "minute");
        REQUIRE(run);
        (void)dog.observe(*run, Progress{1});
        std::string doubts;
        for (int i = 0; i < 5; ++i) {
            clock.advance(60s);
            (void)dog.observe(*run, Heartbeat{});
            for (const AuditEvent& event : bench::all_of<AuditEvent>(dog.cycle()))
                if (event.row.kind == detail::doubt_record) doubts += event.row.body;
        }
        std::string stored;
        for (const History known = *store.history(id); const AuditRow& row : known.audit)
            if (row.kind == detail::doubt_record) stored += row.body;
        CHECK(stored == doubts);
        return doubts;
    };
    CHECK(told_of("a", {"release", "weekend"}).empty());
    CHECK(told_of("b", {"night", "week-end"}) ==
          R"({"setting":"routes","message":"no run so far has the tag `nigth`, the nearest is `night`"})");
    CHECK(told_of("c", {"night"}).empty());  // it was said
}

TEST_CASE("a table of routes keeps the contract of notifiers") {
    RecordingNotifier one;
    RoutedNotifier<RecordingNotifier> routed{one};
    heeler::notifier_contract::check_delivering(routed);
    one.answer_with({Delivery::no_recipient});
    heeler::notifier_contract::check_failing(routed);
}

TEST_CASE("an alert goes to the first row that it fits, else to the last resort") {
    Switchboard board;
    CHECK(board.tell(about("run.unhealthy")) == "others ");
    CHECK(board.tell(about("run.unhealthy", "lead")) == "orchestrator ");
    CHECK(board.tell(about("run.unhealthy", "leader")) == "others ");
    CHECK(board.tell(about("escalation")) == "workers ");
    CHECK(board.tell(about("worker.stuck")) == "workers ");
    CHECK(board.tell(about("worker.complete", "", Severity::none)) == "others ");
    CHECK(board.tell(about("escalations")) == "others ");
}

TEST_CASE("rows go by the tags of the run and by severity, the first one before those behind it") {
    Switchboard board;
    CHECK(board.tell(about("escalation", "lead", Severity::critical, {"day", "night"})) == "pager ");
    CHECK(board.tell(about("escalation", "lead", Severity::warning, {"night"})) == "orchestrator ");
    CHECK(board.tell(about("run.unhealthy", "", Severity::critical, {"weekend"})) == "pager ");
    CHECK(board.tell(about("run.unhealthy", "", Severity::critical, {"day"})) == "others ");
}

TEST_CASE("what the row answers is the answer: nobody else is told") {
    Switchboard board;
    board.orchestrator.answer_with({Delivery::no_recipient});
    const auto answer = board.routed.send(about("escalation", "lead"));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::no_recipient);
    CHECK(board.others.sent().empty());
}

TEST_CASE("a table serves the routes that its rows name, and the default with the last resort") {
    Switchboard board;
    CHECK(board.routed.serves(""));
    CHECK(board.routed.serves("orchestrator"));
    const auto answer = board.routed.serves("chief");
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::no_recipient);
    CHECK(answer.error().message == "the routes that are known are `lead`, `orchestrator`");
    CHECK(board.routed.serves("orchestrtor").error().message ==
          "the routes that are known are `lead`, `orchestrator`; the nearest is `orchestrator`");
    CHECK(RoutedNotifier<RecordingNotifier>{board.others}.serves("x").error().message ==
          "the routes that are known are none");
}

TEST_CASE("an `AnyOf` serves what one of its notifiers serves, a fallback what counts as delivered") {
    Switchboard board;
    CHECK(AnyOf{board.routed, board.others}.serves("chief"));
    CHECK_FALSE(AnyOf{board.routed, board.routed}.serves("chief"));
    CHECK(AnyOf{board.routed, board.routed}.serves("lead"));
    CHECK_FALSE(FallbackNotifier{board.routed, board.others}.serves("chief"));
    CHECK(FallbackNotifier{board.routed, board.others, {.counts_as_delivered = true}}.serves("chief"));
    CHECK(FallbackNotifier{board.routed, board.others}.serves("lead"));
}

TEST_CASE("a class whose alerts go to a route that nobody has is refused, with what to do") {
    Switchboard board;
    RoutedDog dog{ManualClock{bench::start}, MemoryStore{}, board.routed};
    RunClass rules = presets::recommended();
    CHECK(dog.define(rules));
    rules.alerts.to = "chief";
    const auto refused = dog.define(rules);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::no_recipient);
    CHECK(refused.error().message ==
          "class `recommended`: nobody would get what goes to the route `chief` (alerts_to): the routes that are known "
          "are `lead`, `orchestrator`. Give the notifier a recipient for it, or change alerts_to");
    rules.alerts.to = "lead";
    rules.alerts.escalation.levels[2].route = "boss";
    const auto level = dog.define(rules);
    REQUIRE_FALSE(level);
    CHECK_THAT(level.error().message, ContainsSubstring("`boss` (escalation.levels[2].route)"));
    rules.alerts.escalation.levels[2].route = "orchestrator";
    CHECK(dog.define(rules));
}

TEST_CASE("of a notifier that tells no routes nothing is asked") {
    Watchdog dog{ManualClock{bench::start}, MemoryStore{}, RecordingNotifier{}};
    RunClass rules = presets::recommended();
    rules.alerts.to = "whoever";
    CHECK(dog.define(rules));
}
