#include <heeler/tree/task_tree_rule.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/archive.hpp>
#include <heeler/core/detector.hpp>
#include <heeler/text/append.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

constexpr WallTime rule_time{1'800'000'000s};

std::string stop_of(char digit) { return "task_watchdog_stop:" + std::string(64, digit); }

/// What a watch learns, one thing after the other.
struct Watching {
    TaskTreeRule rule;
    TreeSettings settings;
    WatchState state;
    Run run;

    Watching() { run.id = "tree:co-1/A"; }

    void tell(std::string_view name, std::string_view text, Duration when = {}) {
        Observation seen;
        seen.at = when;
        seen.event = Reading{name, text};
        rule.learn(state, settings, seen);
    }
    void change(WatchChange change) { tell(TaskTreeRule::change_reading, encoded(std::move(change))); }
    void arm(std::string agent = "ag-w", bool by_person = true) {
        change({{"co-1", "A", std::move(agent), {}}, true, by_person, rule_time});
    }
    void look(TreeLook seen, Duration when = {}) { tell(TaskTreeRule::look_reading, encoded(std::move(seen)), when); }
    void intend(Duration when = {}) {
        Observation seen;
        seen.at = when;
        seen.event = Watermark{};
        rule.learn(state, settings, seen);
    }
    void acted(ActionKind kind, ActionOutcome outcome, std::string_view note = {},
               OutcomeFrom from = OutcomeFrom::answer, Duration when = {}) {
        Observation seen;
        seen.at = when;
        seen.event = Acted{kind, outcome, note, from};
        rule.learn(state, settings, seen);
    }
    [[nodiscard]] std::optional<Finding> found(Duration now = {}) {
        return rule.check(state, settings, run, Instant{Elapsed{now}, {}});
    }
    /// What people are told about what is found, as "name: value".
    [[nodiscard]] std::string told(Duration now = {}) {
        std::string text;
        REQUIRE(found(now));
        for (const Detail& detail : rule.details(state, settings, run, *found(now)))
            text += detail.name + ": " + detail.value + "\n";
        return text;
    }
    /// A stop is found, and somebody woken for it.
    void wake(const TreeLook& seen) {
        look(seen);
        intend();
        acted(ActionKind::review, ActionOutcome::done, "V");
        acted(ActionKind::wake, ActionOutcome::done);
    }
};

TreeLook stopped_look(const std::string& fingerprint, std::uint32_t attempt = 1) {
    TreeLook look;
    look.at = rule_time;
    look.verdict = TreeVerdict::stopped;
    look.due = TreeDue::wake;
    look.fingerprint = fingerprint;
    look.attempt = look.number = attempt;
    look.leaf_count = 2;
    look.leaves = {{"B", "blocked", {}, {}, {}, {}, {}}, {"C", "done", {}, {}, {}, {}, {}}};
    look.leaf_ids = {"B", "C"};
    return look;
}

TreeLook reviewed_look(const std::string& fingerprint) {
    TreeLook look;
    look.at = rule_time + 60s;
    look.verdict = TreeVerdict::already_reviewed;
    look.fingerprint = look.reviewed = fingerprint;
    return look;
}

}  // namespace

TEST_CASE("what a host changes is folded once, and raises the revision [M-144][M-152]") {
    Watching at;
    at.arm();
    CHECK(at.state.active);
    CHECK(at.state.revision == 1);
    at.arm();
    CHECK(at.state.revision == 1);  // nothing changed
    at.arm("ag-2", false);
    CHECK(at.state.revision == 2);
    CHECK(at.state.config.agent == "ag-2");
    at.change({at.state.config, false, true, rule_time});
    CHECK_FALSE(at.state.active);
    CHECK(at.state.config.agent == "ag-2");
    at.change({at.state.config, false, true, rule_time});
    CHECK(at.state.revision == 2);
    at.arm("ag-2", false);
    CHECK(at.state.revision == 3);
    at.state.escalated = true;
    at.arm("ag-2", false);
    CHECK(at.state.escalated);  // only people take back what is theirs
    at.arm("ag-2", true);
    CHECK_FALSE(at.state.escalated);
    CHECK(at.state.revision == 4);
}

