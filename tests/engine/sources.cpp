// Sources that are polled: when, what becomes of their events and their times, and that a crash neither loses nor
// doubles any.
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <heeler/engine/watchdog.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/settings/presets.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

namespace {

const ToolCall ls{"Bash", R"({"command":"ls"})", {}};

/// A log in memory. Its cursor is the number of events that were read.
struct MemoryLog {
    std::vector<SourceEvent> events;
    std::size_t each_poll = 1000;
    std::vector<Error> problems;  ///< of the next poll
    std::optional<Error> broken;
    std::function<void()> on_poll;
    std::vector<std::string> cursors;  ///< that it was polled with

    void call(std::optional<WallTime> at = {}) { events.push_back({ls, at}); }

    Result<Polled> poll(std::string_view cursor) {
        cursors.emplace_back(cursor);
        if (const auto act = on_poll) act();
        if (broken) return tl::unexpected<Error>(*broken);
        Polled polled;
        std::size_t next = cursor.empty() ? 0 : std::stoul(std::string{cursor});
        const std::size_t end = std::min(events.size(), next + each_poll);
        for (; next < end; ++next) polled.events.push_back(events[next]);
        polled.cursor = std::to_string(end);
        polled.more = end < events.size();
        polled.problems = std::exchange(problems, {});
        return polled;
    }
};

/// A session that is known from a log only.
struct Logged : Bench {
    MemoryLog log;

    explicit Logged(RunClass rules = presets::session_monitor()) {
        this->classes = {std::move(rules)};
        this->settings.memory_every = 1h;  // what is written more often is written for the source
        this->boot();
    }
    RunHandle session(std::string id = "s") {
        RunSpec spec;
        spec.id = std::move(id);
        const RunHandle run = this->run(std::move(spec));
        REQUIRE(this->dog->attach(run, log));
        return run;
    }
    /// A new watchdog; the source is attached again.
    void restart(std::string_view id = "s") {
        this->boot();
        if (const auto run = this->dog->find(id)) REQUIRE(this->dog->attach(*run, log));
    }
    [[nodiscard]] WallTime ago(Duration length) const { return this->clock.now().wall - length; }
    [[nodiscard]] std::int64_t stored_calls(std::string_view id = "s") {
        detail::RunMemory facts;
        const History known = this->history(id);
        ArchiveReader reader{known.row->facts, this->clock.now()};
        facts.archive_facts(reader);
        REQUIRE(reader.ok());
        return facts.run.calls;
    }
    CycleReport now() { return this->cycle(TickCause::on_demand); }
    [[nodiscard]] std::size_t alerts() const { return this->notifier.delivered().size(); }
};

}  // namespace

TEST_CASE("a source is read when its run is judged, and at no other time [M-003]") {
    Logged s;
    s.session();
    (void)s.cycle();
    CHECK(s.log.cursors.size() == 1);
    (void)s.after(1s);
    (void)s.cycle(TickCause::outcome);
    CHECK(s.log.cursors.size() == 1);
    (void)s.after(299s);
    CHECK(s.log.cursors.size() == 2);
    (void)s.now();
    CHECK(s.log.cursors.size() == 3);
}

TEST_CASE("events count from when they happened: a session whose last one is 601 s old is silent at once [M-039]") {
    const Duration age = GENERATE(600s, 601s);
    Logged s;
    s.log.call(s.ago(age));
    const RunHandle run = s.session();
    (void)s.cycle();
    CHECK(s.dog->status(run) == (age > 600s ? Status::stalled : Status::healthy));
    CHECK(s.alerts() == (age > 600s ? 1u : 0u));
}

TEST_CASE("an event without a time, or from the future, happens now") {
    const bool future = GENERATE(true, false);
    Logged s;
    s.log.call(future ? std::optional{s.ago(-3h)} : std::nullopt);
    const RunHandle run = s.session();
    (void)s.cycle();
    s.clock.advance(600s);
    (void)s.now();
    CHECK(s.dog->status(run) == Status::healthy);
    s.clock.advance(1s);
    (void)s.now();
    CHECK(s.dog->status(run) == Status::stalled);
    CHECK(s.dog->vitals().source_ahead == (future ? 3h : 0s));
}

