// Lists: what is on them is watched, what is missing is not, and a name that returns is a new run. In whole cycles.
#include <heeler/cycle/listed_runs.hpp>

#include <map>
#include <set>
#include <span>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/slowed.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

namespace {

RunSpec worker(std::string name) {
    RunSpec spec;
    spec.name = std::move(name);
    spec.tags = {"worker"};
    return spec;
}

/// A list that says what it is told to.
struct Workers {
    std::vector<RunSpec> listed;
    std::optional<Error> broken;
    bool throws = false;
    int asked = 0;
    std::vector<std::string> polled;       ///< "id=name", in the last poll
    std::map<std::string, RunState> ends;  ///< what a poll knows of these ids

    void names(const std::vector<std::string>& all) {
        listed.clear();
        for (const std::string& name : all) listed.push_back(worker(name));
    }
    Result<std::vector<RunSpec>> list() {
        ++asked;
        if (throws) throw std::runtime_error{"no tmux"};
        if (broken) return tl::unexpected<Error>(*broken);
        return listed;
    }
    Result<std::vector<PolledRun>> poll(std::span<const RunCursor> runs) {
        polled.clear();
        std::vector<PolledRun> found;
        for (const RunCursor& run : runs) {
            polled.push_back(run.run + "=" + run.name);
            if (const auto end = ends.find(run.run); end != ends.end()) {
                Polled last;
                last.events.push_back({StateChange{end->second, {}, {}, {}}, std::nullopt});
                last.cursor = "end";
                found.push_back({run.run, std::move(last)});
            }
        }
        return found;
    }
};
static_assert(check_group_source<Workers>());

struct Roster : Bench {
    Workers workers;

    explicit Roster(std::optional<RunFilter> filter = {}) {
        RunClass rules = bench::minute_class("workers");
        rules.detectors = {};
        rules.schedule = {60s, false, true};
        rules.applicability.filter = std::move(filter);
        classes = {rules};
        reboot();
    }
    void reboot() {
        boot();
        dog->attach("workers", workers);
    }
    CycleReport list(const std::vector<std::string>& names) {
        workers.names(names);
        return after(60s);
    }
    [[nodiscard]] std::string states() {
        std::string text;
        for (const History& known : all()) {
            if (!text.empty()) text += ", ";
            text += known.row->id + " " + std::string{name_of(known.row->state)};
        }
        return text;
    }
    [[nodiscard]] List<History> all() {
        List<History> found;
        for (const std::string& id : ids)
            if (const auto known = memory.history(id); known && known->row) found.push_back(*known);
        return found;
    }
    std::vector<std::string> ids{"a", "b", "a#2", "a#3"};
};

std::string records(const CycleReport& report) {
    std::string text;
    for (const auto& event : bench::all_of<AuditEvent>(report)) text += event.row.kind + " " + event.row.run + "; ";
    return text;
}

}  // namespace

TEST_CASE("a name that is listed is a run from then on, without anybody registering it [M-021]") {
    Roster l;
    CHECK(l.dog->next_deadline() == l.clock.now().elapsed);
    l.workers.names({"b", "a"});
    l.workers.listed[0].started_at = l.clock.now().wall - 10min;
    const CycleReport report = l.cycle();
    CHECK(report.ok());
    CHECK(report.checked == 2);
    CHECK(l.workers.polled == std::vector<std::string>{"a=a", "b=b"});
    CHECK(l.states() == "a running, b running");
    CHECK(l.history("a").row->version > 0);
    CHECK(l.list({"a", "b"}).ok());
    CHECK(l.states() == "a running, b running");
    REQUIRE(l.dog->finish(*l.dog->find("b")));
    CHECK(l.dog->report("b")->total >= 1min);
}

TEST_CASE("a list is asked once in each period, also while there is nobody [M-021]") {
    Roster l;
    (void)l.cycle();
    CHECK(l.workers.asked == 1);
    CHECK(l.dog->next_deadline() == l.clock.now().elapsed + 60s);
    (void)l.after(30s);
    CHECK(l.workers.asked == 1);
    (void)l.after(30s);
    (void)l.cycle(TickCause::outcome);
    CHECK(l.workers.asked == 2);
    (void)l.cycle(TickCause::on_demand);
    CHECK(l.workers.asked == 3);
    l.dog->detach_source("workers");
    CHECK_FALSE(l.dog->next_deadline());
    (void)l.after(60s);
    CHECK(l.workers.asked == 3);
}

