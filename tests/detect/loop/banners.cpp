#include <heeler/detect/loop/outcome.hpp>

#include <heeler/core/archive.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace loops_banners {

using namespace heeler;
using namespace heeler::loops;

namespace {

const Overrides no_rules;

struct Unit {
    std::string name;
    std::string args;
    char ok = '+';
    std::string text;
};

/// A run's memory, and what it makes of one unit after the other.
class Told {
public:
    Outcome operator()(const Unit& unit) {
        ToolCall call;
        call.name = unit.name;
        call.args = unit.args;
        ToolResult result;
        if (unit.ok != '?') result.ok = unit.ok == '+';
        result.output = unit.text;
        return classify(*learned, facts_of(call, no_rules), facts_of(result), unit.text, false);
    }
    std::unique_ptr<Learned> learned = std::make_unique<Learned>();
};

Unit shell(std::string command, char ok, std::string text) {
    return {"Bash", R"({"command":")" + std::move(command) + R"("})", ok, std::move(text)};
}

/// Honest work with answers of every class.
std::vector<Unit> work() {
    std::vector<Unit> units;
    for (int i = 0; i < 12; ++i) {
        const std::string n = std::to_string(i);
        units.push_back(shell("ls dir" + n, '+', "file_a" + n + "\nfile_b" + n + "\nnotes_" + n));
        units.push_back(shell("grep qed" + n + " src", '-', "Exit code 1"));
        units.push_back({"Read", R"({"path":"src/)" + n + R"(.c"})", '+', "int f" + n + "();\nint g" + n + "();"});
        units.push_back({"Edit", R"({"path":"src/)" + n + R"(.c"})", '+', "The file was updated"});
        units.push_back(shell("make part" + n, '-', "Exit code 2\nmake: *** no rule for part" + n));
        units.push_back(shell("wc -l src/" + n + ".c", '+', n + " lines of it"));
        units.push_back(shell("find . -name q" + n, '+', ""));
    }
    return units;
}

constexpr std::string_view banners[] = {
    "Welcome to the box",
    "[session 4711 of today]",
    "warning: cannot create temp file for the document",
    "error: could not load the profile",
};

}  // namespace

TEST_CASE("Loop banners: a constant line before or behind every answer changes no class but the first ones") {
    for (const std::string_view banner : banners)
        for (const bool before : {true, false}) {
            Told plain, with_banner;
            INFO(banner << (before ? " before" : " behind"));
            std::size_t wrong = 0, late = 0, i = 0;
            for (Unit unit : work()) {
                const Outcome expected = plain(unit);
                const bool blank = unit.text.empty();
                unit.text = before ? std::string{banner} + (blank ? "" : "\n") + unit.text
                                   : unit.text + (blank ? "" : "\n") + std::string{banner};
                const Outcome made = with_banner(unit);
                if (made.outcome != expected.outcome || made.key != expected.key) {
                    ++wrong;
                    if (i >= 14) ++late;
                }
                ++i;
            }
            CHECK(wrong <= 14);
            CHECK(late == 0);
        }
}

TEST_CASE("Loop banners: several lines before every answer") {
    Told plain, with_banner;
    std::size_t i = 0;
    for (Unit unit : work()) {
        const Outcome expected = plain(unit);
        unit.text = "first line of it\r\nsecond line of it\r\nthird line\r\n" + unit.text;
        const Outcome made = with_banner(unit);
        if (i++ >= 14) {
            CHECK(made.outcome == expected.outcome);
            CHECK(made.key == expected.key);
            CHECK(made.novelty == expected.novelty);
            CHECK(made.lines == expected.lines);
        }
    }
}

TEST_CASE("Loop banners: several lines behind every answer") {
    Told plain, with_banner;
    std::size_t i = 0;
    for (Unit unit : work()) {
        const Outcome expected = plain(unit);
        if (!unit.text.empty()) unit.text += '\n';
        unit.text +=
            "[Current folder: /srv]\n[Interpreter: /usr/bin/python]\n[It took " + std::to_string(i) + " steps]";
        const Outcome made = with_banner(unit);
        if (i++ >= 14) {
            CHECK(made.outcome == expected.outcome);
            CHECK(made.key == expected.key);
        }
    }
}

