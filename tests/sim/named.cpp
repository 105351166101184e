// What watchdogs got wrong in the field, each under the name by which it is known. Those that need no clock, lease or
// process of their own are scenarios of their name (tests/scenarios).
#include <chrono>
#include <memory>
#include <set>
#include <string>

#include <heeler/report/self_watch.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

namespace sim {
namespace {

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

/// Two agents at work when everything stops; afterwards one goes on, and one shows nothing more.
struct Night : Bench {
    RunHandle busy, still;
    int steps = 0;

    explicit Night(int quarters = 20) {
        classes = {presets::recommended()};
        classes[0].schedule.period = 15s;
        boot();
        busy = run("busy");
        still = run("still");
        progress(busy, steps);
        for (int i = 0; i < quarters; ++i) {
            progress(still, i);
            quarter();
        }
    }
    void quarter() {
        (void)after(15s);
        progress(busy, ++steps);
    }
    [[nodiscard]] std::size_t asked_of(std::string_view id) const {
        std::size_t count = 0;
        for (const auto& request : control.requests()) count += request.run == id ? 1 : 0;
        return count;
    }
    /// From the first cycle after it on.
    void accuses_nobody_of_it() {
        for (Duration gone{}; gone < 585s; gone += 15s) {
            quarter();
            REQUIRE(acts.empty());
            REQUIRE(notifier.sent().empty());
        }
        for (int i = 0; i < 4; ++i) quarter();
        CHECK(asked_of("still") == 1);
        CHECK(asked_of("busy") == 0);
    }
};

/// Watchdogs that share a store, each of which has clocks of its own.
template <class Store>
struct Replicas {
    using Dog = Watchdog<ManualClock, Store, RecordingNotifier>;
    struct Replica {
        ManualClock clock{bench::start};
        std::unique_ptr<Dog> dog{};
        bool paused = false;
        double rate = 1;  ///< of its clocks
    };

    Store store{};
    ScriptedControl control{};
    RecordingNotifier notifier{};
    std::vector<std::unique_ptr<Replica>> all{};

    Replicas() { control.set_idempotent(true); }

