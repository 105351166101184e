// Many threads at once: observers, hosts that start and finish runs, one that judges, one that delivers.
#include <atomic>
#include <mutex>
#include <random>
#include <thread>

#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/runner.hpp>
#include <heeler/store/sqlite_store.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

RunClass busy_class() {
    RunClass rules = bench::minute_class("busy");
    rules.interval.fixed = 1s;
    rules.verify_after = 1s;
    rules.alerts.outbox.first_retry = 1ms;
    rules.alerts.outbox.longest_retry = 10ms;
    return rules;
}

/// Judged by nothing, so that it ends as its host says.
RunClass calm_class() {
    RunClass rules = busy_class();
    rules.name = "calm";
    rules.detectors = {};
    return rules;
}

template <class Dog>
void report_everything(Dog& dog, RunHandle run, int number) {
    const std::string text = "line " + std::to_string(number % 7) + "\nand ";
    (void)dog.observe(run, Heartbeat{});
    (void)dog.observe(run, Output{text, true});
    (void)dog.observe(run, ToolCall{"ls", "{\"a\":1}", {}});
    (void)dog.observe(run, ToolResult{true, text, {}, {}});
    (void)dog.observe(run, Progress{number / 50});
    (void)dog.observe(run, Usage{10, 1, 1, 0, 0});
    (void)dog.status(run);
}

/// One of many that use the same watchdog at once, each with runs of its own: nobody else's answer may be heard here.
template <class Dog>
class Host {
public:
    Host(Dog& dog, int number, std::vector<std::string>& wrong, std::mutex& lock)
        : dog_{dog}, number_{number}, random_{static_cast<unsigned>(number)}, wrong_{wrong}, lock_{lock} {}

    void work(int runs) {
        for (int i = 0; i < runs; ++i) one_run(std::to_string(number_) + "." + std::to_string(i));
        is(dog_.flush().has_value(), "flush");
    }

private:
    void one_run(const std::string& id) {
        const auto run = dog_.start(bench::spec_of(id), "calm");
        if (!run) return is(false, "start " + id + ": " + run.error().message);
        is(!run->not_stored, "start is durable " + id);
        for (unsigned verbs = random_() % 4; verbs > 0; --verbs) verb(*run, id);
        is(code_of(dog_.start(bench::spec_of(id), "calm")) == ErrorCode::duplicate, "start again " + id);
        const auto ended = dog_.finish(*run, RunEnd::failed);
        is(ended.has_value(), "finish " + id);
        is(code_of(dog_.finish(*run)) == ErrorCode::ended, "finish again " + id);
        is(dog_.observe(*run, Progress{1}) == Observed::ended, "observe what is over " + id);
        is(code_of(dog_.checkpoint(*run, {9, "late"})) == ErrorCode::ended, "checkpoint of what is over " + id);
        is(code_of(dog_.find(id)) == ErrorCode::ended, "find what is over " + id);
        const auto report = dog_.report(id);
        is(report && report->final_status == "failed", "report " + id);
    }

    void verb(RunHandle run, const std::string& id) {
        switch (random_() % 7) {
            case 0:
                return is(dog_.flush().has_value(), "flush");
            case 1:
                return is(dog_.checkpoint(run, {++step_, "step"}).has_value(), "checkpoint " + id);
            case 2:
                return is(dog_.observe(run, Progress{step_}) == Observed::ok, "observe " + id);
            case 3:
                return is(dog_.observe(id, Heartbeat{}) == Observed::ok, "observe by id " + id);
            case 4:
                return is(dog_.status(run).has_value(), "status " + id);
            case 5:
                return is(is_attached(run, id), "attach " + id);
            default:
                break;
        }
        const auto found = dog_.find(id);
        is(found && *found == run, "find " + id);
    }

    [[nodiscard]] bool is_attached(RunHandle run, const std::string& id) {
        const auto known = dog_.attach(bench::spec_of(id), "calm");
        return known && known->found && !known->not_stored && RunHandle{*known} == run;
    }

    template <class Answer>
    [[nodiscard]] static std::optional<ErrorCode> code_of(const Answer& answer) {
        if (answer) return std::nullopt;
        return answer.error().code;
    }

    void is(bool right, const std::string& what) {
        if (right) return;
        const std::lock_guard guard{lock_};
        wrong_.push_back(what);
    }

    Dog& dog_;
    int number_;
    int step_ = 0;
    std::mt19937 random_;
    std::vector<std::string>& wrong_;
    std::mutex& lock_;
};

/// What was answered wrongly to 16 hosts, while the runs of all of them are judged.
template <class Store>
[[nodiscard]] std::vector<std::string> wrong_answers(Store store, int runs) {
    using Dog = Watchdog<SystemClock, Store, RecordingNotifier>;
    Dog dog{SystemClock{}, std::move(store), RecordingNotifier{}};
    REQUIRE(dog.define(calm_class()));
    std::vector<std::string> wrong;
    std::mutex lock;
    std::atomic<bool> stop{false};
    std::thread judge{[&] {
        while (!stop) (void)dog.cycle();
    }};
    std::vector<std::thread> hosts;
    for (int number = 0; number < 16; ++number)
        hosts.emplace_back([&, number] { Host<Dog>{dog, number, wrong, lock}.work(runs); });
    for (std::thread& host : hosts) host.join();
    stop = true;
    judge.join();
    return wrong;
}

}  // namespace