TEST_CASE("a list is asked in every cycle in which a run of its class is judged [M-021]") {
    Roster l;
    (void)l.cycle();
    l.clock.advance(20s);
    (void)l.run("h");
    (void)l.cycle();  // the run's first cycle is at its registration
    CHECK(l.workers.asked == 2);
}

TEST_CASE("a class whose runs are judged together polls a new worker in the cycle that finds it [M-021] [M-036]") {
    Bench b;
    b.classes = {presets::worker_monitor()};
    b.boot();
    Workers workers;
    workers.names({"a"});
    b.dog->attach("worker_monitor", workers);
    (void)b.cycle();
    CHECK((workers.asked == 1 && workers.polled.empty()));
    (void)b.after(30s);
    CHECK(workers.polled == std::vector<std::string>{"a=a"});
    workers.names({"a", "b"});
    CHECK(b.after(30s).checked == 2);
    CHECK(workers.polled == std::vector<std::string>{"a=a", "b=b"});
    workers.names({"b"});
    CHECK(b.after(30s).checked == 1);
    CHECK(workers.asked == 4);
    CHECK(b.history("a").row->state == RunState::cancelled);
    CHECK(b.notifier.sent().empty());
    (void)b.after(30s);
    (void)b.after(30s);
    REQUIRE(b.sent_kinds() == std::vector<std::string>{"worker.stuck"});
    CHECK(b.notifier.sent()[0].alert.run.id == "b");  // three polls after the first
}

TEST_CASE("what a worker asks when it is listed first is told if it still asks at the second poll [M-037] [D-59]") {
    Bench b;
    b.classes = {presets::worker_monitor()};
    b.boot();
    Workers workers;
    workers.names({"a", "b"});
    workers.ends = {{"a", RunState::waiting_human}, {"b", RunState::waiting_human}};
    b.dog->attach("worker_monitor", workers);
    (void)b.after(30s);
    CHECK(b.notifier.sent().empty());
    workers.ends["b"] = RunState::running;
    (void)b.after(30s);
    REQUIRE(b.sent_kinds() == std::vector<std::string>{"worker.needs_input"});
    CHECK(b.notifier.sent()[0].alert.run.id == "a");
    const bool kept = GENERATE(true, false);
    if (!kept) b.memory = MemoryStore{};
    b.boot();
    b.dog->attach("worker_monitor", workers);
    (void)b.after(30s);
    CHECK(b.notifier.sent().size() == 1);  // not twice within a cycle, even by one who knows nothing
    (void)b.after(30s);
    CHECK(b.notifier.sent().size() == (kept ? 1 : 2));
}

TEST_CASE("the list of a class that is defined later waits for it [M-021]") {
    Bench b;
    Workers workers;
    workers.names({"a"});
    b.dog->attach("late", workers);
    CHECK_FALSE(b.dog->next_deadline());
    (void)b.cycle();
    CHECK(workers.asked == 0);
    REQUIRE(b.dog->define(bench::minute_class("late")));
    CHECK(b.dog->next_deadline());
    (void)b.cycle();
    CHECK(b.dog->find("a"));
}

TEST_CASE("a name that is missing ends its run, which is on record and alarms nobody [M-021]") {
    Roster l;
    (void)l.list({"a", "b"});
    const CycleReport report = l.list({"b"});
    CHECK(report.ok());
    CHECK(records(report).find("vanished a; ") != std::string::npos);
    CHECK(l.states() == "a cancelled, b running");
    const auto known = l.history("a");
    CHECK(std::count_if(known.audit.begin(), known.audit.end(),
                        [](const AuditRow& row) { return row.kind == "vanished"; }) == 1);
    CHECK(l.notifier.sent().empty());
    CHECK_FALSE(l.dog->find("a"));
    CHECK(records(l.list({"b"})).empty());
}

TEST_CASE("what the source still knows of a run that is missing is heard before [M-021]") {
    Roster l;
    (void)l.list({"a"});
    l.workers.ends = {{"a", RunState::completed}};
    (void)l.list({});
    CHECK(l.workers.polled == std::vector<std::string>{"a=a"});
    CHECK(l.states() == "a completed");
    l.workers.ends.clear();
    (void)l.list({"a"});
    CHECK(l.states() == "a completed, a#2 running");
}