TEST_CASE("events out of order take nothing back") {
    Logged s;
    s.log.call(s.ago(10s));
    s.log.call(s.ago(2000s));
    const RunHandle run = s.session();
    (void)s.cycle();
    CHECK(s.dog->status(run) == Status::healthy);
    s.clock.advance(590s);
    (void)s.now();
    CHECK(s.dog->status(run) == Status::healthy);
}

TEST_CASE("what a source had to pass over is said once each, and the rest counts [M-008]") {
    Logged s;
    s.log.problems = {{ErrorCode::corrupt, "3 lines are no JSON objects"},
                      {ErrorCode::lost, "a part was rotated away"}};
    for (int i = 0; i < 5; ++i) s.log.call();
    const RunHandle run = s.session();
    const CycleReport first = s.cycle();
    CHECK(bench::errors_of(first) == "source s: 3 lines are no JSON objects\nsource s: a part was rotated away\n");
    CHECK(s.dog->status(run) == Status::loop_detected);
    CHECK(s.after(300s).errors == 0);
}

TEST_CASE("while a source fails, that is said once and ages are not judged [M-008]") {
    Logged s;
    s.log.call();
    const RunHandle run = s.session();
    (void)s.cycle();
    const int how = GENERATE(0, 1, 2);
    if (how == 0) s.log.broken = Error{ErrorCode::io, "the log cannot be opened"};
    if (how == 1) s.log.on_poll = [] { throw std::runtime_error{"no such table"}; };
    if (how == 2) s.log.on_poll = [] { throw 7; };
    std::uint64_t errors = 0;
    for (int i = 0; i < 4; ++i) errors += s.after(300s).errors;
    CHECK(errors == 1);
    CHECK(s.dog->status(run) == Status::healthy);
    CHECK(s.alerts() == 0);
    SECTION("it works again: ages are judged again, from there on") {
        s.log.broken.reset();
        s.log.on_poll = nullptr;
        CHECK(s.after(300s).errors == 0);
        CHECK(s.dog->status(run) == Status::healthy);
        (void)s.after(300s);
        (void)s.after(300s);
        CHECK(s.dog->status(run) == Status::healthy);
        (void)s.after(300s);
        CHECK(s.dog->status(run) == Status::stalled);
        s.log.broken = Error{ErrorCode::io, "the log cannot be opened"};
        CHECK(s.now().errors == 1);
    }
    SECTION("it works again, and the run did: nothing is wrong") {
        s.log.broken.reset();
        s.log.on_poll = nullptr;
        s.log.call();
        (void)s.after(300s);
        CHECK(s.dog->status(run) == Status::healthy);
    }
}

TEST_CASE("what is no age is judged while a source fails [M-008]") {
    Logged s;
    for (int i = 0; i < 5; ++i) s.log.call();
    const RunHandle run = s.session();
    (void)s.cycle();
    REQUIRE(s.dog->status(run) == Status::loop_detected);
    s.log.broken = Error{ErrorCode::io, "gone"};
    (void)s.after(300s);
    CHECK(s.dog->status(run) == Status::loop_detected);
}

TEST_CASE("one cycle reads sixteen times what one poll may, the next one the rest [M-008]") {
    Logged s;
    s.log.each_poll = 2;
    for (int i = 0; i < 41; ++i) s.log.call();
    s.session();
    (void)s.cycle();
    CHECK(s.log.cursors.size() == 16);
    CHECK(s.stored_calls() == 32);
    (void)s.after(300s);
    CHECK(s.log.cursors.size() == 21);
    CHECK(s.stored_calls() == 41);
}

