#include <heeler/storage/take_over.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::bare_class;
using rooms::House;

namespace {

/// What another watchdog stored of a run that it knows as well.
struct Other {
    House house;
    RunHandle run = house.run(bare_class());
    detail::WatchedRun& watched = house.at(run);

    [[nodiscard]] History row() {
        History known;
        known.row = RunRow{};
        known.row->id = "r";
        known.row->version = 9;
        known.row->facts = rooms::facts_of(watched, house.now());
        return known;
    }
};

}  // namespace

TEST_CASE("incident, attempts and marks come from the store, reports of this process stay", "[storage]") {
    Other other;
    other.watched.verdict.edit().incident.number = 2;
    other.watched.verdict.edit().incident.attempts = 1;
    other.watched.verdict.edit().told.acknowledged = true;
    other.watched.run.last_activity = 5s;
    other.watched.checkpoints.edit().steps = {1, 4};
    House mine;
    detail::WatchedRun& watched = mine.at(mine.run(bare_class()));
    watched.run.last_activity = 9s;
    watched.run.lines = 7;
    watched.checkpoints.edit().steps = {2, 4};
    watched.checkpoints.edit().last = {"mine", 2, 9s, CheckpointReason::scheduled};
    REQUIRE(detail::take_over(watched, other.row(), mine.now()));
    CHECK((watched.verdict->incident.number == 2 && watched.verdict->incident.attempts == 1));
    CHECK(watched.verdict->told.acknowledged);
    CHECK((watched.run.last_activity == 9s && watched.run.lines == 7));
    CHECK(watched.checkpoints->steps == std::vector<std::int64_t>{1, 2, 4});
    CHECK(watched.checkpoints->last.text == "mine");
}

TEST_CASE("a state that was told here counts more than a stored one, unless that is an end", "[storage]") {
    Other other;
    House mine;
    const RunHandle run = mine.run(bare_class());
    detail::WatchedRun& watched = mine.at(run);
    mine.tell(run, StateChange{RunState::rate_limited, {}, mine.now().wall + 60s, {}});
    REQUIRE(detail::take_over(watched, other.row(), mine.now()));
    CHECK(watched.run.state == RunState::rate_limited);
    CHECK(watched.run.waiting_since == mine.now().elapsed);
    CHECK(watched.rare->waits_until == mine.now().elapsed + 60s);
    other.watched.run.state = RunState::completed;
    REQUIRE(detail::take_over(watched, other.row(), mine.now()));
    CHECK(watched.run.state == RunState::completed);
}

TEST_CASE("of an agent that was replaced meanwhile only the end of its run counts", "[storage]") {
    Other other;
    other.watched.run.incarnation = 2;
    House mine;
    const RunHandle run = mine.run(bare_class());
    detail::WatchedRun& watched = mine.at(run);
    watched.unsaved.edit().checkpoints = {{1, 1, {}, 1, "by the first", {}}, {2, 2, {}, 2, "by the second", {}}};
    mine.tell(run, StateChange{RunState::waiting_human, {}, {}, {}});
    watched.run.lines = 7;
    History stored = other.row();
    stored.checkpoints.resize(5);
    REQUIRE(detail::take_over(watched, stored, mine.now()));
    CHECK((watched.run.state == RunState::running && watched.run.lines == 0));
    REQUIRE(watched.unsaved->checkpoints.size() == 1);
    CHECK((watched.unsaved->checkpoints[0].text == "by the second" && watched.unsaved->checkpoints[0].number == 6));
    watched.run.incarnation = 1;
    mine.tell(run, StateChange{RunState::completed, {}, {}, {}});
    REQUIRE(detail::take_over(watched, other.row(), mine.now()));
    CHECK(watched.run.state == RunState::completed);
}

