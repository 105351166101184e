#include <heeler/detect/loop.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/detector.hpp>
#include <heeler/detect/block_ring.hpp>
#include <heeler/testing/detector_contract.hpp>
#include <heeler/text/line_splitter.hpp>

#include "support/catch.hpp"

namespace loops_loop {

using namespace heeler;

namespace {

/// What happened, so that it can be told more than once and in other words.
struct Event {
    enum class Kind { call, result, says, user, automatic, line, compaction, watermark };

    Kind kind = Kind::call;
    std::string name{};
    std::string text{};
    std::string id{};
    std::optional<bool> ok{};
    std::optional<std::uint32_t> turn{};
    double after = 1;  ///< seconds
};

struct Verdict {
    Level level = Level::none;
    std::string rule{};
    std::uint64_t identity = 0;

    friend bool operator==(const Verdict&, const Verdict&) = default;
};

/// A run as the engine tells it to the detector.
class Told {
public:
    explicit Told(Loop::Settings settings = {}) : settings_{std::move(settings)} {}

    Told& tell(const Event& event) {
        at_ += event.after;
        Observation seen;
        seen.at = Duration{static_cast<std::int64_t>(at_ * 1e6)};
        seen.index = index_++;
        switch (event.kind) {
            case Event::Kind::call: {
                ToolCall call{event.name, event.text, event.id};
                call.turn = event.turn;
                seen.event = call;
                break;
            }
            case Event::Kind::result:
                seen.event = ToolResult{event.ok, event.text, event.id};
                break;
            case Event::Kind::says:
                seen.event = Message{true, event.text};
                break;
            case Event::Kind::user:
                seen.event = Message{false, event.text};
                break;
            case Event::Kind::automatic:
                seen.event = Message{false, event.text, MessageChannel::user, true};
                break;
            case Event::Kind::line:
                seen.event = Output{event.text};
                break;
            case Event::Kind::compaction:
                seen.event = Compaction{};
                break;
            case Event::Kind::watermark:
                seen.event = Watermark{};
                break;
        }
        Loop{}.learn(memory_, settings_, seen);
        return *this;
    }
    Told& call(std::string name, std::string args, std::string id = {}, std::optional<std::uint32_t> turn = {}) {
        return tell({Event::Kind::call, std::move(name), std::move(args), std::move(id), {}, turn});
    }
    Told& result(std::string text, std::optional<bool> ok = {}, std::string id = {}) {
        return tell({Event::Kind::result, {}, std::move(text), std::move(id), ok});
    }
    /// A call with its result.
    Told& unit(std::string name, std::string args, std::string answer, std::optional<bool> ok = {}) {
        return call(std::move(name), std::move(args)).result(std::move(answer), ok);
    }
    Told& event(Event::Kind kind, std::string text = {}) { return tell({kind, {}, std::move(text), {}, {}, {}, 1}); }

    [[nodiscard]] Verdict verdict() const {
        const auto found = finding();
        return found ? Verdict{found->level, std::string{found->evidence.rule}, found->identity} : Verdict{};
    }
    [[nodiscard]] Level level() const { return verdict().level; }
    [[nodiscard]] std::optional<Finding> finding() const { return Loop{}.check(memory_, settings_, Run{}, Instant{}); }
    [[nodiscard]] const Loop::Memory& memory() const { return memory_; }
    [[nodiscard]] const loops::Common& common() const { return memory_.calls->ledger.common; }

