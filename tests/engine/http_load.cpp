// Ten thousand runs that stall in the same cycle, and a web server that is to be told of them.
#include <heeler/notify/webhook_notifier.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include <heeler/alert/group.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/loopback.hpp"
#include "support/slowed.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using heeler_test::HttpSeen;

namespace {

constexpr std::size_t outcry = heeler_test::is_slowed ? 1000 : 10'000;

/// What is said to each message, by its number from 0, and what was said yes to, by key.
class CountingServer {
public:
    /// Every so many messages are refused, with the time after which to come again; 0: none.
    explicit CountingServer(std::size_t refused)
        : refused_{refused}, http_{[this](const HttpSeen& seen) { return answer(seen); }} {}

    [[nodiscard]] std::string url() const { return http_.url(); }
    [[nodiscard]] std::vector<HttpSeen> seen() const { return http_.seen(); }
    [[nodiscard]] std::map<std::string, int> taken() const {
        const std::lock_guard guard{lock_};
        return taken_;
    }

private:
    [[nodiscard]] std::string answer(const HttpSeen& seen) {
        const std::lock_guard guard{lock_};
        if (refused_ > 0 && asked_++ % refused_ == 0) return heeler_test::http_answer(429, "{}", "Retry-After: 7\r\n");
        ++taken_[seen.header("Idempotency-Key")];
        return heeler_test::http_answer(200);
    }

    std::size_t refused_;
    std::size_t asked_ = 0;
    mutable std::mutex lock_;
    std::map<std::string, int> taken_;
    heeler_test::LoopbackHttp http_;
};

/// Runs of one parent that stall together, with a real channel.
struct Outcry {
    CountingServer server;
    ManualClock clock{bench::start};
    MemoryStore memory;
    ScriptedControl control;
    std::size_t errors = 0;  ///< of all cycles
    Watchdog<ManualClock, MemoryStore, WebhookNotifier> dog{clock, memory, WebhookNotifier{{.url = server.url()}}};

    Outcry(std::size_t refused, Duration group_wait) : server{refused} {
        dog.attach(control);
        RunClass rules = bench::minute_class("children");
        rules.alerts.outbox.group_wait = group_wait;
        REQUIRE(dog.define(rules));
        for (std::size_t i = 0; i < outcry; ++i) {
            RunSpec spec = bench::spec_of(id(i));
            spec.parent = "boss";
            const auto run = dog.start(std::move(spec), "children");
            REQUIRE(run);
            (void)dog.observe(*run, Progress{1});
        }
        (void)dog.cycle();
    }

    [[nodiscard]] static std::string id(std::size_t number) { return "child " + std::to_string(number); }

    void after(Duration length) {
        clock.advance(length);
        errors += dog.cycle().errors;
    }

    /// The first alerts that are committed: of all runs, in one cycle.
    void stall() {
        for (int i = 0; i < 5 && dog.vitals().alerts_pending == 0 && server.seen().empty(); ++i) after(60s);
    }

    /// Of what was committed.
    [[nodiscard]] std::map<std::string, int> keys() {
        std::map<std::string, int> all;
        for (std::size_t i = 0; i < outcry; ++i) {
            const History history = *memory.history(id(i));
            for (const AlertRow& row : history.alerts) ++all[row.alert.key];
        }
        return all;
    }

    /// What each run's only alert has come to: how many there are of each.
    [[nodiscard]] std::map<std::string, std::size_t> outcomes() {
        std::map<std::string, std::size_t> count;
        for (std::size_t i = 0; i < outcry; ++i) {
            const History history = *memory.history(id(i));
            std::string text;
            for (const AlertRow& row : history.alerts)
                text += (text.empty() ? "" : ", ") + row.alert.kind + ": " +
                        (row.state == AlertRow::State::delivered ? "delivered" : reason_of(row));
            ++count[text];
        }
        return count;
    }
};

}  // namespace

TEST_CASE("ten thousand runs that stall in one cycle are one message of a web server's, and none is lost", "[engine]") {
    Outcry all{0, 30s};
    all.stall();
    CHECK(all.dog.vitals().alerts_pending == outcry);
    CHECK(all.server.seen().empty());
    all.after(30s);
    const auto seen = all.server.seen();
    REQUIRE(seen.size() == 1);
    const std::string count = std::to_string(outcry);
    CHECK_THAT(seen[0].body,
               ContainsSubstring("\"together\":" + count) &&
                   ContainsSubstring(" and " + std::to_string(outcry - 1 - detail::runs_named) + " more"));
    CHECK(all.dog.vitals().alerts_pending == 0);
    const auto outcomes = all.outcomes();
    REQUIRE(outcomes.size() == 2);
    CHECK(outcomes.at("run.unhealthy: delivered") == 1);
    CHECK(outcomes.at("run.unhealthy: told with " + seen[0].header("Idempotency-Key") + " of the run child 0") ==
          outcry - 1);
    for (int i = 0; i < 3; ++i) all.after(20s);
    CHECK(all.server.seen().size() == 1);
    CHECK(all.errors == 0);
}

TEST_CASE("ten thousand alerts of one cycle reach a web server that says 429 at times, each once", "[engine]") {
    Outcry all{50, 0s};
    all.stall();
    const std::size_t refused = (outcry + 49) / 50;
    CHECK(all.server.seen().size() == outcry);
    CHECK(all.server.taken().size() == outcry - refused);
    CHECK(all.dog.vitals().alerts_pending == refused);
    all.after(6s);
    CHECK(all.server.seen().size() == outcry);  // nobody comes before the time that was said
    for (int i = 0; i < 10 && all.dog.vitals().alerts_pending > 0; ++i) all.after(7s);
    CHECK(all.dog.vitals().alerts_pending == 0);
    CHECK(all.server.taken().size() == outcry);
    const bool each_once = all.server.taken() == all.keys();
    CHECK(each_once);
    CHECK(all.server.seen().size() == outcry + all.errors);
    const auto outcomes = all.outcomes();
    REQUIRE(outcomes.size() == 1);
    CHECK(outcomes.at("run.unhealthy: delivered") == outcry);
}