TEST_CASE("a source that says that the run ended ends it") {
    Logged s;
    s.log.call();
    s.log.events.push_back({StateChange{RunState::completed, {}, {}, {}}, {}});
    s.log.call();
    const RunHandle run = s.session();
    (void)s.cycle();
    CHECK(s.dog->report("s")->final_status == "completed");
    CHECK(s.memory.history("s")->row->ended_at.has_value());
    CHECK(s.stored_calls() == 1);
    CHECK(s.dog->observe(run, Heartbeat{}) == Observed::ended);
    CHECK(s.dog->attach(run, s.log).error().code == ErrorCode::ended);
    const std::size_t polls = s.log.cursors.size();
    (void)s.after(300s);
    (void)s.now();
    CHECK(s.log.cursors.size() == polls);
}

TEST_CASE("values that no host may report do not come in through a source either [M-008]") {
    Logged s;
    s.log.events.push_back({Usage{-5, 0, 0, 0, 0}, {}});
    s.log.call();
    s.session();
    CHECK(s.cycle().errors == 0);
    CHECK(s.stored_calls() == 1);
}

TEST_CASE("after a restart a source goes on where it was [M-101]") {
    Logged s;
    s.log.call();
    s.log.call();
    s.session();
    (void)s.cycle();
    const bool attached = GENERATE(true, false);
    if (attached) {
        s.restart();
    } else {
        s.boot();
        (void)s.now();
        CHECK(s.log.cursors.size() == 1);
        REQUIRE(s.dog->attach(*s.dog->find("s"), s.log));
    }
    s.log.call();
    (void)s.after(300s);
    CHECK(s.log.cursors.back() == "2");
    CHECK(s.stored_calls() == 3);
}

TEST_CASE("wherever a crash comes, each event counts once [M-101]") {
    RunClass rules = presets::session_monitor();
    rules.ladder.as<WatchLadder>()->steers = presets::session_steers();
    rules.ladder.as<WatchLadder>()->endings.clear();
    const auto point = GENERATE(CrashPoint::after_answer, CrashPoint::before_answer);
    for (std::uint64_t commit = 1; commit < 24; ++commit) {
        INFO("the crash comes with commit " << commit);
        Logged s{rules};
        s.session();
        s.store.crash_at_commit(commit, point);
        for (int i = 0; i < 12; ++i) {
            for (int n = 0; n <= i % 3; ++n) s.log.call(s.ago(1s));
            (void)s.dog->observe("s", Progress{i});
            (void)s.after(i % 2 == 0 ? 300s : 7s);
            if (s.store.dead()) s.restart();
        }
        (void)s.now();
        s.clock.advance(300s);
        (void)s.now();
        REQUIRE(s.stored_calls() == static_cast<std::int64_t>(s.log.events.size()));
    }
}

TEST_CASE("while commits fail events are not lost, and the cursor waits with what they changed [M-101]") {
    Logged s;
    s.session();
    (void)s.cycle();
    s.store.fail(StoreOperation::commit, ErrorCode::full);
    s.log.call();
    (void)s.after(300s);
    s.log.call();
    (void)s.after(300s);
    if (GENERATE(true, false)) {
        s.store.heal();
    } else {
        s.restart();
        CHECK(s.stored_calls() == 0);
    }
    s.log.call();
    (void)s.after(300s);
    (void)s.after(300s);
    CHECK(s.stored_calls() == 3);
}

TEST_CASE("what a host reports and what its log says add up, from two threads") {
    RunClass rules = presets::session_monitor();
    rules.ladder.as<WatchLadder>()->endings.clear();
    Logged s{rules};
    const RunHandle run = s.session();
    for (int i = 0; i < 600; ++i) s.log.call();
    s.log.each_poll = 3;
    std::thread host{[&] {
        for (int i = 0; i < 500; ++i) (void)s.dog->observe(run, ls);
    }};
    for (int i = 0; i < 20; ++i) (void)s.now();
    host.join();
    (void)s.now();
    REQUIRE(s.dog->flush());
    CHECK(s.stored_calls() == 1100);
}