    void save_and_load() {
        ArchiveWriter to{Instant{}};
        to(memory_);
        const std::string bytes = to.take();
        memory_ = {};
        ArchiveReader from{bytes, Instant{}};
        from(memory_);
        REQUIRE(from.ok());
        REQUIRE(from.at_end());
    }
    void load(const std::string& bytes) {
        ArchiveReader from{bytes, Instant{}};
        from(memory_);
    }

private:
    Loop::Settings settings_;
    Loop::Memory memory_{};
    double at_ = 0;
    std::uint64_t index_ = 0;
};

const std::string args_of_ls = R"({"command":"ls build"})";
const std::string missing = "ls: cannot access 'build': No such file or directory";

std::string numbered(std::string_view before, int number, std::string_view behind = "") {
    return std::string{before} + std::to_string(number) + std::string{behind};
}
std::string command(const std::string& line) { return R"({"command":")" + line + R"("})"; }

/// A run of many kinds of repetition and progress, made of a seed.
std::vector<Event> made_up(std::uint32_t seed, int events) {
    std::mt19937 random{seed};
    const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    std::vector<Event> all;
    int new_text = 0;
    while (static_cast<int>(all.size()) < events) {
        const int task = pick(7), times = 1 + pick(7);
        for (int i = 0; i < times; ++i) {
            const auto both = [&](std::string name, std::string args, std::string answer, std::optional<bool> ok) {
                const std::string id = numbered("c", static_cast<int>(all.size()));
                all.push_back({Event::Kind::call, std::move(name), std::move(args), id});
                all.push_back({Event::Kind::result, {}, std::move(answer), id, ok});
            };
            switch (task) {
                case 0:
                    both("bash", args_of_ls, missing, false);
                    break;
                case 1:
                    both("grep", numbered(R"({"pattern":"x)", i % 3, R"("})"), "", true);
                    break;
                case 2:
                    both("read_file", R"({"path":"a.c"})", numbered("int f", new_text++, "();\nline\n"), true);
                    break;
                case 3:
                    both("edit", numbered(R"({"path":"a.c","old":"a","new":"b)", pick(3), R"("})"), "ok", true);
                    break;
                case 4:
                    all.push_back({Event::Kind::says, {}, numbered("Let me look at it once more, part ", i % 2)});
                    break;
                case 5:
                    both("bash", command(numbered("make t", i)), "error: undefined reference to `f'", false);
                    break;
                default:
                    both("wait_for_build", "{}", "still running", true);
                    break;
            }
        }
        if (pick(12) == 0) all.push_back({Event::Kind::user, {}, "go on"});
        if (pick(12) == 0) all.push_back({Event::Kind::watermark});
        if (pick(12) == 0) all.push_back({Event::Kind::compaction});
    }
    return all;
}

}  // namespace

static_assert(check_detector<Loop>());

TEST_CASE("loop: results find their calls by id, in any order, else the oldest open call") {
    Told told;
    told.call("a", R"({"x":"one"})", "1").call("b", R"({"x":"two"})", "2");
    told.result("answer of the second", true, "2").result("answer of the first", true, "1");
    CHECK(told.common().news == 2);
    told.call("a", R"({"x":"one"})").call("b", R"({"x":"two"})");
    told.result("answer of the first", true).result("answer of the second", true);
    CHECK(told.common().news == 2);  // each call had its own answer once more
    CHECK(told.common().unit == 4);
}

TEST_CASE("loop: results that nobody called for, that come twice, or never, are counted and not guessed") {
    Told told;
    told.result("from nowhere", true, "9");
    CHECK(told.memory().calls->ledger.orphans == 1);
    told.call("a", "{}", "1").result("x", true, "1").result("x", true, "1").result("x", true, "7");
    CHECK(told.memory().calls->ledger.orphans == 3);
    for (int i = 0; i < 50; ++i) told.call("b", R"({"x":1})", numbered("n", i));  // none is answered
    CHECK(told.common().unit == 1);
    CHECK(told.level() == Level::none);  // a result that has not come is not "unchanged"
    told.result("late", true, "n49");
    CHECK(told.common().unit == 2);
}

TEST_CASE("loop: an id that is opened again replaces the open call") {
    Told told;
    told.call("a", R"({"x":1})", "1").call("b", R"({"x":2})", "1").result("answer", true, "1");
    CHECK(told.common().unit == 1);
    told.result("answer", true, "1");
    CHECK(told.common().unit == 1);
}

TEST_CASE("loop: the same call with the same answer, at the third, and in stop after it went on") {
    Told told;
    for (int i = 1; i <= 8; ++i) {
        told.unit("bash", args_of_ls, missing, false);
        CAPTURE(i);
        CHECK((told.level() >= Level::nudge) == (i >= 3));
        CHECK((told.level() == Level::stop) == (i >= 5));  // the error and the call: two kinds of evidence
    }
    const auto found = told.finding();
    REQUIRE(found);
    CHECK(found->condition == Condition::loop_detected);
    CHECK(found->subject.view() == "bash");
    CHECK(found->evidence.first == 0);
    CHECK(found->evidence.last == 15);
    CHECK_THAT(Loop::describe(*found), ContainsSubstring("Looping: "));
    CHECK_THAT(Loop::describe(*found), ContainsSubstring("(bash)"));
}

TEST_CASE("loop: what was found names an example, without secrets") {
    Told told;
    for (int i = 0; i < 3; ++i)
        told.unit("bash", command("curl -H 'Authorization: Bearer sk-abcdefghijklmnopqrstuvwxyz0123456789' x"),
                  "denied", false);
    REQUIRE(told.finding());
    const auto details = Loop::details(told.memory(), {}, {}, *told.finding());
    REQUIRE(details.size() == 2);
    CHECK(details[0].value == "nothing");
    CHECK_THAT(details[1].value, ContainsSubstring("bash") && ContainsSubstring("denied"));
    CHECK(details[1].value.find("abcdefghij") == std::string::npos);
    CHECK(details[1].value.size() <= loops::Example::longest);
}

TEST_CASE("loop: news and edits end an episode") {
    Told told;
    for (int i = 0; i < 4; ++i) told.unit("bash", args_of_ls, missing, false);
    CHECK(told.level() == Level::nudge);
    told.unit("bash", command("cat notes"), "something never seen before");
    CHECK(told.level() == Level::none);
    for (int i = 0; i < 4; ++i) told.unit("bash", args_of_ls, missing, false);
    told.unit("write_file", R"({"path":"a","content":"x"})", "ok", true);
    CHECK(told.level() == Level::none);
}

TEST_CASE("loop: a user's message makes all void, an automatic one nothing") {
    for (const bool automatic : {false, true}) {
        CAPTURE(automatic);
        Told told;
        for (int i = 0; i < 2; ++i) told.unit("bash", args_of_ls, missing, false);
        told.event(automatic ? Event::Kind::automatic : Event::Kind::user, "go on");
        told.unit("bash", args_of_ls, missing, false);
        CHECK((told.level() >= Level::nudge) == automatic);
        told.unit("bash", args_of_ls, missing, false);
        told.event(automatic ? Event::Kind::automatic : Event::Kind::user, "go on");
        CHECK((told.level() >= Level::nudge) == automatic);
    }
}

TEST_CASE("loop: after an intervention all counts begin anew, and who goes on is worth stopping") {
    Told told;
    for (int i = 0; i < 3; ++i) told.unit("bash", args_of_ls, missing, false);
    const Verdict first = told.verdict();
    CHECK(first.level == Level::nudge);
    told.event(Event::Kind::watermark);
    CHECK(told.level() == Level::none);
    CHECK(Loop::new_items(told.memory(), {}) == 0);
    CHECK(Loop::more_of_same(told.memory(), {}, first.identity) == 0);
    for (int i = 0; i < 2; ++i) told.unit("bash", args_of_ls, missing, false);
    CHECK(told.level() == Level::none);
    told.unit("bash", args_of_ls, missing, false);
    CHECK(told.verdict().identity == first.identity);
    CHECK(told.level() == Level::nudge);  // three rounds, one kind
    CHECK(Loop::more_of_same(told.memory(), {}, first.identity) == 3);
    for (int i = 0; i < 2; ++i) told.unit("bash", args_of_ls, missing, false);
    CHECK(told.level() == Level::stop);
}

TEST_CASE("loop: only rounds with progress prove that it is over") {
    Told told;
    for (int i = 0; i < 3; ++i) told.unit("bash", args_of_ls, missing, false);
    told.event(Event::Kind::watermark);
    for (int i = 0; i < 30; ++i) told.unit("bash", command(numbered("ls b", i)), missing, false);
    for (int i = 0; i < 30; ++i) told.event(Event::Kind::line, "still here");
    CHECK(Loop::new_items(told.memory(), {}) == 0);
    CHECK(Loop::more_of_same(told.memory(), {}, 1) == 30);
    for (int i = 0; i < 3; ++i)
        told.unit("read_file", numbered(R"({"path":"f)", i, R"("})"), numbered("text of file ", i));
    CHECK(Loop::new_items(told.memory(), {}) == Loop::evidence_needed({}));
    CHECK_FALSE(Loop::more_of_same(told.memory(), {}, 1));
}

TEST_CASE("loop: parallel calls are one occurrence, a fan-out that comes again is found in its third round") {
    Told same;
    same.unit("bash", command("pwd"), "/home/agent");
    for (int i = 0; i < 10; ++i) same.call("bash", args_of_ls, numbered("c", i));
    for (int i = 0; i < 10; ++i) same.result(missing, false, numbered("c", i));
    CHECK(same.level() == Level::none);
    Told edits;
    for (int round = 1; round <= 3; ++round) {
        for (int i = 0; i < 7; ++i)
            edits.call("edit", numbered(R"({"path":"f)", i, R"(.c","old_string":"int a","new_string":"int b"})"),
                       numbered("r", round * 10 + i));
        for (int i = 0; i < 7; ++i)
            edits.result("String to replace was not found in the file", false, numbered("r", round * 10 + i));
        CAPTURE(round);
        CHECK((edits.level() >= Level::nudge) == (round == 3));
    }
}

TEST_CASE("loop: another turn of the model is another round, though nothing was answered") {
    for (const bool told_turns : {false, true}) {
        Told told;
        for (std::uint32_t i = 0; i < 3; ++i)
            told.call("bash", args_of_ls, numbered("c", static_cast<int>(i)),
                      told_turns ? std::optional{i} : std::nullopt);
        for (int i = 0; i < 3; ++i) told.result(missing, false, numbered("c", i));
        CHECK((told.level() >= Level::nudge) == told_turns);
    }
}

TEST_CASE("loop: without any results five equal calls are one, and blocks five times, the first result ends that") {
    Told equal;
    for (int i = 1; i <= 5; ++i) {
        equal.call("grep", R"({"q":"TODO"})");
        CHECK((equal.level() >= Level::nudge) == (i == 5));
    }
    CHECK(equal.verdict().rule == "call_only");
    CHECK(equal.finding()->subject.view() == "grep");
    Told block;
    for (int i = 1; i <= 15; ++i) {
        block.call("grep", numbered(R"({"q":)", i % 3, "}"));
        CHECK((block.level() >= Level::nudge) == (i == 15));
    }
    Told batch;
    for (int i = 0; i < 20; ++i) batch.tell({Event::Kind::call, "grep", "{}", {}, {}, {}, 0.01});
    CHECK(batch.level() == Level::none);
    Told answered;
    answered.unit("ls", "{}", "a b c");
    for (int i = 0; i < 20; ++i) answered.call("grep", "{}");
    CHECK(answered.level() == Level::none);
}

TEST_CASE("loop: hosts say what their tools do") {
    const auto told_of = [](ToolTreatment treatment, std::uint32_t repeats, int times, const std::string& answer) {
        Loop::Settings settings;
        settings.tools = {{"mcp__*", treatment, repeats}};
        Told told{settings};
        for (int i = 0; i < times; ++i) told.unit("mcp__jobs", R"({"job":"7"})", answer, true);
        return told.level();
    };
    const std::string same = "the queue holds 7 entries of 3 users";
    CHECK(told_of(ToolTreatment::as_named, 0, 3, same) == Level::nudge);
    CHECK(told_of(ToolTreatment::read, 0, 3, same) == Level::nudge);
    CHECK(told_of(ToolTreatment::poll, 0, 100, same) == Level::none);
    CHECK(told_of(ToolTreatment::wait, 0, 100, same) == Level::none);
    CHECK(told_of(ToolTreatment::exempt, 0, 100, same) == Level::none);
    CHECK(told_of(ToolTreatment::as_named, 20, 19, same) < Level::nudge);
    CHECK(told_of(ToolTreatment::as_named, 20, 20, same) >= Level::nudge);
    CHECK(told_of(ToolTreatment::write, 0, 3, "ok") < Level::nudge);
    CHECK(told_of(ToolTreatment::write, 0, 4, "ok") == Level::nudge);
}

TEST_CASE("loop: honest work is none") {
    Told told;
    for (int i = 0; i < 10'000; ++i)  // a poll whose answer changes
        REQUIRE(told.unit("bash", command("tail -1 build.log"), numbered("[", i, "/10000] compiling")).level() ==
                Level::none);
    for (int i = 0; i < 200; ++i)  // pages forward
        REQUIRE(told.unit("read_file", numbered(R"({"path":"big.txt","limit":1,"offset":)", i, "}"),
                          numbered("entry number ", i))
                    .level() == Level::none);
    for (int i = 0; i < 200; ++i)  // a batch of edits
        REQUIRE(told.unit("edit", numbered(R"({"path":"f)", i, R"(","old":"a","new":"b"})"), "ok").level() ==
                Level::none);
    for (int i = 0; i < 40; ++i)  // one short answer to many questions
        REQUIRE(told.unit("classify",
                          std::string{R"({"text":")"} + std::string(static_cast<std::size_t>(i) + 3, 'q') + R"("})",
                          "positive")
                    .level() == Level::none);
    for (int i = 10; i < 22; ++i)  // one day after the other
        REQUIRE(told.unit("search_flights", numbered(R"({"to":"SEA","date":"2026-05-)", i, R"("})"), "[]").level() ==
                Level::none);
    for (int i = 0; i < 20; ++i)  // the same click, and another page each time
        REQUIRE(told.unit("browser_click", R"({"ref":"next"})", "Clicked.")
                    .unit("browser_snapshot", "{}", "page " + std::string(static_cast<std::size_t>(i) + 3, 'p'))
                    .level() == Level::none);
    for (int i = 20; i > 0; --i) {  // tests that fail less and less
        REQUIRE(told.unit("bash", command("make test"), numbered("", i, " tests failed")).level() == Level::none);
        REQUIRE(told.unit("edit", numbered(R"({"path":"g","old":"a","new":"c)", i, R"("})"), "ok").level() ==
                Level::none);
    }
    for (int i = 0; i < 12; ++i)  // the same warning in one file after another
        REQUIRE(told.unit("edit", numbered(R"({"path":"src/p)", i, R"(.ts","old":"any","new":"unknown"})"), "ok")
                    .unit("bash", command(numbered("npx eslint src/p", i, ".ts")),
                          numbered("/w/src/p.ts\n  ", 9 + i, ":5  error  Unexpected any. Specify a different type"),
                          false)
                    .level() < Level::nudge);
    for (int i = 0; i < 7; ++i)  // a search for the commit with which it began
        REQUIRE(told.unit("bash", command("git bisect bad"),
                          "Bisecting: some revisions left to test after this\n[" +
                              std::string(static_cast<std::size_t>(i) + 3, 'f') + "] Another change of the parser")
                    .unit("bash", command("./test.sh"), "segmentation fault", false)
                    .level() < Level::nudge);
    for (int i = 0; i < 10; ++i)  // one missing module after another
        REQUIRE(told.unit("bash", command("python app.py"),
                          "Traceback (most recent call last):\n  File \"app.py\", line 1\nModuleNotFoundError: No "
                          "module named '" +
                              std::string(static_cast<std::size_t>(i) + 3, static_cast<char>('a' + i)) + "'",
                          false)
                    .unit("bash", command(numbered("pip install module", i)), numbered("Successfully installed m-", i))
                    .level() == Level::none);
}

TEST_CASE("loop: what somebody else holds is tried again with growing pauses, and without them for two minutes") {
    const std::string held = "fatal: Unable to create '/w/.git/index.lock': File exists.\n\nAnother git process runs.";
    Told waits, pushes;
    for (int i = 0, pause = 5; i < 6; ++i, pause *= 2) {
        waits.unit("bash", command("git commit -am tidy"), held, false)
            .call("bash", command(numbered("sleep ", pause)));
        CHECK(waits.tell({Event::Kind::result, {}, {}, {}, true, {}, double(pause)}).level() == Level::none);
    }
    int tries = 0;
    while (++tries < 30 && pushes.level() == Level::none)
        pushes.unit("bash", command("git commit -am tidy"), held, false)
            .tell({Event::Kind::line, {}, "", {}, {}, {}, 10});
    CHECK(pushes.verdict().rule == "infra");
    CHECK(tries == 12);
}

TEST_CASE("loop: windows that lie in the first one that was read show nothing new") {
    const auto window = [](Told& told, int from, int lines) {
        std::string text;
        for (int i = from; i < from + lines; ++i) text += numbered("the text of line ", i, "\n");
        const std::string offset = numbered(R"({"path":"a.c","offset":)", from, ",");
        return told.unit("read_file", offset + numbered(R"("limit":)", lines, "}"), text).level();
    };
    Told told, forward;
    CHECK(window(told, 100, 140) == Level::none);
    for (const int from : {120, 110, 135}) CHECK(window(told, from, 90) == Level::none);
    CHECK(window(told, 105, 100) == Level::nudge);
    CHECK(told.verdict().rule == "coverage");
    for (int from = 0; from < 900; from += 90) CHECK(window(forward, from, 100) == Level::none);
}

TEST_CASE("loop: who looks at what is not ready yet waits, and is never stopped for it") {
    Told told, soon;
    const auto elapsed = [](int s) {
        return numbered("db: Still creating... [", s / 60, numbered("m", s % 60, "s elapsed]"));
    };
    for (int i = 1; i < 60; ++i) {
        told.event(Event::Kind::line).call("bash", command("tail -n 2 apply.log"));
        told.tell({Event::Kind::result, {}, elapsed(30 * i), {}, true, {}, 29});
        CHECK(told.level() <= (i <= 20 ? Level::none : Level::nudge));
    }
    CHECK(told.verdict().rule == "frozen_poll");
    for (int i = 0; i < 9; ++i)
        CHECK(soon.unit("bash", command("curl -s localhost/health"), R"({"status":"STARTING"})").level() ==
              Level::none);
}

TEST_CASE("loop: who acts, waits and finds all as it was goes round, who only waits does not") {
    const auto rounds = [](bool acts, bool moves) {
        Told told;
        for (int i = 1; i <= 9; ++i) {
            if (acts) told.unit("browser_click", R"({"ref":"e71"})", "Clicked element e71", true);
            told.unit("browser_wait_for", R"({"time":2})", "Waited for 2 seconds", true);
            told.unit("browser_snapshot", "{}", numbered("a list of things and of ", moves ? i / 2 : 0, " more"), true);
            if (told.level() >= Level::nudge) return i;
        }
        return 0;
    };
    CHECK(rounds(true, false) == 3);
    CHECK(rounds(true, true) == 0);
    CHECK(rounds(false, false) == 0);
}

TEST_CASE("loop: a change that is told something new each time goes on, one that is told the same does not") {
    const std::string rejected = "! [rejected] main -> main (fetch first)\nerror: failed to push some refs";
    Told races, stuck;
    for (int i = 0; i < 4; ++i) {
        const std::string commit(7, static_cast<char>('a' + i));
        const std::string from = "From host:acme/x, where somebody else works as well\n   ",
                          to = "  main -> origin/main";
        races.unit("bash", command("git push"), rejected, false);
        CHECK(races.unit("bash", command("git pull --rebase"), from + commit + to).level() == Level::none);
        stuck.unit("bash", command("git push"), rejected, false);
        stuck.unit("bash", command("git pull --rebase"), from + "0a1b2c3" + to);
    }
    CHECK(stuck.level() >= Level::nudge);
}

TEST_CASE("loop: a failure of fewer things after each edit is progress, whatever they are called") {
    const auto runs = [](const std::string& before, const std::string& behind, int step, bool edits) {
        Told told;
        for (int i = 0; i < 20; ++i) {
            const std::string text = numbered(before, 30 + i * step, behind);
            if (told.unit("bash", command("make check"), text, false).level() >= Level::nudge) return i + 1;
            if (edits) told.unit("edit", numbered(R"({"path":"g","old":"a","new":"c)", i, R"("})"), "ok");
        }
        return 0;
    };
    CHECK(runs("check_po: error: de.po is incomplete, ", " strings untranslated", -1, true) == 0);
    CHECK(runs("", " vulnerabilities (3 moderate, 4 high)", -1, true) == 0);
    CHECK(runs("error: coverage is low: ", " uncovered lines", -1, true) == 0);
    CHECK(runs("error: coverage is low: ", " uncovered lines", -1, false) == 3);  // nobody did anything for it
    CHECK(runs("error: coverage is low: ", " uncovered lines", 1, true) != 0);
    CHECK(runs("error: coverage is low: ", " uncovered lines", 0, true) != 0);
    CHECK(runs("error: bad byte at position ", " of the input", -1, true) != 0);
}

TEST_CASE("loop: fewer lines of failure after each edit are progress where nobody counts them") {
    const auto runs = [](int step, bool edits) {
        Told told;
        for (int i = 0; i < 9; ++i) {
            std::string text;
            for (int line = 0; line < 10 + i * step; ++line)
                text += numbered("a.ts(", 10 * line, ",7): error TS2322: This type is not that one.\n");
            if (told.unit("bash", command("npx tsc"), text, false).level() >= Level::nudge) return i + 1;
            if (edits) told.unit("edit", numbered(R"({"path":"g","old":"a","new":"c)", i, R"("})"), "ok");
        }
        return 0;
    };
    CHECK(runs(-1, true) == 0);
    CHECK(runs(-1, false) == 3);
    CHECK(runs(0, true) != 0);
    CHECK(runs(1, true) != 0);
}

TEST_CASE("loop: edits of one file that are refused are one failure, whatever they want to replace") {
    Told one, several;
    for (int i = 0; i < 4; ++i) {
        const std::string text(static_cast<std::size_t>(i) + 3, static_cast<char>('a' + i));
        const auto refused = [&](Told& told, const std::string& path) {
            told.unit("Edit", R"({"path":")" + path + R"(","old_string":")" + text + R"(","new_string":"x"})",
                      "Error: the old string was not found in the file.", false);
        };
        refused(one, "/src/main.py");
        refused(several, "/src/" + text + ".py");
    }
    CHECK(one.level() == Level::nudge);
    CHECK(several.level() == Level::none);
}

TEST_CASE("loop: one command about many things is a list if its answer is short, other commands are none") {
    Told links, words;
    for (const std::string_view link : {"https://numpy.org", "https://docs.python.org/3/", "https://kernel.org",
                                        "https://gcc.gnu.org/onlinedocs", "https://www.postgresql.org/about",
                                        "https://curl.se/docs", "https://go.dev/doc", "https://nodejs.org/en/blog"})
        CHECK(links.unit("bash", command("curl -sI -w status " + std::string{link}), "200").level() == Level::none);
    for (const std::string_view line :
         {"find src -name x -exec cat", "find src -name x -exec cat | wc", "find src -name x | xargs cat | wc -l",
          "find src -type f -name x | xargs cat", "find src -name x -exec cat | grep -c x"})
        words.unit("bash", command(std::string{line}), "200");
    CHECK(words.verdict().rule == "similar");
}

TEST_CASE("loop: one good answer about each of many things is no loop, unless it is long") {
    const auto walk = [](std::size_t bytes) {
        Told told;
        const std::string answer = "all of its parts are well: " + std::string(bytes, 'x');
        for (const std::string_view host :
             {"ada", "bob", "cleo", "dora", "emil", "fred", "gina", "hugo", "ines", "jan", "kim", "lea"})
            told.unit("health", R"({"host":")" + std::string{host} + R"(","deep":true})", answer, true);
        return told.level();
    };
    CHECK(walk(20) == Level::none);
    CHECK(walk(80) == Level::none);
    CHECK(walk(400) != Level::none);
}

TEST_CASE("loop: items that fail alike, each with a long text of its own, are no loop") {
    Told told;
    for (const std::string_view item : {"Header", "Footer", "Menu", "Card", "Dialog", "Toast", "Table", "Badge"}) {
        const std::string name{item};
        told.unit("bash", command("npx jest " + name + " --ci"),
                  "FAIL src/" + name + ".test.tsx\n  " + name + " renders\n  expects\n  - a " + name + "\n  + a new " +
                      name + "\n  snapshot",
                  false);
        CHECK(told.level() == Level::none);
    }
}

TEST_CASE("loop: says the same and does nothing") {
    Told told;
    const auto say = [&] { return told.event(Event::Kind::says, "I will now look at the file again.").level(); };
    CHECK(say() == Level::none);
    CHECK(say() == Level::none);
    CHECK(say() == Level::nudge);
    CHECK(told.verdict().rule == "monologue");
    told.event(Event::Kind::watermark);
    for (int i = 0; i < 3; ++i)
        told.event(Event::Kind::says,
                   numbered("Another thought, about part ", i * 7, std::string(static_cast<std::size_t>(i) + 1, 'x')));
    CHECK(Loop::new_items(told.memory(), {}) >= 2);  // no calls: what it says tells that it is over
}

TEST_CASE("loop: chants on the output, whatever its lines") {
    Told told;
    int lines = 0;
    while (told.level() == Level::none && lines < 100) {
        told.event(Event::Kind::line, lines % 2 == 0 ? "and then we will try it again" : "because it did not work");
        ++lines;
    }
    CHECK(told.verdict().rule == "chant");
    CHECK(lines <= 18);
}

TEST_CASE("loop: save and load at every event changes nothing") {
    for (std::uint32_t seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        Told plain, saved;
        for (const Event& event : made_up(seed, 300)) {
            plain.tell(event);
            saved.tell(event);
            saved.save_and_load();
            REQUIRE(saved.verdict() == plain.verdict());
        }
    }
}

TEST_CASE("loop: times that are all later by as much change nothing") {
    for (std::uint32_t seed = 1; seed <= 6; ++seed) {
        Told plain, later;
        later.tell({Event::Kind::says, {}, "", {}, {}, {}, 1e7});
        plain.tell({Event::Kind::says, {}, ""});
        for (const Event& event : made_up(seed, 300))
            REQUIRE(later.tell(event).verdict() == plain.tell(event).verdict());
    }
}

TEST_CASE("loop: tools with names that say nothing are found all the same") {
    std::uint32_t lost = 0, found = 0;
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        Told plain, opaque;
        bool in_plain = false, in_opaque = false;
        for (Event event : made_up(seed, 120)) {
            in_plain = in_plain || plain.tell(event).level() >= Level::nudge;
            if (event.kind == Event::Kind::call) event.name = "t" + std::to_string(event.name.size());
            in_opaque = in_opaque || opaque.tell(event).level() >= Level::nudge;
        }
        found += in_plain ? 1 : 0;
        lost += in_plain && !in_opaque ? 1 : 0;
    }
    CHECK(found > 20);
    CHECK(lost <= found / 10);
}

TEST_CASE("loop: whatever a store says, it goes on") {
    Told source;
    for (const Event& event : made_up(3, 300)) source.tell(event);
    ArchiveWriter to{Instant{}};
    auto memory = source.memory();
    to(memory);
    const std::string bytes = to.take();
    std::mt19937 random{7};
    for (int i = 0; i < 200; ++i) {
        std::string damaged = bytes;
        for (int k = 0; k < 20; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
        if (i % 4 == 0) damaged.resize(random() % damaged.size());
        Told told;
        told.load(damaged);
        for (const Event& event : made_up(static_cast<std::uint32_t>(i), 40)) told.tell(event);
        static_cast<void>(told.finding());
    }
}

TEST_CASE("loop: keeps what detectors of repetition promise [D-09]") {
    const auto good = [](const Result<void>& kept) { return kept ? std::string{} : kept.error().message; };
    CHECK(good(detector_contract<Loop>([](const auto& tell) {
              for (int i = 0; i < 4; ++i) {
                  tell(ToolCall{"make", R"({"target":"all"})", {}});
                  tell(ToolResult{false, "Error: no rule to make target", {}, {}});
              }
          })) == "");
    CHECK(good(detector_contract<Loop>([](const auto& tell) {
              for (int i = 0; i < 3; ++i) tell(Message{true, "I am sorry, let me try that again"});
          })) == "");
    CHECK(good(detector_contract<Loop>([](const auto& tell) {
              for (int i = 0; i < 40; ++i) tell(Output{"waiting for the build of the parser"});
          })) == "");
}

TEST_CASE("loop: settings by name, and limits") {
    Loop::Settings settings;
    CHECK(detector_ops<Loop>.validate(&settings));
    settings.repeat.adjacent = 1;
    CHECK_FALSE(detector_ops<Loop>.validate(&settings));
    settings = {};
    settings.cycle.stop = 3;
    CHECK_FALSE(detector_ops<Loop>.validate(&settings));
    settings = {};
    settings.repeat.on = settings.similar.on = settings.errclass.on = settings.fruitless.on = false;
    Told told{settings};
    for (int i = 0; i < 30; ++i) told.unit("bash", args_of_ls, missing, false);
    CHECK(told.level() == Level::none);
    settings = {};
    settings.watch = true;
    Told shown{settings};
    shown.unit("bash", args_of_ls, missing, false).unit("bash", args_of_ls, missing, false);
    CHECK(shown.level() == Level::watch);
}

TEST_CASE("loop: three failures alike are a cascade that is shown, and one more is a loop [M-092]") {
    const std::string failure = "error: cannot find the header of the grammar in any include directory";
    const char* const commands[] = {R"({"command":"make parser"})", R"({"command":"ninja -C out lexer"})",
                                    R"({"command":"cmake --build . --target all"})", R"({"command":"gcc -c a.c"})"};
    Told told;
    for (int i = 0; i < 3; ++i) {
        CHECK_FALSE(told.finding());
        told.unit("bash", commands[i], failure, false);
    }
    REQUIRE(told.finding());
    CHECK(told.finding()->condition == Condition::error_cascade);
    CHECK(told.finding()->level == Level::watch);
    CHECK(Loop::describe(*told.finding()).starts_with("Failing: meets the same failure 3 times"));
    told.unit("bash", commands[3], failure, false);
    CHECK(told.finding()->condition == Condition::loop_detected);
    CHECK(told.level() == Level::nudge);
}

TEST_CASE("loop: what a run with everything keeps is bounded") {
    using Part = loops::Memory::Part;
    // What is never given up has room.
    constexpr std::size_t kept = sizeof(loops::Memory::Calls) + sizeof(loops::Memory::MoreOpen) +
                                 sizeof(loops::Learned) + sizeof(loops::Similar::Part) +
                                 sizeof(loops::SameError::Part) + sizeof(loops::Chant::Part) + sizeof(loops::Example) +
                                 sizeof(loops::CallText) + 8 * 16;
    CHECK(kept + loops::Memory::beside_output <= loops::Memory::bound);
    CHECK(sizeof(Loop::Memory) <= 136);
    CHECK(sizeof(heeler::detail::BlockRing) + sizeof(heeler::detail::BlockHits) + text::LineSplitter::block +
              text::LineSplitter::context + sizeof(text::LineSplitter) + 4 * 16 <=
          loops::Memory::beside_output);

    Told told, saved;
    std::uint8_t before = Part::nothing;
    const auto same = [&](const std::function<void(Told&)>& tell) {
        tell(told);
        tell(saved);
        saved.save_and_load();
        CHECK(told.memory().bytes() <= loops::Memory::bound);
        CHECK(saved.memory().given_up == told.memory().given_up);
        CHECK(told.verdict() == saved.verdict());
        CHECK(told.memory().given_up >= before);
        before = told.memory().given_up;
    };
    for (int i = 0; i < 400; ++i) {
        const std::string n = std::to_string(i);
        std::string lines;
        for (int line = 0; line < 9; ++line) lines += "a line that nobody saw " + n + "." + std::to_string(line) + "\n";
        const auto unit = [&](const char* tool, const std::string& args, const std::string& answer) {
            same([&](Told& all) { all.unit(tool, args, answer); });
        };
        if (i % 40 == 39) same([&](Told& all) { all.event(Event::Kind::user, "another task"); });
        unit("read_file", R"({"path": "a.cpp", "offset": )" + n + R"(, "limit": 9})", lines);
        unit("edit_file", R"({"path": "a.cpp", "old": "x)" + n + R"(", "new": "y"})", "edited");
        unit("job_status", R"({"job": 7})", "still running");
        unit("bash", R"({"command": "make check"})", "error: no rule to make target 'check'");
        same([&](Told& all) { all.event(Event::Kind::says, "Let me look at part " + n + " of the file."); });
        if (i > 100) same([&](Told& all) { all.event(Event::Kind::line, "something is printed\n"); });
        if (i % 50 == 0)
            for (int k = 0; k < 14; ++k) same([&](Told& all) { all.call("read", n, n + "/" + std::to_string(k)); });
    }
    CHECK(before == Part::messages);
    CHECK_FALSE(told.memory().coverage);
    CHECK(told.memory().more_open);
}

TEST_CASE("loop: a run without output gives hardly anything up") {
    Told told;
    for (int i = 0; i < 400; ++i) {
        const std::string n = std::to_string(i);
        told.unit("read_file", R"({"path": "a.cpp", "offset": )" + n + R"(, "limit": 9})", "line " + n);
        told.unit("edit_file", R"({"path": "a.cpp", "old": "x)" + n + R"(", "new": "y"})", "edited");
        told.unit("bash", R"({"command": "make check"})", "error: no rule to make target 'check'");
        told.event(Event::Kind::says, "Let me look at part " + n + " of the file.");
    }
    for (int k = 0; k < 14; ++k) told.call("read", std::to_string(k), std::to_string(k));
    CHECK(told.memory().given_up == loops::Memory::nothing);
}

}  // namespace loops_loop