    Replica& boot(std::string holder) {
        EngineSettings settings;
        settings.holder = std::move(holder);
        settings.lease = 150s;
        settings.renew_every = 30s;
        settings.lease_margin = 10s;
        Replica& made = *all.emplace_back(std::make_unique<Replica>());
        if (all.size() > 1) made.clock.set(all[0]->clock.now());
        made.dog = std::make_unique<Dog>(made.clock, store, notifier, settings);
        made.dog->attach(control);
        REQUIRE(made.dog->define(bench::minute_class()));
        return made;
    }
    void pass(Duration length) {
        store.let_pass(length);
        for (auto& each : all)
            if (!each->paused)
                each->clock.advance(
                    Duration{static_cast<Duration::rep>(static_cast<double>(length.count()) * each->rate)});
    }
    void live(Duration length) {
        for (Duration gone{}; gone < length; gone += 30s) {
            pass(30s);
            for (auto& each : all)
                if (!each->paused) (void)each->dog->cycle(TickCause::period);
        }
    }
    /// It wakes up where it stood, and its clock tells it at once how late it is.
    void wake(Replica& replica, Instant now) {
        replica.clock.set(now);
        replica.paused = false;
    }
    [[nodiscard]] History history() { return *store.history("r"); }
};

/// With each message that it delivers the store fails.
struct Last {
    using Store = FaultStore<MemoryStore>;
    static constexpr std::string_view name = "last";
    Store store;
    std::shared_ptr<std::vector<std::string>> keys;
    Result<Receipt> send(const Alert& alert) {
        keys->push_back(alert.key);
        store.fail(StoreOperation::commit, ErrorCode::io);
        return Receipt{};
    }
};

}  // namespace

TEST_CASE("suspend_8h: a night for which the machine slept counts against nobody [M-006]") {
    Night night;
    night.clock.suspend(8h);
    night.accuses_nobody_of_it();
}

TEST_CASE("s2idle_monotonic_counts: nor does one that the monotonic clock counts as well [M-006]") {
    Night night;
    night.clock.advance(8h);
    night.accuses_nobody_of_it();
}

TEST_CASE("observer_gap_many_intervals: what nobody looked at for hours is judged from the next look on [M-006]") {
    Night night;
    night.clock.advance(2h);
    SECTION("once") {}
    SECTION("and a second time, before anybody could be judged") {
        night.quarter();
        night.clock.advance(2h);
    }
    night.accuses_nobody_of_it();
}

TEST_CASE("observer_gap_at_startup: so are runs at which nobody looked since they were registered [M-006]") {
    Night night{0};
    night.clock.advance(2h);
    night.accuses_nobody_of_it();
}

TEST_CASE("boot_after_long_downtime: a day without a watchdog counts against nobody [M-006]") {
    Night night;
    night.dog.reset();
    night.clock.advance(24h);
    night.boot();
    night.busy = *night.dog->find("busy");
    night.accuses_nobody_of_it();
}

TEST_CASE("poison_row_does_not_stop_sweep: a row that no store takes keeps nobody else from being watched [M-008]") {
    Bench b;
    for (const char* id : {"a", "b", "c"}) b.progress(b.run(id), 1);
    b.store.fail_run("b", ErrorCode::unstorable);
    b.minutes(2);
    CHECK(b.history("a").actions.size() == 1);
    CHECK(b.history("b").actions.empty());
    CHECK(b.history("c").actions.size() == 1);
    CHECK(b.asked(ControlVerb::inject) == 2);
    b.store.heal();
    b.minutes(3);
    CHECK(b.history("b").actions.size() >= 1);
}

TEST_CASE("reload_mid_episode: rules that are read again in the middle of an incident begin nothing anew [M-186]") {
    Bench b;
    (void)b.stalled();
    REQUIRE(b.acts == "inject:nudge done");
    RunClass other = bench::minute_class();
    other.alerts.cooldown = 45min;
    REQUIRE(b.dog->define(other));
    (void)b.cycle();
    CHECK(b.acts == "inject:nudge done");
    for (int i = 0; i < 30; ++i) {
        REQUIRE(b.dog->define(i % 2 == 0 ? bench::minute_class() : other));
        (void)b.after(30s);
    }
    const List<Action> actions = b.history().actions;
    REQUIRE(actions.size() >= 2);
    std::set<std::string> steps;
    for (const Action& action : actions) {
        CHECK(action.incident == 1);
        CHECK(steps.insert(std::string{name_of(action.kind)} + std::to_string(action.attempt)).second);
    }
    std::size_t unhealthy = 0;
    for (const std::string& kind : b.sent_kinds()) unhealthy += kind == "run.unhealthy" ? 1 : 0;
    CHECK(unhealthy == 1);
}

TEST_CASE("audit_insert_fails_after_send: what was sent is not sent again because nobody could note it [M-078]") {
    ManualClock clock{bench::start};
    MemoryStore memory;
    Last::Store store{memory};
    ScriptedControl control;
    const auto keys = std::make_shared<std::vector<std::string>>();
    using Dog = Watchdog<ManualClock, Last::Store, Last>;
    const auto boot = [&] {
        auto dog = std::make_unique<Dog>(clock, store, Last{store, keys});
        dog->attach(control);
        REQUIRE(dog->define(bench::minute_class()));
        return dog;
    };
    const auto state = [&] { return memory.history("r")->alerts.at(0).state; };
    auto dog = boot();
    const auto run = dog->start(bench::spec_of("r"), "minute");
    REQUIRE(run);
    (void)dog->observe(*run, Progress{1});
    const auto minutes = [&](int count) {
        for (int i = 0; i < count; ++i) {
            clock.advance(60s);
            (void)dog->cycle(TickCause::period);
        }
    };
    minutes(8);
    REQUIRE_FALSE(keys->empty());
    CHECK(std::count(keys->begin(), keys->end(), keys->front()) == 1);  // the others say that the store is gone
    CHECK(state() == AlertRow::State::pending);
    SECTION("the same process notes it when it can") {
        store.heal();
        minutes(1);
        CHECK(state() == AlertRow::State::delivered);
        CHECK(std::count(keys->begin(), keys->end(), keys->front()) == 1);
    }
    SECTION("another process does not know, and sends it under the same key") {
        store.heal();
        dog = boot();
        minutes(3);
        CHECK(std::count(keys->begin(), keys->end(), keys->front()) == 2);
    }
}

TEST_CASE(
    "zombie_host_side_effect: who stood still between an intent and its effect leaves it to who took over [M-101]") {
    Replicas<MemoryStore> pair;
    auto& first = pair.boot("first");
    const auto run = first.dog->start(bench::spec_of("r"), "minute");
    REQUIRE(run);
    (void)first.dog->observe(*run, Progress{1});
    pair.live(90s);
    pair.pass(60s);
    (void)first.dog->tick(TickCause::on_demand);
    REQUIRE(pair.history().actions.size() == 1);
    REQUIRE(pair.control.requests().empty());
    first.paused = true;
    auto& second = pair.boot("second");
    pair.live(210s);
    REQUIRE(second.dog->find("r"));
    pair.live(30s);
    REQUIRE(pair.history().row->holder == "second");
    const std::size_t asked = pair.control.requests().size();
    pair.wake(first, second.clock.now());
    (void)first.dog->deliver();
    (void)first.dog->cycle(TickCause::period);
    CHECK(pair.control.requests().size() == asked);
    CHECK(pair.history().row->holder == "second");
    CHECK_FALSE(first.dog->checkpoint(*run, {1, "late"}));
}

TEST_CASE("same_id_term_replaced: a process that took the name of another one is not that one [M-101]") {
    Replicas<MemoryStore> pair;
    auto& old = pair.boot("one");
    const auto run = old.dog->start(bench::spec_of("r"), "minute");
    REQUIRE(run);
    pair.live(60s);
    const std::uint64_t epoch = pair.history().row->epoch;
    old.paused = true;
    auto& young = pair.boot("one");
    SECTION("not while the lease lasts") {
        pair.live(60s);
        CHECK_FALSE(young.dog->vitals().may_act);
        pair.wake(old, young.clock.now());
        (void)old.dog->cycle(TickCause::period);
        CHECK(old.dog->vitals().may_act);
    }
    SECTION("afterwards the old one writes nothing more under that name") {
        pair.live(240s);
        REQUIRE(young.dog->vitals().may_act);
        REQUIRE(young.dog->vitals().epoch > epoch);
        const auto rerun = young.dog->find("r");
        REQUIRE(rerun);
        pair.live(30s);
        // Its own clock stands still: it trusts its lease.
        CHECK_FALSE(old.dog->checkpoint(*run, {1, "late"}));
        pair.wake(old, young.clock.now());
        (void)old.dog->cycle(TickCause::period);
        CHECK_FALSE(old.dog->vitals().may_act);
        CHECK(young.dog->vitals().may_act);
        CHECK(pair.history().row->epoch == young.dog->vitals().epoch);
        CHECK(pair.history().checkpoints.empty());
    }
}

TEST_CASE("slow_renew_does_not_extend_trust: a lease counts from when it was asked for [M-101]") {
    /// What it answers to a claim takes so long to arrive.
    struct Far : MemoryStore {
        std::shared_ptr<Duration> takes = std::make_shared<Duration>();
        std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(bench::start);
        Result<Lease> claim(Claimant who, Duration length) {
            auto given = MemoryStore::claim(who, length);
            let_pass(*takes);
            clock->advance(*takes);
            return given;
        }
    };
    Replicas<Far> one;
    auto& only = one.boot("one");
    *one.store.clock = only.clock;
    SECTION("what is left of it is relied upon, and no more") {
        *one.store.takes = 100s;
        (void)only.dog->cycle(TickCause::period);
        CHECK(only.dog->vitals().may_act);
        one.pass(39s);
        CHECK(only.dog->vitals().may_act);
        one.pass(2s);
        CHECK_FALSE(only.dog->vitals().may_act);
    }
    SECTION("nothing is left") {
        *one.store.takes = 141s;
        (void)only.dog->cycle(TickCause::period);
        CHECK_FALSE(only.dog->vitals().may_act);
    }
}

TEST_CASE("skewed_replica_lease: replicas whose clocks differ leave each other's leases alone [M-101]") {
    Replicas<MemoryStore> pair;
    auto& holder = pair.boot("holder");
    const auto run = holder.dog->start(bench::spec_of("r"), "minute");
    REQUIRE(run);
    pair.live(30s);
    auto& other = pair.boot("other");
    const Duration skew = GENERATE(300s, -300s);
    const double rate = GENERATE(0.8, 1.0, 1.2);
    other.clock.step_wall(skew);
    other.rate = rate;
    holder.rate = 2 - rate;
    for (std::int64_t worked = 1; worked <= 60; ++worked) {
        (void)holder.dog->observe(*run, Progress{worked});
        pair.live(60s);
        REQUIRE(pair.history().row->holder == "holder");
        REQUIRE(pair.history().row->epoch == holder.dog->vitals().epoch);
    }
    CHECK(holder.dog->vitals().epoch == 1);
    CHECK(pair.control.requests().empty());
    CHECK(pair.notifier.sent().empty());
    holder.paused = true;
    pair.live(240s);
    CHECK(other.dog->find("r"));
}

TEST_CASE("watchdog_died_external_ping_stops: whoever waits for the calls of a watchdog hears that it cannot work") {
    Bench b;
    int calls = 0;
    SelfWatch alive;
    alive.tell(60s, [&]() -> Result<void> {
        ++calls;
        return {};
    });
    const auto calls_in = [&](int minutes) {
        const int before = calls;
        for (int i = 0; i < minutes; ++i) {
            const CycleReport report = b.after(60s);
            (void)alive.note(report, b.dog->vitals().oldest_alert, b.clock.now().elapsed);
        }
        return calls - before;
    };
    const RunHandle run = b.run();
    b.progress(run, 1);
    CHECK(calls_in(5) == 5);  // a run that stands still makes no watchdog ill
    REQUIRE_FALSE(b.acts.empty());
    SECTION("its store is gone") {
        const RunHandle other = b.run("other");
        b.store.fail(StoreOperation::commit, ErrorCode::io);
        b.progress(other, 2);
        CHECK(calls_in(10) == 0);
        b.store.heal();
        CHECK(calls_in(3) >= 2);
    }
    SECTION("nobody gets its alerts") {
        b.notifier.answer_with(std::vector<Delivery>(1000, Delivery::fail));
        b.progress(b.run("other"), 1);
        (void)calls_in(20);
        CHECK(calls_in(10) == 0);
    }
}

}  // namespace sim