TEST_CASE("a stop is found until a rung for it is stored, and once [M-158]") {
    Watching at;
    at.arm();
    CHECK_FALSE(at.found());
    at.look(stopped_look(stop_of('a')));
    REQUIRE(at.found());
    CHECK(at.found()->condition == TreeCondition::stopped);
    CHECK(TaskTreeRule::describe(*at.found()) == "The whole tree has come to rest (2 leaves)");
    CHECK(at.state.triggers == 0);
    at.intend();
    CHECK_FALSE(at.found());
    CHECK(at.state.triggers == 1);
    CHECK(at.state.lineage == stop_of('a'));
    CHECK(at.state.order.open);
    CHECK(at.state.times_woken(detail::short_of(stop_of('a'))) == 1);
    at.intend();  // a rung of something else
    CHECK(at.state.triggers == 1);
}

TEST_CASE("a review is bound when it is certain that it is there [M-157][M-163]") {
    Watching at;
    at.arm();
    at.look(stopped_look(stop_of('a')));
    at.intend();
    at.acted(ActionKind::review, GENERATE(ActionOutcome::failed, ActionOutcome::rejected, ActionOutcome::unknown),
             "no");
    at.acted(ActionKind::wake, ActionOutcome::blocked);
    CHECK(at.state.bound.empty());
    CHECK(at.state.review.empty());
    CHECK(at.state.order.open);
    at.acted(ActionKind::review, ActionOutcome::done, "V");
    CHECK(at.state.bound == stop_of('a'));
    CHECK(at.state.review == "V");
    CHECK(at.state.order.open);
    at.acted(ActionKind::wake, GENERATE(ActionOutcome::done, ActionOutcome::unknown));
    CHECK_FALSE(at.state.order.open);
}

TEST_CASE("what is said of an action is no task, and what its host shows is [M-157]") {
    Watching at;
    at.arm();
    at.look(stopped_look(stop_of('a')));
    at.intend();
    at.acted(ActionKind::review, ActionOutcome::done, "found when it was looked up", OutcomeFrom::look_up);
    CHECK(at.state.review.empty());
    CHECK(at.state.bound == stop_of('a'));
    TreeLook look = stopped_look(stop_of('a'));
    look.due = TreeDue::nothing;
    look.review = "another watch's";
    at.look(look);
    CHECK(at.state.review.empty());
    look.review = "V\n1";
    look.adopted = true;
    at.look(look);
    CHECK(at.state.review == "V\n1");
}

TEST_CASE("in shadow mode nobody was woken") {
    Watching at;
    at.arm();
    at.look(stopped_look(stop_of('a')));
    at.intend();
    at.acted(ActionKind::review, ActionOutcome::done, "shadow mode", OutcomeFrom::shadow);
    at.acted(ActionKind::wake, ActionOutcome::done, "shadow mode", OutcomeFrom::shadow);
    CHECK(at.state.bound.empty());
    CHECK(at.state.review.empty());
    CHECK(at.state.order.open);
    CHECK(at.state.order.left_out == rule_time);
    CHECK_FALSE(at.rule.record_action(at.state, at.settings, at.run, ActionKind::wake, ActionOutcome::done));
}

TEST_CASE("the same wake once more counts as one [M-158][M-171]") {
    Watching at;
    at.arm();
    at.look(stopped_look(stop_of('a')));
    at.intend();
    TreeLook again = stopped_look(stop_of('a'));
    again.retried = true;
    at.look(again);
    at.intend();
    CHECK(at.state.triggers == 1);
    CHECK(at.state.attempts.size() == 1);
    CHECK(at.state.order.open);
    at.wake(stopped_look(stop_of('a'), 2));
    CHECK(at.state.triggers == 2);
    CHECK(at.state.attempts.size() == 2);
    at.wake(stopped_look(stop_of('b')));
    CHECK(at.state.attempts.size() == 1);
    CHECK(at.state.triggers == 3);
}