TEST_CASE("a list that cannot be read drops nobody, is said once and asked again [M-021] [M-007]") {
    Roster l;
    const bool throws = GENERATE(true, false);
    (void)l.list({"a"});
    l.workers.throws = throws;
    l.workers.broken = Error{ErrorCode::io, "no tmux"};
    const CycleReport report = l.after(60s);
    CHECK(report.errors == 1);
    CHECK_THAT(bench::errors_of(report), ContainsSubstring("list : ") && ContainsSubstring("no tmux"));
    CHECK(l.after(60s).ok());
    CHECK(l.workers.asked == 3);
    CHECK(l.states() == "a running");
    l.workers.throws = false;
    l.workers.broken.reset();
    CHECK(l.list({"a", "b"}).ok());
    CHECK(l.states() == "a running, b running");
    l.workers.broken = Error{ErrorCode::io, "no tmux"};
    CHECK(l.after(60s).errors == 1);
}

TEST_CASE("a name that returns after its end is a new run, of the same name [M-021]") {
    Roster l;
    const bool restarted = GENERATE(true, false);
    for (int times = 1; times <= 3; ++times) {
        (void)l.list({"a"});
        (void)l.list({});
        if (restarted) l.reboot();
    }
    CHECK(l.states() == "a cancelled, a#2 cancelled, a#3 cancelled");
    CHECK(l.history("a#3").row->name == "a");
    (void)l.list({"a"});
    CHECK(l.workers.polled == std::vector<std::string>{"a#4=a"});
    (void)l.list({"a"});
    CHECK(l.workers.polled == std::vector<std::string>{"a#4=a"});
}

TEST_CASE("a name whose run ended while it was listed is left alone until it was missing [M-021]") {
    Roster l;
    (void)l.list({"a"});
    REQUIRE(l.dog->finish(*l.dog->find("a")));
    CHECK(records(l.list({"a"})).empty());
    CHECK(l.list({"a"}).checked == 0);
    CHECK(l.states() == "a completed");
    const bool restarted = GENERATE(true, false);
    if (restarted) {
        l.reboot();
        CHECK(records(l.list({"a"})) == "skip a; ");
        CHECK(records(l.list({"a"})).empty());
        CHECK(l.states() == "a completed");
    }
    CHECK(records(l.list({})) == "vanished a; ");
    if (restarted) l.reboot();
    (void)l.list({"a"});
    CHECK(l.states() == "a completed, a#2 running");
}

TEST_CASE("a name that was started after its run ended has returned, whether it was missing or not [M-021]") {
    Roster l;
    const bool restarted = GENERATE(true, false);
    (void)l.list({"a"});
    REQUIRE(l.dog->finish(*l.dog->find("a")));
    if (restarted) l.reboot();
    l.clock.advance(50s);
    l.workers.listed[0].started_at = l.clock.now().wall;
    (void)l.after(10s);
    CHECK(l.states() == "a completed, a#2 running");
    (void)l.after(60s);
    CHECK(l.states() == "a completed, a#2 running");
}

TEST_CASE("what vanished while no watchdog ran is dropped by the next one [M-021]") {
    Roster l;
    (void)l.list({"a", "b"});
    l.reboot();
    CHECK(records(l.list({"a"})).find("vanished b; ") != std::string::npos);
    CHECK(l.states() == "a running, b cancelled");
}

TEST_CASE("a run that a host registers need not be listed, until it was [M-021]") {
    Roster l;
    (void)l.run(worker("a"));
    (void)l.list({});
    CHECK(l.states() == "a running");
    (void)l.list({"a"});
    CHECK(l.states() == "a running");
    (void)l.list({});
    CHECK(l.states() == "a cancelled");
}