TEST_CASE("whatever others ask at the same time, each host gets the answers that are true of its runs [M-001]") {
    const ScratchLog folder;
    SECTION("in memory") { CHECK(wrong_answers(MemoryStore{}, 60) == std::vector<std::string>{}); }
    SECTION("in SQLite") {
        CHECK(wrong_answers(SqliteStore{folder.path("store.db")}, 12) == std::vector<std::string>{});
    }
}

TEST_CASE("observers, hosts, judge and deliverer may work at the same time [M-001]") {
    bench::Bench b;
    b.notifier.answer_with({Delivery::fail, Delivery::ok, Delivery::ok});
    REQUIRE(b.dog->define(busy_class()));
    REQUIRE(b.dog->define(calm_class()));
    std::vector<RunHandle> fixed;
    for (int i = 0; i < 4; ++i) fixed.push_back(*b.dog->start(bench::spec_of("f" + std::to_string(i)), "busy"));
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 300; ++i) report_everything(*b.dog, fixed[static_cast<std::size_t>((t + i) % 4)], i);
        });
    for (int t = 0; t < 2; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 60; ++i) {
                const std::string id = "s" + std::to_string(t) + "." + std::to_string(i);
                const auto run = b.dog->start(bench::spec_of(id), "calm");
                if (!run) continue;
                report_everything(*b.dog, *run, i);
                (void)b.dog->checkpoint(*run, {i, "step"});
                (void)b.dog->finish(*run, i % 2 == 0 ? RunEnd::completed : RunEnd::failed);
                (void)b.dog->observe(id, Heartbeat{});
                (void)b.dog->find(id);
            }
        });
    std::thread judge{[&] {
        while (!stop) {
            b.clock.advance(300ms);
            (void)b.dog->tick();
            if (b.dog->has_settled()) (void)b.dog->tick(TickCause::outcome);
            (void)b.dog->next_deadline();
        }
    }};
    std::thread hands{[&] {
        while (!stop) {
            (void)b.dog->deliver();
            (void)b.dog->report("f0");
        }
    }};
    for (std::thread& thread : threads) thread.join();
    stop = true;
    judge.join();
    hands.join();
    for (int i = 0; i < 5; ++i) (void)b.after(1s);
    for (int t = 0; t < 2; ++t)
        for (int i = 0; i < 60; ++i) {
            const std::string id = "s" + std::to_string(t) + "." + std::to_string(i);
            const History known = b.history(id);
            INFO(id);
            REQUIRE(known.row);
            CHECK(known.row->state == (i % 2 == 0 ? RunState::completed : RunState::failed));
            CHECK(known.row->ended_at);
            CHECK(known.checkpoints.size() == 1);
        }
    for (const auto& request : b.control.requests()) CHECK_FALSE(request.run.empty());
}

TEST_CASE("a store that fails now and then loses nothing under threads [M-009]") {
    bench::Bench b;
    REQUIRE(b.dog->define(calm_class()));
    std::atomic<bool> stop{false};
    std::thread judge{[&] {
        while (!stop) {
            b.clock.advance(500ms);
            (void)b.dog->cycle();
        }
    }};
    std::thread saboteur{[&] {
        while (!stop) {
            b.store.fail(StoreOperation::commit, ErrorCode::busy);
            std::this_thread::sleep_for(200us);
            b.store.heal();
            std::this_thread::sleep_for(300us);
        }
    }};
    const auto run = b.dog->start(bench::spec_of("r"), "calm");
    REQUIRE(run);
    for (int i = 0; i < 200; ++i) {
        (void)b.dog->observe(*run, Progress{i});
        (void)b.dog->checkpoint(*run, {i, "step " + std::to_string(i)});
    }
    (void)b.dog->finish(*run);
    stop = true;
    judge.join();
    saboteur.join();
    b.store.heal();
    for (int i = 0; i < 5; ++i) (void)b.after(1s);
    CHECK(b.history().row->state == RunState::completed);
    CHECK(b.history().checkpoints.size() == 200);
    CHECK_FALSE(b.dog->find("r"));
}

TEST_CASE("a runner judges and acts with threads of its own, and stops [M-001]") {
    using Dog = Watchdog<SystemClock, MemoryStore, RecordingNotifier>;
    RecordingNotifier notifier;
    ScriptedControl control;
    MemoryStore store;
    Dog dog{SystemClock{}, store, notifier};
    dog.attach(control);
    std::atomic<int> cycles{0};
    auto run = dog.start(bench::spec_of("r"), busy_class());
    REQUIRE(run);
    (void)dog.observe(*run, Progress{1});
    {
        Runner runner{dog, 5ms, [&](const CycleReport&) { ++cycles; }};
        for (int i = 0; i < 6000 && control.requests().empty(); ++i) std::this_thread::sleep_for(10ms);
        runner.stop();
        runner.stop();
    }
    CHECK(control.requests().size() == 1);
    CHECK(cycles > 1);
    CHECK(notifier.delivered().size() == 1);
}
