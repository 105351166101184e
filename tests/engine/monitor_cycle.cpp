// The cycle of who monitors many workers: judge, tell, clear. What goes wrong, or takes long, on the way.
#include <thread>

#include "engine/monitors.hpp"
#include "support/catch.hpp"
#include "support/scripted_mailbox.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using namespace monitors;

namespace {

/// What happened outside, in order; and what another thread does meanwhile, once.
struct Outside {
    std::vector<std::string> order;
    std::function<void()> while_sent;
    std::function<void()> while_committed;
    std::function<void()> while_measured;
    int failing_clears = 0;

    static void happen(std::function<void()>& once) {
        if (auto now = std::exchange(once, {})) std::thread{std::move(now)}.join();
    }
    /// And forgets it.
    std::string happened() {
        std::string text;
        for (const std::string& each : std::exchange(order, {})) text += (text.empty() ? "" : ", ") + each;
        return text;
    }
};

struct People {
    static constexpr std::string_view name = "people";
    Outside* outside;

    Result<Receipt> send(const Alert& alert) const {
        Outside::happen(outside->while_sent);
        outside->order.push_back(alert.kind + " " + alert.run.id);
        return Receipt{};
    }
};

struct Context {
    Outside* outside;

    Result<void> clear() const {
        const bool fails = outside->failing_clears > 0 && outside->failing_clears-- > 0;
        outside->order.emplace_back(fails ? "clear fails" : "clear");
        if (fails) return fail(ErrorCode::failed, "not now");
        return {};
    }
    /// Asked after people were told, and before it is decided.
    [[nodiscard]] std::uint64_t size() const {
        Outside::happen(outside->while_measured);
        return 1;
    }
};

struct Tables {
    MemoryStore store;
    Outside* outside;

    Result<Snapshot> load() { return store.load(); }
    Result<List<DecisionRow>> list() { return store.list(); }
    Result<Conflicts> commit(const Batch& batch) {
        Outside::happen(outside->while_committed);
        return store.commit(batch);
    }
    Result<History> history(std::string_view run) { return store.history(run); }
};

/// One watchdog whose host calls `tick` and `deliver` as two threads would, one by one.
struct Monitor {
    ManualClock clock{bench::start};
    ScriptedControl control;
    Outside outside;
    Context context{&outside};
    Watchdog<ManualClock, Tables, People> dog{clock, Tables{MemoryStore{}, &outside}, People{&outside}};

    explicit Monitor(const RunClass& rules = bench::all_workers()) {
        dog.attach(context);
        dog.attach(control);
        REQUIRE(dog.define(rules));
    }
    RunHandle worker(std::string id, std::string_view rules = "worker_monitor") {
        const auto started = dog.start(bench::spec_of(std::move(id)), rules);
        REQUIRE(started);
        return *started;
    }
    void poll() {
        clock.advance(poll_every);
        (void)dog.tick();
    }
    std::string deliver() {
        (void)dog.deliver();
        return outside.happened();
    }
};

}  // namespace

TEST_CASE("what was found while people were told of something else is told before the context is cleared [M-131]") {
    Monitor m;
    const RunHandle a = m.worker("a"), b = m.worker("b");
    (void)m.dog.observe(a, asking);
    m.poll();
    m.outside.while_sent = [&] {
        (void)m.dog.observe(b, asking);
        m.poll();
    };
    CHECK(m.deliver() == "worker.needs_input a");
    CHECK(m.deliver() == "worker.needs_input b, clear");
    CHECK(m.deliver().empty());
}

TEST_CASE("what was found while it was asked whether to clear is told before [M-131]") {
    Monitor m;
    const RunHandle a = m.worker("a");
    m.poll();
    m.outside.while_measured = [&] {
        (void)m.dog.observe(a, asking);
        m.poll();
    };
    CHECK(m.deliver().empty());
    CHECK(m.deliver() == "worker.needs_input a, clear");
}

TEST_CASE("people are told of mail before the context is cleared [M-128] [M-131]") {
    Monitor m;
    heeler_test::ScriptedMailbox box;
    box.add("u", MailKind::urgent);
    SECTION("which is read while somebody delivers") {
        REQUIRE(m.dog.attach(box));
        box.on_unread = [&]() -> Result<void> {
            (void)m.dog.deliver();
            return {};
        };
        m.poll();
    }
    SECTION("which came while it was asked whether to clear") {
        m.poll();
        m.outside.while_measured = [&] {
            REQUIRE(m.dog.attach(box));
            m.poll();
        };
    }
    std::string all;
    for (int i = 0; i < 3; ++i) all += m.deliver() + ";";
    CHECK(all.find("mail.urgent") < all.find("clear"));
    CHECK(all.find("clear") == all.rfind("clear"));
}