TEST_CASE("the filter of a class says which of the listed are runs [M-019] [M-020] [M-021] [M-022]") {
    Roster l{RunFilter{}};
    l.ids = {"tagged", "plain", "__watchdog", "x-worker"};
    l.workers.names({"tagged", "plain", "__watchdog", "x-worker", "cannot\nbe", ""});
    for (const std::size_t untagged : {1U, 4U, 5U}) l.workers.listed[untagged].tags.clear();
    l.workers.listed[3].tags = {"orchestrator"};
    CHECK(l.after(60s).ok());
    CHECK(l.states() == "tagged running");
    RunClass rules = l.classes[0];
    rules.applicability.filter->name_pattern = "*-worker";
    REQUIRE(l.dog->define(rules));
    (void)l.after(60s);
    CHECK(l.states() == "tagged running, x-worker running");
    l.workers.listed[0].tags = {"orchestrator"};
    (void)l.after(60s);
    CHECK(l.states() == "tagged cancelled, x-worker running");
}

TEST_CASE("names that cannot be runs are told once, and the others go on [M-021] [M-008]") {
    Roster l;
    l.ids = {"/srv/a b", "rm -rf / ; echo *", "ok"};
    const std::vector<std::string> names{"/srv/a b",          "bad\x1b[31m", std::string(129, 'x'), "", "\xff",
                                         "rm -rf / ; echo *", "ok"};
    const CycleReport report = l.list(names);
    CHECK(report.errors == 4);
    CHECK_THAT(bench::errors_of(report), ContainsSubstring("control character") && ContainsSubstring("129 bytes") &&
                                             ContainsSubstring("neither id nor name") && ContainsSubstring("UTF-8"));
    CHECK(l.states() == "/srv/a b running, rm -rf / ; echo * running, ok running");
    CHECK(l.list(names).ok());
    (void)l.list({"ok"});
    CHECK(l.list(names).errors == 4);

    l.workers.listed = {worker("ok")};
    l.workers.listed[0].id = "other";
    l.workers.listed.push_back(worker("named"));
    l.workers.listed[1].id = "other";
    CHECK_THAT(bench::errors_of(l.after(60s)), ContainsSubstring("`named`") && ContainsSubstring("leave it out"));
    CHECK(l.dog->find("ok"));  // it is known already
}

TEST_CASE("of many names that cannot be runs the first are told, and how many more there are [M-021]") {
    Roster l;
    std::vector<std::string> names;
    for (int i = 0; i < 1000; ++i) names.push_back(std::to_string(i) + "\n");
    const CycleReport report = l.list(names);
    CHECK(report.errors == 17);
    CHECK_THAT(bench::errors_of(report), ContainsSubstring("984 more names"));
    CHECK(l.list(names).ok());
}

TEST_CASE("a name that is listed twice is one run, and that is said once [M-021]") {
    Roster l;
    CHECK_THAT(bench::errors_of(l.list({"a", "b", "a"})), ContainsSubstring("`a` is listed twice"));
    CHECK(l.states() == "a running, b running");
    CHECK(l.list({"a", "b", "a"}).ok());
}

TEST_CASE("a worker that comes and goes in each period costs as little the thousandth time [M-021]") {
    constexpr int all = heeler_test::is_slowed ? 250 : 1000;
    Roster l;
    std::uint64_t questions = 0;
    for (int times = 1; times <= all; ++times) {
        const std::uint64_t before = l.store.calls(StoreOperation::history);
        (void)l.list({"a"});
        questions = l.store.calls(StoreOperation::history) - before;
        CHECK(l.list({}).ok());
    }
    CHECK(questions <= 24);  // the newest of its ids is looked for by halves
    CHECK(l.memory.history("a#" + std::to_string(all))->row->state == RunState::cancelled);
    CHECK_FALSE(l.memory.history("a#" + std::to_string(all + 1))->row);
}

TEST_CASE("ten thousand names are a few commits, and none the next time [M-021]") {
    constexpr int many = heeler_test::is_slowed ? 2'000 : 10'000;
    Roster l;
    std::vector<std::string> names;
    for (int i = 0; i < many; ++i) names.push_back("w" + std::to_string(i));
    const CycleReport report = l.list(names);
    CHECK(report.ok());
    CHECK(report.checked == many);
    CHECK(l.memory.load()->runs.size() == many);
    CHECK(l.list(names).ok());
    (void)l.list({"w7"});
    CHECK(l.memory.load()->runs.size() == 1);
}