TEST_CASE("what became of an alert is not lost unless whoever was faster knows it", "[storage]") {
    Other other;
    House mine;
    detail::WatchedRun& watched = mine.at(mine.run(bare_class()));
    for (const char* const key : {"known", "stored", "news"}) {
        watched.note({detail::Fate::What::dead, key, "run.unhealthy", mine.now().wall, 0});
        AlertRow row;
        row.alert.key = key;
        row.state = AlertRow::State::dead;
        if (key != std::string_view{"stored"}) watched.unsaved.edit().alerts.push_back(row);
    }
    History stored = other.row();
    stored.alerts.push_back(watched.unsaved->alerts.front());
    REQUIRE(detail::take_over(watched, stored, mine.now()));
    REQUIRE(rooms::fates_of(watched).size() == 1);
    CHECK(rooms::fates_of(watched).front().key == "news");
    CHECK(watched.unsaved->alerts.size() == 1);
}

TEST_CASE("what was seen before another one has intervened is no evidence any more", "[storage]") {
    Other other;
    ++other.watched.verdict.edit().watermark;
    House mine;
    RunClass rules = bare_class();
    rules.detectors.turn_on<LoopDetector<Call>>({{1, 32, 3, 5, 200}, {}});
    const RunHandle run = mine.run(rules);
    detail::WatchedRun& watched = mine.at(run);
    for (int i = 0; i < 6; ++i) mine.tell(run, ToolCall{"grep", "{}", {}});
    REQUIRE(rooms::found(watched, mine.now()).size() == 1);
    REQUIRE(detail::take_over(watched, other.row(), mine.now()));
    CHECK(rooms::found(watched, mine.now()).empty());
}

TEST_CASE("facts that cannot be read change nothing", "[storage]") {
    Other other;
    other.watched.verdict.edit().incident.number = 2;
    History stored = other.row();
    House mine;
    detail::WatchedRun& watched = mine.at(mine.run(bare_class()));
    const std::string before = rooms::facts_of(watched, mine.now());
    for (const bool longer : {true, false}) {
        History damaged = stored;
        longer ? damaged.row->facts.push_back('x') : damaged.row->facts.pop_back();
        CHECK_FALSE(detail::take_over(watched, damaged, mine.now()));
        CHECK(rooms::facts_of(watched, mine.now()) == before);
    }
}

TEST_CASE("what takes long is what was said last, here or elsewhere [M-191]", "[storage]") {
    Other other;
    House mine;
    const RunHandle run = mine.run(bare_class());
    detail::WatchedRun& watched = mine.at(run);
    const auto says = [](House& house, detail::WatchedRun& of, Expect what) {
        CHECK(detail::Folder{of, house.now()}.expect(what));
    };
    says(other.house, other.watched, {60s, "theirs"});
    REQUIRE(detail::take_over(watched, other.row(), mine.now()));
    REQUIRE(watched.run.excuses->open.size() == 1);
    CHECK(watched.run.excuses->open[0].what == "theirs");
    says(mine, watched, {.over = true});
    says(mine, watched, {90s, "mine"});
    REQUIRE(detail::take_over(watched, other.row(), mine.now()));
    REQUIRE(watched.run.excuses->open.size() == 1);
    CHECK((watched.run.excuses->open[0].what == "mine" && watched.run.excuses->until == 90s));
    other.watched.run.incarnation = 2;  // whoever said so was replaced
    REQUIRE(detail::take_over(watched, other.row(), mine.now()));
    CHECK(watched.run.excuses->open[0].what == "theirs");
}

TEST_CASE("of the runs below it the most counts that either watchdog was told [M-192]", "[storage]") {
    Other other;
    House mine;
    detail::WatchedRun& watched = mine.at(mine.run(bare_class()));
    const Elapsed early = mine.now().elapsed - 9s, late = mine.now().elapsed - 2s;
    other.watched.run.children.edit() = {.progress = late, .last_end = early, .told = 9};
    watched.run.children.edit() = {.progress = early, .last_end = late, .told = 5};
    REQUIRE(detail::take_over(watched, other.row(), mine.now()));
    CHECK((watched.run.children->progress == late && watched.run.children->last_end == late));
    CHECK(watched.run.children->told == 9);
}