namespace {

/// A turn that one thread waits for and another gives.
class Turn {
public:
    void give() {
        const std::lock_guard guard{lock_};
        given_ = true;
        changed_.notify_all();
    }
    void await() {
        std::unique_lock guard{lock_};
        changed_.wait(guard, [&] { return given_; });
    }

private:
    std::mutex lock_;
    std::condition_variable changed_;
    bool given_ = false;
};

/// A store in which something happens while it writes.
struct SlowStore {
    MemoryStore kept;
    std::shared_ptr<std::function<void(const Batch&)>> on_commit =
        std::make_shared<std::function<void(const Batch&)>>();

    Result<Snapshot> load() { return kept.load(); }
    Result<List<DecisionRow>> list() { return kept.list(); }
    Result<History> history(std::string_view run) { return kept.history(run); }
    Result<Conflicts> commit(const Batch& batch) {
        if (const auto act = std::exchange(*on_commit, nullptr)) act(batch);
        return kept.commit(batch);
    }
};

}  // namespace

TEST_CASE("events that come in while the run is being written are written with their cursor [M-101]") {
    SlowStore store;
    ManualClock clock{bench::start};
    RecordingNotifier notifier;
    using Dog = Watchdog<ManualClock, SlowStore, RecordingNotifier>;
    EngineSettings settings;
    settings.memory_every = 1h;  // only what a source needs is written
    auto dog = std::make_unique<Dog>(clock, store, notifier, settings);
    MemoryLog log;
    MemoryLog other;
    RunSpec spec;
    spec.id = "a";
    const RunHandle run = *dog->start(spec, presets::session_monitor());
    REQUIRE(dog->attach(run, log));
    spec.id = "b";
    REQUIRE(dog->attach(*dog->start(spec, "session_monitor"), other));
    log.call();
    (void)dog->cycle();

    Turn writing;
    Turn folded;
    std::thread host;
    log.call();
    log.call();
    log.each_poll = 1;
    log.on_poll = [&] {
        if (log.cursors.back() != "2") return;
        *store.on_commit = [&](const Batch&) {
            writing.give();
            folded.await();
        };
        host = std::thread{[&] { (void)dog->checkpoint(run, {1, "half"}); }};
        writing.await();  // the row is made, with the event before, without the one that this poll will answer
    };
    other.on_poll = [&] { folded.give(); };
    clock.advance(300s);
    (void)dog->cycle();
    host.join();
    log.on_poll = nullptr;
    (void)dog->checkpoint(run, {2, "whole"});

    dog = std::make_unique<Dog>(clock, store, notifier);
    REQUIRE(dog->define(presets::session_monitor()));
    REQUIRE(dog->attach(*dog->find("a"), log));
    (void)dog->cycle(TickCause::on_demand);
    CHECK(log.cursors.back() == "3");
}

namespace {

/// Throws at what it does not like.
struct Touchy {
    static constexpr std::string_view kind = "touchy";
    struct Settings {};
    struct Memory {};

    void learn(Memory&, const Settings&, const Observation& seen) const {
        if (const auto* call = std::get_if<ToolCall>(&seen.event); call != nullptr && call->name == "Bad")
            throw std::runtime_error{"I do not like it"};
    }
    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run&, Instant) const {
        return std::nullopt;
    }
};

}  // namespace

TEST_CASE("an event at which a host's detector throws is passed over, and said [M-008]") {
    RunClass rules = bench::minute_class();
    rules.detectors = {};
    rules.detectors.turn_on<Touchy>();
    Logged s{rules};
    s.log.call();
    s.log.events.push_back({ToolCall{"Bad", "{}", {}}, {}});
    s.log.call();
    s.session();
    CycleReport report;
    REQUIRE_NOTHROW(report = s.after(60s));
    CHECK_THAT(bench::errors_of(report), ContainsSubstring("source s: "));
    s.log.call();
    CHECK(s.after(60s).errors == 0);
    CHECK(s.log.cursors.back() == "3");
    REQUIRE(s.dog->flush());
    CHECK(s.stored_calls() == 4);
}