TEST_CASE("a reviewed stop ends what was tried for it, and nothing else [M-163][M-171]") {
    Watching at;
    at.arm();
    at.wake(stopped_look(stop_of('a')));
    at.look(reviewed_look(stop_of('b')));  // an older one
    CHECK(at.state.reviewed == stop_of('b'));
    CHECK(at.state.lineage == stop_of('a'));
    at.look(reviewed_look(stop_of('a')));
    CHECK(at.state.reviewed == stop_of('a'));
    CHECK(at.state.completed == rule_time + 60s);
    CHECK(at.state.lineage.empty());
    CHECK(at.state.attempts.empty());
    CHECK(at.state.triggers == 1);
}

TEST_CASE("what is used up is a person's once [M-172]") {
    Watching at;
    at.arm();
    at.wake(stopped_look(stop_of('a')));
    TreeLook used_up = stopped_look(stop_of('a'));
    used_up.due = TreeDue::escalate;
    used_up.leaf_count = 9;
    at.look(used_up);
    REQUIRE(at.found());
    CHECK(at.found()->condition == TreeCondition::unrestored);
    CHECK_THAT(TaskTreeRule::describe(*at.found()), ContainsSubstring("after 1 review"));
    CHECK_THAT(at.told(), ContainsSubstring("stopped: B: blocked, C: done, and 7 more\nreviewer: ag-w\nreview: V\n") &&
                              ContainsSubstring("done: the reviewer was woken 1 time for this stop\n") &&
                              ContainsSubstring(R"("attempt":1)") && ContainsSubstring(stop_of('a')));
    at.intend();
    CHECK(at.state.escalated);
    CHECK_FALSE(at.found());
}

TEST_CASE("a silent review is found when its time is over, counted from the newest sign of life or wake [M-164]") {
    Watching at;
    at.arm();
    at.wake(stopped_look(stop_of('a')));
    TreeLook silent = stopped_look(stop_of('a'), 2);
    silent.verdict = TreeVerdict::review_open;
    silent.when_silent = true;
    silent.sign = 7;
    at.look(silent, 10min);
    CHECK_FALSE(at.found(70min - 1s));
    at.intend(69min);  // a rung of something else
    REQUIRE(at.found(70min));
    CHECK(at.found(70min)->condition == TreeCondition::stopped);
    CHECK(TaskTreeRule::describe(*at.found(70min)) ==
          "The review of the stopped tree shows no sign of life for 60 minutes");
    at.run.seen_from = 40min;  // the watchdog was away
    CHECK_FALSE(at.found(70min));
    CHECK(at.found(100min));
    at.look(silent, 90min);
    CHECK(at.found(100min));  // no news
    at.intend(100min);
    CHECK(at.state.reminded);
    CHECK(at.state.triggers == 2);
    silent.due = TreeDue::escalate;
    at.look(silent, 101min);
    CHECK_FALSE(at.found(160min - 1s));
    REQUIRE(at.found(160min));
    CHECK(at.found(160min)->condition == TreeCondition::unreviewed);
    CHECK_THAT(at.told(160min), ContainsSubstring(R"("outcome":"silent",)"));
    ++silent.sign;
    at.look(silent, 150min);
    CHECK_FALSE(at.found(160min));
    at.intend(210min);
    CHECK(at.state.escalated);
    at.look(reviewed_look(stop_of('a')), 220min);
    CHECK_FALSE((at.state.reminded || at.state.escalated));
}

TEST_CASE("who is asked to look because a host refuses is shown, until it wakes somebody [M-177]") {
    Watching at;
    at.arm();
    at.look(stopped_look(stop_of('a')));
    at.intend();
    at.acted(ActionKind::wake, ActionOutcome::rejected);
    CHECK_FALSE(at.state.escalated);
    at.acted(ActionKind::escalate, ActionOutcome::done);
    CHECK(at.state.escalated);
    CHECK(at.state.order.open);
    at.acted(ActionKind::wake, ActionOutcome::done);
    CHECK_FALSE(at.state.escalated);
}