TEST_CASE("Loop banners: what heads only failures is none") {
    Told told;
    static_cast<void>(told(shell("ls", '+', "a.c and b.c")));
    for (int i = 0; i < 12; ++i)
        CHECK(told({"write_fix", R"({"n":)" + std::to_string(i) + "}", '+',
                    "Your fix did not target all lines.\nThe lines are " + std::to_string(i)})
                  .outcome == OutcomeClass::negative);
}

TEST_CASE("Loop banners: lines without letters are an answer, and lines that are all alike are a table") {
    Told told;
    std::vector<std::uint32_t> keys;
    for (int i = 0; i < 9; ++i) {
        const std::string n = std::to_string(i);
        keys.push_back(told({"look", R"({"n":)" + n + "}", '+', n + " 2 3\n4 " + n + " 6\n"}).key);
    }
    for (std::size_t i = 1; i < keys.size(); ++i) CHECK(keys[i] != keys[i - 1]);
    std::string table;
    for (int i = 0; i < 40; ++i) table += "row " + std::to_string(i) + "\n";
    Told again;
    const std::uint32_t first = again(shell("cat table", '+', table)).key;
    for (int i = 0; i < 6; ++i) CHECK(again(shell("cat table", '+', table)).key == first);
}

TEST_CASE("Loop banners: what heads nothing but failures is none, though nobody says that they failed") {
    Told told;
    for (int i = 0; i < 12; ++i) {
        const std::string n = std::to_string(i);
        CHECK(
            told({"click", R"({"at":"part)" + n + R"("})", '?', "TimeoutError: it took too long\nwaiting for part" + n})
                .outcome == OutcomeClass::negative);
    }
    Told versions;
    for (int i = 0; i < 12; ++i) {
        const std::string n = std::to_string(i);
        CHECK(versions(shell("pip install q==" + n, '?',
                             "ERROR: Could not find a version of q==" + n + "\nERROR: no match was found for q==" + n))
                  .outcome == OutcomeClass::negative);
    }
}

TEST_CASE("Loop banners: a failure before a line that ends every answer stays one") {
    const std::string footer = "\nShell cwd was reset to /srv";
    Told told;
    for (int i = 0; i < 6; ++i) {
        const std::string n = std::to_string(i);
        static_cast<void>(told(shell("cat a" + n, '+', "text of it " + n + footer)));
    }
    for (int i = 0; i < 6; ++i)
        CHECK(told({"act", R"({"move":")" + std::to_string(i) + R"("})", '?', "You can't go that way." + footer})
                  .outcome == OutcomeClass::negative);
}

TEST_CASE("Loop banners: a trace is none") {
    Told told;
    for (int i = 0; i < 12; ++i) {
        const std::string n = std::to_string(i);
        CHECK(
            told(shell("run" + n, '?', "Traceback (most recent call last):\n  File a, line " + n + "\nKeyError: " + n))
                .outcome == OutcomeClass::negative);
    }
}

TEST_CASE("Loop banners: one that counts tests is an answer") {
    Told told;
    std::vector<std::uint32_t> keys;
    for (int i = 9; i > 0; --i)
        keys.push_back(told(shell("pytest a" + std::to_string(i), '+',
                                  "some output " + std::to_string(i) + "\n" + std::to_string(i) + " tests passed"))
                           .key);
    for (std::size_t i = 1; i < keys.size(); ++i) CHECK(keys[i] != keys[i - 1]);
}

TEST_CASE("Loop banners: what one call tells again and again is an answer, whatever heads it") {
    const auto answers_differ = [](bool same_command, const auto& text) {
        Told told;
        std::uint32_t last = 0;
        for (int i = 0; i < 9; ++i) {
            const std::string n = std::to_string(100 + i);
            const Outcome made = told(shell(same_command ? "look" : "look a" + n, '+', text(n)));
            CHECK(made.outcome == OutcomeClass::info);
            CHECK(made.key != last);
            last = made.key;
        }
    };
    answers_differ(true, [](const std::string& n) { return "NAME  CPU %  MEM\napi  " + n + "%  8MiB"; });
    answers_differ(true, [](const std::string& n) { return "queue_depth " + n + "\nqueue_total 9" + n; });
    answers_differ(false, [](const std::string& n) { return "read " + n + " rows\nwrote " + n + " rows"; });
}

