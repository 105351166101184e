#include <heeler/effects/queues.hpp>

#include <thread>

#include "support/rooms.hpp"
#include "support/slowed.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::AlertJob;
using detail::Queues;
using detail::RungJob;

namespace {

AlertJob alert_job(const std::string& key, Duration later = {}, const std::string& action_key = {}) {
    AlertJob job;
    job.row.alert.key = key;
    job.row.not_before = bench::start.wall + later;
    job.row.action_key = action_key;
    return job;
}

RungJob rung_job(const std::string& key) {
    RungJob job;
    job.actions.resize(1);
    job.actions[0].key = key;
    return job;
}

std::string due_keys(Queues& queues, Duration after = {}) {
    std::string keys;
    for (const AlertJob& job : queues.take_due_alerts({bench::start.elapsed + after, bench::start.wall + after}))
        keys += job.row.alert.key + " ";
    return keys;
}

}  // namespace

TEST_CASE("alerts are due in their order, each once, and those for later stay", "[effects]") {
    Queues queues;
    CHECK_FALSE(queues.next(bench::start));
    queues.add(alert_job("b"));
    queues.add(alert_job("later", 5s));
    queues.add(alert_job("a"));
    CHECK(queues.next(bench::start) == bench::start.elapsed);
    CHECK(due_keys(queues) == "b a ");
    CHECK(due_keys(queues).empty());
    CHECK(queues.next(bench::start) == bench::start.elapsed + 5s);
    CHECK(due_keys(queues, 5s) == "later ");
    CHECK_FALSE(queues.next(bench::start));
}

TEST_CASE("an alert that another process has tried waits an hour at most: its clock may have been ahead", "[effects]") {
    const auto taken_over = [](Duration later) {
        AlertJob job = alert_job("tried", later);
        job.row.created_at = bench::start.wall - 1min;
        job.row.attempts = 1;
        Queues queues;
        queues.add(std::move(job));
        return due_keys(queues);
    };
    CHECK(taken_over(59min).empty());
    CHECK(taken_over(61min) == "tried ");
    CHECK(taken_over(24h) == "tried ");
    AlertJob mine = alert_job("mine", 2h);
    mine.row.attempts = 1;
    mine.wait = 2h;
    Queues queues;
    queues.add(std::move(mine));
    CHECK(due_keys(queues).empty());
}

TEST_CASE("an alert that a waiting rung will send is left to it, unless it was tried before", "[effects]") {
    Queues queues;
    queues.add(rung_job("escalate"));
    queues.add(alert_job("of the rung", {}, "escalate"));
    AlertJob tried = alert_job("tried", {}, "escalate");
    tried.row.attempts = 1;
    queues.add(std::move(tried));
    CHECK(queues.next(bench::start) == bench::start.elapsed);
    CHECK(due_keys(queues) == "tried ");
    AlertJob taken;
    CHECK_FALSE(queues.take_alert("another", taken));
    CHECK(queues.take_alert("escalate", taken));
    CHECK(taken.row.alert.key == "of the rung");
    CHECK_FALSE(queues.take_alert("escalate", taken));
    CHECK(queues.take_due_rungs(Elapsed::max()).size() == 1);
    CHECK(queues.take_due_rungs(Elapsed::max()).empty());
}

TEST_CASE("alerts of thousands of actions are found by their action, and two of one action in their order",
          "[effects]") {
    Queues queues;
    constexpr int count = heeler_test::is_slowed ? 2'000 : 20'000;
    for (int i = 0; i < count; ++i) {
        queues.add(rung_job("action " + std::to_string(i)));
        queues.add(alert_job("alert " + std::to_string(i), {}, "action " + std::to_string(i)));
    }
    queues.add(alert_job("second", {}, "action 7"));
    CHECK(due_keys(queues).empty());
    AlertJob taken;
    for (int i = count; i-- > 0;) {
        const std::string number = std::to_string(i);
        if (!queues.find_alert("action " + number) || !queues.take_alert("action " + number, taken)) FAIL(number);
        if (taken.row.alert.key != "alert " + number) FAIL(taken.row.alert.key);
    }
    CHECK(queues.take_alert("action 7", taken));
    CHECK(taken.row.alert.key == "second");
    CHECK_FALSE(queues.take_alert("action 7", taken));
    CHECK(queues.waiting_alerts().first == 0);
}

TEST_CASE("whoever looks meanwhile finds all that follows from a commit, or nothing of it", "[effects]") {
    constexpr std::size_t each = 50, commits = 200;
    Queues queues;
    std::size_t found = 0, parts = 0;
    std::thread other{[&] {
        while (found < each * commits) {
            const std::size_t now = queues.take_due_alerts(bench::start).size();
            found += now;
            parts += now % each == 0 ? 0 : 1;
        }
    }};
    for (std::size_t commit = 0; commit < commits; ++commit) {
        List<AlertJob> alerts(each, alert_job("a"));
        queues.add({}, std::move(alerts));
    }
    other.join();
    CHECK(parts == 0);
}

TEST_CASE("a rung that waits for a later look is due then, or when somebody asks for everything", "[effects]") {
    Queues queues;
    RungJob job = rung_job("spawn");
    job.due = bench::start.elapsed + 60s;
    queues.add(std::move(job));
    CHECK(queues.next(bench::start) == bench::start.elapsed + 60s);
    CHECK(queues.take_due_rungs(bench::start.elapsed + 59s).empty());
    queues.hasten();
    CHECK(queues.take_due_rungs(bench::start.elapsed).size() == 1);
}

TEST_CASE("a run is settled once for each rung that was carried out", "[effects]") {
    Queues queues;
    CHECK_FALSE(queues.has_settled());
    queues.add_settled({3, 1});
    queues.add_settled({1, 1});
    CHECK(queues.has_settled());
    CHECK(queues.take_settled() == std::vector<RunHandle>{{3, 1}, {1, 1}});
    CHECK_FALSE(queues.has_settled());
}