TEST_CASE("that a host refuses three times is found once, and told with what stopped and who reviews [M-164]") {
    Watching at;
    at.arm();
    at.look(stopped_look(stop_of('a')));
    at.intend();
    const ActionKind refused = GENERATE(ActionKind::review, ActionKind::wake);
    for (int time = 1; time <= 6; ++time) {
        at.acted(refused, GENERATE(ActionOutcome::failed, ActionOutcome::rejected), "no\nagent");
        CHECK(at.found().has_value() == (time == 3));
        if (time != 3) continue;
        CHECK(at.found()->condition == TreeCondition::refused);
        CHECK(TaskTreeRule::describe(*at.found()) == "The host refused what it was asked for 3 times in a row");
        CHECK_THAT(at.told(), ContainsSubstring("stopped: B: blocked, C: done\nreviewer: ag-w\n") &&
                                  ContainsSubstring(text::concat("done: the host refused the ", name_of(refused),
                                                                 " 3 times in a row, at last with: no agent\n")) &&
                                  ContainsSubstring(R"("outcome":"refused")"));
        at.intend();
    }
    at.acted(ActionKind::wake, ActionOutcome::done);
    CHECK(encoded(HostAnswers{at.state.host}) == encoded(HostAnswers{}));
}

TEST_CASE("that nobody knows whether somebody was woken is found once, unless the tree moves meanwhile [M-158]") {
    Watching at;
    at.arm();
    at.look(stopped_look(stop_of('a')));
    at.intend();
    at.acted(ActionKind::review, ActionOutcome::done, "V");
    at.acted(ActionKind::wake, ActionOutcome::unknown, "timeout");
    REQUIRE(at.found());
    CHECK(at.found()->condition == TreeCondition::unclear);
    CHECK_THAT(at.told(), ContainsSubstring(
                              "done: nobody knows whether the wake that the host was asked for happened: timeout\n") &&
                              ContainsSubstring(R"("outcome":"unknown")"));
    SECTION("told") {
        at.intend();
        at.acted(ActionKind::escalate, ActionOutcome::done);
    }
    SECTION("it moves") {
        TreeLook moves;
        moves.verdict = TreeVerdict::live;
        at.look(moves);
    }
    SECTION("it is not watched any more") { at.change({at.state.config, false, true, rule_time}); }
    CHECK_FALSE(at.found());
}

TEST_CASE("the history tells the moment of each wake, though the tree was looked at before [M-175]") {
    Watching at;
    at.arm();
    at.look(stopped_look(stop_of('a')), 5min);
    at.intend(5min);
    at.acted(ActionKind::wake, ActionOutcome::done, {}, OutcomeFrom::answer, 5min);
    TreeLook silent = stopped_look(stop_of('a'), 2);
    silent.when_silent = true;
    at.look(silent, 6min);
    at.intend(66min);
    REQUIRE(at.state.attempts.size() == 2);
    CHECK(at.state.attempts[0].at == rule_time);
    CHECK(at.state.attempts[0].outcome == WakeOutcome::silent);
    CHECK(at.state.attempts[1].at == rule_time + 60min);
    CHECK(at.state.triggered == rule_time + 60min);
    at.acted(ActionKind::wake, ActionOutcome::done, {}, OutcomeFrom::shadow, 67min);
    CHECK(at.state.order.left_out == rule_time + 61min);
}