TEST_CASE("while the store fails new names are watched in memory, and stored when it works again [M-021] [M-009]") {
    Roster l;
    (void)l.list({"a"});
    (void)l.list({});
    l.store.fail(StoreOperation::commit, ErrorCode::io);
    CHECK(l.list({"a", "b"}).errors > 0);
    CHECK(l.dog->find("b"));
    CHECK(l.states() == "a cancelled");
    l.store.heal();
    (void)l.list({"a", "b"});
    CHECK(l.states() == "a cancelled, b running, a#2 running");
}

TEST_CASE("what another watchdog watches is left there, without a word, until it is free [M-021]") {
    Roster l;
    l.settings.holder = "one";
    l.reboot();
    (void)l.list({"a", "b"});
    auto one = std::move(l.dog);
    Workers same = l.workers;
    l.settings.holder = "two";
    l.boot();
    l.dog->attach("workers", same);
    same.names({"a", "b", "c"});
    CHECK(l.cycle().ok());
    CHECK(same.polled == std::vector<std::string>{"c=c"});
    CHECK(l.history("a").row->holder == "one");
    CHECK(l.history("c").row->holder == "two");
    l.workers.names({"a", "b", "c"});
    CHECK(one->cycle(TickCause::on_demand).ok());
    CHECK(l.workers.polled == std::vector<std::string>{"a=a", "b=b"});
    for (int minute = 0; minute < 10; ++minute) CHECK(l.after(10s).ok());
    REQUIRE(one->leave());
    one.reset();
    CHECK(l.after(60s).ok());
    CHECK(l.after(60s).ok());
    CHECK(same.polled == std::vector<std::string>{"a=a", "b=b", "c=c"});
    CHECK(l.history("a").row->holder == "two");
}

TEST_CASE("a run that ended with another watchdog, and was missing since, returns as a new one [M-021]") {
    Roster l;
    l.settings.holder = "one";
    l.reboot();
    (void)l.list({"a"});
    auto one = std::move(l.dog);
    Workers same = l.workers;
    l.settings.holder = "two";
    l.boot();
    l.dog->attach("workers", same);
    CHECK(l.cycle().ok());
    REQUIRE(one->finish(*one->find("a")));
    one.reset();
    same.names({});
    CHECK(records(l.after(60s)) == "vanished a; ");
    same.names({"a"});
    CHECK(l.after(60s).ok());
    CHECK(l.states() == "a completed, a#2 running");
}

TEST_CASE("however many names are somebody else's, a list asks the store about few of them [M-021]") {
    Roster l;
    l.settings.holder = "one";
    l.reboot();
    std::vector<std::string> names;
    for (int i = 0; i < 3000; ++i) names.push_back("w" + std::to_string(i));
    (void)l.list(names);
    auto one = std::move(l.dog);
    Workers same = l.workers;
    same.polled.clear();
    l.settings.holder = "two";
    l.boot();
    l.dog->attach("workers", same);
    auto questions = [&, before = l.store.calls(StoreOperation::history)]() mutable {
        CHECK(l.cycle(TickCause::on_demand).ok());
        const std::uint64_t all = l.store.calls(StoreOperation::history);
        return all - std::exchange(before, all);
    };
    int cycles = 0;
    while (cycles < 100) {
        const std::uint64_t asked = questions();
        CHECK(asked <= 1024 + 128 * 4);
        if (asked == 0) break;  // all are known to be somebody else's, for the next five minutes
        ++cycles;
    }
    CHECK(cycles <= 3000 / 128 + 2);
    CHECK(same.polled.empty());
    names.push_back("new");
    same.names(names);
    CHECK(l.cycle(TickCause::on_demand).ok());
    CHECK(l.history("new").row->holder == "two");

    // What ended there and was missing since returns as a new run, after some lists.
    for (int i = 0; i < 200; ++i) REQUIRE(one->finish(*one->find("w" + std::to_string(i))));
    same.names({names.begin() + 200, names.end()});
    std::string missing;
    for (int cycle = 0; cycle < 2; ++cycle) missing += records(l.cycle(TickCause::on_demand));
    CHECK(std::count(missing.begin(), missing.end(), ';') == 200);
    same.names(names);
    for (int cycle = 0; cycle < 2; ++cycle) CHECK(l.cycle(TickCause::on_demand).ok());
    CHECK(l.history("w0#2").row);
    CHECK(l.history("w199#2").row);
    CHECK_FALSE(l.history("w200#2").row);
}