TEST_CASE("Loop banners: one notice alone, with one verb only") {
    Told told;
    const std::string notice = "warning: cannot create temp file";
    for (int i = 0; i < 6; ++i) {
        const std::string n = std::to_string(i);
        static_cast<void>(told(shell("ls d" + n, '+', notice + "\nfile_" + n + "\nother_" + n)));
    }
    CHECK(told(shell("ls d9", '+', notice)).outcome == OutcomeClass::empty);
    CHECK(told(shell("touch d9", '+', notice)).outcome == OutcomeClass::ack);
    CHECK(told(shell("ls d9", '+', notice + "\nthe file was not found")).outcome == OutcomeClass::negative);
}

TEST_CASE("Loop banners: a notice behind every answer, alone behind those that have none") {
    Told told;
    const std::string notice = "error: failed to send statistics";
    for (int i = 0; i < 6; ++i) {
        const std::string n = std::to_string(i);
        const auto made = told(shell("2to3 -w " + n + ".py", '+', "File: " + n + ".py was read\n" + notice)).outcome;
        if (i > 1) CHECK(made == OutcomeClass::info);
        const auto alone = told(shell("python3 -m compile " + n, '+', notice)).outcome;
        if (i > 1) CHECK(alone == OutcomeClass::empty);
    }
    Told failing;
    for (int i = 0; i < 6; ++i) {
        const std::string n = std::to_string(i);
        static_cast<void>(failing(shell("make " + n, '?', "File: " + n + ".py was read\n" + notice)));
        if (i > 1) CHECK(failing(shell("make all " + n, '-', notice)).outcome == OutcomeClass::negative);
    }
}

TEST_CASE("Loop banners: what may be one tells no failures apart, nor makes them equal") {
    Told told;
    const std::string notice = "warning: cannot create temp file\n";
    static_cast<void>(told(shell("aa", '-', notice + "aa: the door was not found")));
    static_cast<void>(told(shell("bb", '-', notice + "bb: the lock is invalid")));
    const Outcome door = told(shell("cc", '-', notice + "cc: the door was not found"));
    const Outcome lock = told(shell("dd", '-', notice + "dd: the lock is invalid"));
    CHECK(door.error_key != lock.error_key);
    CHECK(told(shell("ee", '-', notice + "ee: the door was not found")).error_key == door.error_key);
}

TEST_CASE("Loop banners: saved and loaded, a run's memory says the same") {
    Told kept, reloaded;
    for (const Unit& unit : work()) {
        ArchiveWriter writer{Instant{}};
        writer(*reloaded.learned);
        const std::string bytes = writer.take();
        *reloaded.learned = Learned{};
        ArchiveReader reader{bytes, Instant{}};
        reader(*reloaded.learned);
        REQUIRE(reader.ok());
        CHECK(reader.at_end());
        CHECK(kept(unit).key == reloaded(unit).key);
    }
}

TEST_CASE("Loop banners: damaged memory leads nowhere") {
    for (unsigned seed = 0; seed < 50; ++seed) {
        Told told;
        ArchiveWriter writer{Instant{}};
        writer(*told.learned);
        std::string bytes = writer.take();
        unsigned state = seed * 2654435761u + 1;
        for (char& c : bytes) c = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
        ArchiveReader reader{bytes, Instant{}};
        reader(*told.learned);
        for (const Unit& unit : work()) static_cast<void>(told(unit));
    }
}

TEST_CASE("Loop banners: lines that were seen are forgotten in time") {
    auto seen = std::make_unique<SeenLines>();
    seen->add(4711);
    CHECK(seen->has(4711));
    for (std::uint32_t i = 0; i < 255; ++i) seen->add(i * 2654435761u + 17);
    CHECK(seen->has(4711));
    for (std::uint32_t i = 255; i < 800; ++i) seen->add(i * 2654435761u + 17);
    CHECK_FALSE(seen->has(4711));
    std::size_t wrong = 0;
    for (std::uint32_t i = 0; i < 1000; ++i) wrong += seen->has(i * 40503u + 1'000'000'007u) ? 1 : 0;
    CHECK(wrong < 60);
}

}  // namespace loops_banners