TEST_CASE("what a reviewer was refused is part of its attempt, the newest of it [M-172][M-176]") {
    Watching at;
    at.arm();
    const auto deny = [&](std::vector<std::string> what) {
        at.tell(TaskTreeRule::guard_reading, encoded(GuardNote{{}, {}, std::move(what)}));
    };
    deny({"of nobody"});
    at.wake(stopped_look(stop_of('a')));
    deny({"1"});
    at.wake(stopped_look(stop_of('a'), 2));
    deny({"2", "3"});
    deny({"4", "5"});
    TreeLook used_up = stopped_look(stop_of('a'));
    used_up.due = TreeDue::escalate;
    at.look(used_up);
    CHECK_THAT(at.told(), ContainsSubstring("for this stop; 5 of its changes were refused, at last 5\n") &&
                              ContainsSubstring(R"("denials":1,"denied":["1"])") &&
                              ContainsSubstring(R"("denials":4,"denied":["3","4","5"])") &&
                              !ContainsSubstring("nobody"));
    at.look(reviewed_look(stop_of('a')));
    CHECK(at.state.attempts.empty());
}

TEST_CASE("only a wake that happened can have been in vain [M-171]") {
    Watching at;
    at.arm();
    at.wake(stopped_look(stop_of('a')));
    TreeLook again = stopped_look(stop_of('a'), 2);
    again.restored = true;
    at.look(again);
    CHECK(at.state.attempts.back().outcome == WakeOutcome::restored);
    at.intend();
    at.acted(ActionKind::review, ActionOutcome::failed);
    at.look(again);  // the task still says what it said
    CHECK(at.state.attempts.back().outcome == WakeOutcome::refused);
}

TEST_CASE("what is asked of a host has a key for the one effect that it is to have [M-158]") {
    Watching at;
    at.arm();
    at.look(stopped_look(stop_of('a'), 2));
    const auto order = [&](ActionKind kind) { return at.rule.compose_action(at.state, at.settings, at.run, kind); };
    CHECK(order(ActionKind::review)->key == "task_watchdog_review:tree:co-1/A:" + stop_of('a') + ":attempt:2");
    CHECK(order(ActionKind::wake)->key == "task_watchdog:tree:co-1/A:" + stop_of('a') + ":attempt:2");
    CHECK_THAT(order(ActionKind::review)->text, ContainsSubstring("started") && ContainsSubstring("- B: blocked"));
    CHECK_THAT(order(ActionKind::wake)->text, ContainsSubstring(R"("watchedIssueId":"A")"));
    CHECK_FALSE(order(ActionKind::escalate));
    CHECK_FALSE(order(ActionKind::block));
}

TEST_CASE("a stop is on record as soon as its review is there, once, whatever comes of the wake [M-175]") {
    Watching at;
    at.arm();
    at.look(stopped_look(stop_of('a')));
    at.intend();
    const auto record = [&](ActionKind kind, ActionOutcome outcome) {
        return at.rule.record_action(at.state, at.settings, at.run, kind, outcome);
    };
    at.acted(ActionKind::review, ActionOutcome::failed);
    CHECK_FALSE(record(ActionKind::review, ActionOutcome::failed));
    const auto again = [&] {
        at.state.host = {};  // a person has heard of it
        TreeLook retried = stopped_look(stop_of('a'));
        retried.retried = true;
        at.look(retried);
        at.intend();
        at.acted(ActionKind::review, ActionOutcome::done, "V");
        at.acted(ActionKind::wake, GENERATE(ActionOutcome::done, ActionOutcome::failed, ActionOutcome::unknown));
    };
    again();
    REQUIRE(record(ActionKind::review, ActionOutcome::done));
    CHECK(record(ActionKind::review, ActionOutcome::done)->kind == "issue.task_watchdog_triggered");
    CHECK_THAT(record(ActionKind::review, ActionOutcome::done)->body,
               ContainsSubstring(R"("watchdogIssueId":"V")") && ContainsSubstring(R"("stoppedLeaves":["B","C"])"));
    CHECK_FALSE(record(ActionKind::wake, ActionOutcome::done));
    again();
    CHECK_FALSE(record(ActionKind::review, ActionOutcome::done));
    at.state.host = {};
    at.wake(stopped_look(stop_of('b')));
    CHECK(record(ActionKind::review, ActionOutcome::done));
    at.acted(ActionKind::review, ActionOutcome::done, {}, OutcomeFrom::shadow);
    CHECK_FALSE(record(ActionKind::review, ActionOutcome::done));
}

