// What the deliverer does while an alert is being sent by somebody who answers later.
#include <heeler/effects/deliverer.hpp>

#include <string>
#include <vector>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::House;

namespace {

/// Has begun to send what it is given, until it is told what came of it.
struct Slow {
    [[maybe_unused]] static constexpr std::string_view name = "slow";
    Result<Receipt> answer = fail(ErrorCode::under_way, "it is being sent");
    std::vector<std::uint32_t> attempts{};

    Result<Receipt> send(const Alert& alert) {
        attempts.push_back(alert.attempt);
        return answer;
    }
};

struct Waiting : House {
    RunHandle of = stored(rooms::bare_class());
    Slow slow;
    detail::NotifierEdge<Slow> port{slow};
    detail::Courier by{port, ledger, held_lease};
    detail::Deliverer own_deliverer{by, clock_port, process, ledger, registry, held_lease};

    Waiting() {
        own_deliverer.effects().control(detail::ControlRef{control});
        own_deliverer.freeze(false);
    }
    void alert(std::string action_key = {}) {
        AlertRow row;
        row.alert.key = "k";
        row.alert.run.id = "r";
        row.action_key = std::move(action_key);
        row.created_at = row.not_before = now().wall;
        at(of).alerts_pending = 1;
        own_deliverer.queues().add(detail::AlertJob{of, &at(of), row});
    }
    void escalation() {
        alert("escalate");
        Action action;
        action.kind = ActionKind::escalate;
        action.key = "escalate";
        action.intervention = 1;
        at(of).rung_busy = true;
        at(of).next_cycle = now().elapsed + 60s;
        own_deliverer.queues().add(detail::RungJob{of, &at(of), {action}, false});
    }
    std::string after(Duration length) {
        clock.advance(length);
        CycleReport report;
        own_deliverer.run(now(), report);
        return bench::acts_of(report) + (report.errors > 0 ? " !" : "");
    }
    [[nodiscard]] AlertRow row() { return history().alerts.at(0); }
    void later_it_fails() { slow.answer = fail(ErrorCode::delivery_failed, "it failed"); }
};

}  // namespace

TEST_CASE("an alert that is being sent is no failed attempt, and it is asked soon what became of it", "[effects]") {
    Waiting w;
    w.alert();
    CHECK(w.after(0s).empty());
    CHECK(w.after(100ms).empty());
    CHECK(w.slow.attempts == std::vector<std::uint32_t>{1});
    CHECK(w.after(100ms).empty());
    CHECK(w.slow.attempts == std::vector<std::uint32_t>{1, 1});
    CHECK(w.history().alerts.empty());  // nothing is known that was not
    w.slow.answer = Receipt{1, {"ada"}};
    CHECK(w.after(1s).empty());
    CHECK(w.row().state == AlertRow::State::delivered);
    CHECK(w.row().attempts == 1);
}

TEST_CASE("one that was being sent and failed is tried again later", "[effects]") {
    Waiting w;
    w.alert();
    CHECK(w.after(0s).empty());
    w.later_it_fails();
    CHECK(w.after(1s) == " !");
    CHECK(w.after(10s) == " !");
    CHECK(w.slow.attempts == std::vector<std::uint32_t>{1, 1, 2});
}

TEST_CASE("one that is being sent for ever is given up by age", "[effects]") {
    Waiting w;
    w.alert();
    for (int hour = 0; hour < 26; ++hour) (void)w.after(1h);
    CHECK(w.row().state == AlertRow::State::dead);
}

TEST_CASE("who has an alert of several is stored while others are asked", "[effects]") {
    Waiting w;
    w.alert();
    w.slow.answer.error().taken = {"pager"};
    CHECK(w.after(0s).empty());
    CHECK(w.row().state == AlertRow::State::pending);
    CHECK(w.row().attempts == 0);
    CHECK(w.row().alert.taken == std::vector<std::string>{"pager"});
    w.later_it_fails();
    w.slow.answer.error().taken = {"pager", "chat"};
    CHECK(w.after(1s) == " !");
    CHECK(w.row().alert.taken == std::vector<std::string>{"pager", "chat"});
}

TEST_CASE("a rung does not wait for its escalation that is being sent, which is told all the same", "[effects]") {
    Waiting w;
    w.escalation();
    CHECK(w.after(0s) == "escalate failed");
    CHECK_FALSE(w.at(w.of).rung_busy);
    CHECK(w.slow.attempts.size() == 1);
    w.at(w.of).run.state = RunState::completed;
    w.slow.answer = Receipt{};
    CHECK(w.after(1s).empty());
    CHECK(w.row().state == AlertRow::State::delivered);
    CHECK(w.row().attempts == 1);
}