TEST_CASE("nothing is cleared while somebody judges [M-131]") {
    Monitor m;
    const RunHandle a = m.worker("a");
    m.poll();
    SECTION("the next cycle") {
        (void)m.dog.observe(a, asking);
        m.outside.while_committed = [&] { (void)m.dog.deliver(); };
        m.poll();
        CHECK(m.deliver() == "worker.needs_input a, clear");
    }
    SECTION("what came of actions") {
        RunClass rules = bench::minute_class("ladder");
        rules.schedule = {30s, false, false, true};
        rules.interval.fixed = 30s;
        rules.context.auto_clear = true;
        REQUIRE(m.dog.define(rules));
        (void)m.deliver();
        m.control.answer(ControlVerb::inject, ControlAnswer::reject);
        const RunHandle stalls = m.worker("s", "ladder");
        (void)m.dog.observe(stalls, Progress{1});
        for (int polls = 0; polls < 10 && m.control.requests().empty(); ++polls) {
            m.poll();
            (void)m.deliver();
        }
        REQUIRE(m.dog.has_settled());
        m.outside.while_committed = [&] { (void)m.dog.deliver(); };
        (void)m.dog.tick(TickCause::outcome);
        CHECK(m.deliver() == "escalation s");
        (void)m.dog.tick(TickCause::outcome);
        CHECK(m.deliver() == "clear");
    }
}

TEST_CASE("a clear that failed is not made up for before people were told of the next cycle [M-131] [M-134]") {
    Monitor m;
    const RunHandle a = m.worker("a");
    m.outside.failing_clears = 1;
    m.poll();
    CHECK(m.deliver() == "clear fails");
    (void)m.dog.observe(a, asking);
    m.poll();
    CHECK(m.deliver() == "worker.needs_input a, clear");
    CHECK((m.dog.context_clears().done == 1 && m.dog.context_clears().failed == 1));
}

TEST_CASE("without a worker each cycle ends with a clear, whoever delivers [M-130]") {
    Monitor m;
    m.poll();
    CHECK(m.deliver() == "clear");
    CHECK(m.deliver().empty());
    m.clock.advance(poll_every);
    (void)m.dog.cycle();
    CHECK(m.outside.happened() == "clear");
    (void)m.dog.cycle();
    CHECK(m.outside.happened().empty());
}

TEST_CASE("a worker that the store does not take keeps no context from being cleared [M-131]") {
    Told t;
    const auto workers = t.workers(2);
    (void)t.after(poll_every);
    CHECK(t.context.clears == 1);
    t.store.fail_run("w0", ErrorCode::unstorable);
    for (const RunHandle worker : workers) (void)t.dog->observe(worker, asking);
    CHECK(t.after(poll_every).errors > 0);
    CHECK(t.notifier.sent().size() == 1);  // of the other one
    CHECK(t.context.clears == 2);
    t.store.heal();
    for (int i = 0; i < 4; ++i) (void)t.after(poll_every);
    CHECK(t.keys() == 2);
    CHECK(t.context.clears == 6);
}

TEST_CASE("what could not be stored at all is not over, and neither is the cycle [M-131]") {
    Told t;
    const RunHandle worker = t.workers(1).front();
    (void)t.after(poll_every);
    CHECK(t.context.clears == 1);
    t.store.fail(StoreOperation::commit, ErrorCode::busy);
    (void)t.dog->observe(worker, asking);
    (void)t.after(poll_every);
    CHECK(t.context.clears == 1);
    t.store.heal();
    for (int i = 0; i < 2; ++i) (void)t.after(poll_every);
    CHECK(t.sent_kinds() == std::vector<std::string>{"worker.needs_input"});
    CHECK(t.context.clears == 3);
}

TEST_CASE("of two watchdogs on one store each clears its own context after its own cycles [M-130] [M-131]") {
    MemoryStore store;
    struct Half {
        explicit Half(const MemoryStore& shared, const std::string& name) {
            EngineSettings settings;
            settings.holder = name;
            dog.emplace(clock, shared, notifier, settings);
            dog->attach(context);
            REQUIRE(dog->define(bench::all_workers()));
        }
        ManualClock clock{bench::start};
        RecordingNotifier notifier;
        Counter context;
        std::optional<Watchdog<ManualClock, MemoryStore, RecordingNotifier>> dog;
    };
    Half one{store, "one"}, two{store, "two"};
    const auto run = one.dog->start(bench::spec_of("w"), "worker_monitor");
    REQUIRE(run);
    (void)one.dog->observe(*run, asking);
    const auto pass = [&](Duration length, bool both) {
        for (Duration done{}; done < length; done += 5s) {
            store.let_pass(5s);
            one.clock.advance(5s);
            two.clock.advance(5s);
            if (both) (void)one.dog->cycle();
            (void)two.dog->cycle();
        }
    };
    pass(60s, true);
    CHECK(one.notifier.sent().size() == 1);
    CHECK(two.notifier.sent().empty());
    CHECK(one.context.clears == 2);
    CHECK(two.context.clears == 2);
    pass(60s, false);  // one of them stands still, and its worker goes to the other
    REQUIRE(two.dog->start(bench::spec_of("w"), "worker_monitor"));
    pass(60s, false);
    CHECK(store.history("w")->row->holder == "two");
    for (const auto& sent : two.notifier.sent())
        CHECK(sent.alert.kind == "orchestrator.lost");  // of the worker they know
    CHECK(one.context.clears == 2);
    CHECK(two.context.clears == 6);
}