TEST_CASE("the newest batch and the newest pin are remembered, each as long as it counts [M-170][M-173]") {
    Watching at;
    ScopePin pin;
    pin.run = "r-1";
    at.arm();
    at.tell(TaskTreeRule::guard_reading, encoded(GuardNote{BatchReceipt{"r-1", "q-1", {}}, {}, {}}));
    at.tell(TaskTreeRule::guard_reading, encoded(GuardNote{{}, pin, {}}));
    REQUIRE((at.state.batch && at.state.pin));
    CHECK(at.state.batch->request_id == "q-1");
    CHECK(at.state.pin == pin);
    at.wake(stopped_look(stop_of('a')));  // another stop, another run
    CHECK((at.state.batch && !at.state.pin));
}

TEST_CASE("damaged readings change nothing") {
    Watching at;
    at.arm();
    at.look(stopped_look(stop_of('a')));
    const std::string before = encoded(WatchState{at.state});
    const std::string look = encoded(stopped_look(stop_of('b'))),
                      change = encoded(WatchChange{{}, false, true, rule_time});
    for (const std::string_view name : {TaskTreeRule::look_reading, TaskTreeRule::change_reading,
                                        TaskTreeRule::guard_reading, std::string_view{"other"}}) {
        at.tell(name, "");
        at.tell(name, "nonsense");
        at.tell(name, std::string(1000, '\xff'));
        for (const std::string& text : {look, change})
            for (std::size_t length = 1; length < text.size(); length += 7) at.tell(name, text.substr(0, length));
        at.tell(name, look + "more");
    }
    CHECK(encoded(WatchState{at.state}) == before);
}

TEST_CASE("what a watch remembers survives saving and loading, and damage is not taken for it") {
    Watching at;
    at.arm();
    at.wake(stopped_look(stop_of('a')));
    at.tell(TaskTreeRule::guard_reading, encoded(GuardNote{BatchReceipt{"r-1", "q-1", {}}, ScopePin{}, {"no"}}));
    at.look(stopped_look(stop_of('b')));
    const std::string saved = encoded(WatchState{at.state});
    const auto loaded = decoded<WatchState>(saved);
    REQUIRE(loaded);
    CHECK(encoded(WatchState{*loaded}) == saved);
    CHECK(loaded->config == at.state.config);
    CHECK(loaded->look.leaves == at.state.look.leaves);
    CHECK(loaded->batch == at.state.batch);
    for (std::size_t length = 0; length < saved.size(); ++length)
        CHECK_FALSE(decoded<WatchState>(saved.substr(0, length)));
    CHECK_FALSE(decoded<WatchState>(saved + "x"));
    for (std::size_t i = 0; i < saved.size(); ++i) {  // whatever it is, it can be read without harm
        std::string damaged = saved;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x5a);
        if (const auto read = decoded<WatchState>(damaged)) CHECK(read->look.verdict <= TreeVerdict::review_live);
    }
}

TEST_CASE("settings of the task tree rule that cannot be meant are refused [M-172]") {
    CHECK(TaskTreeRule::validate({}));
    CHECK(TaskTreeRule::validate({{}, 1}));
    CHECK(TaskTreeRule::validate({{}, 20}));
    CHECK_FALSE(TaskTreeRule::validate({{}, 0}));
    CHECK_FALSE(TaskTreeRule::validate({{}, 21}));
    CHECK_FALSE(TaskTreeRule::validate({{-1s}, 3}));
    CHECK_FALSE(TaskTreeRule::validate({{}, 3, -1s}));
    CHECK_FALSE(TaskTreeRule::validate({{}, 3, 6h, 0s}));
    static_assert(check_detector<TaskTreeRule>());
}
