#include <heeler/source/transcript_folder.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <heeler/testing/manual_clock.hpp>
#include <heeler/text/rfc3339.hpp>

#include "support/catch.hpp"
#include "support/real_process.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

static_assert(check_source<TranscriptFolder<ManualClock>>());

const std::string asks =
    R"({"kind":"MessageEvent","timestamp":"2026-03-01T10:00:00","source":"user","llm_message":{"content":[{"type":"text","text":"Do it"}]}})";

std::string calls(std::string_view id) {
    return R"({"kind":"ActionEvent","timestamp":"2026-03-01T10:00:02","source":"agent","thought":[],)"
           R"("action":{"kind":"TerminalAction","command":"ls"},"tool_name":"terminal","tool_call_id":")" +
           std::string{id} + R"("})";
}

/// A session's folder, and somebody who follows it.
struct Conversing {
    heeler_test::ScratchDirectory scratch;
    ManualClock clock{Instant{Elapsed{}, *text::parse_timestamp("2026-03-01T10:00:03Z")}};
    TranscriptFolder<ManualClock> folder{FilePlace{scratch / "events"}, {}, clock};
    std::string cursor{};
    std::vector<Error> problems{};
    bool more = false;
    std::optional<WallTime> at{};  ///< of the newest call

    Conversing() { std::filesystem::create_directory(scratch / "events"); }

    void write(const std::string& name, std::string_view text) { std::ofstream{scratch / ("events/" + name)} << text; }
    /// Ids of the calls that are told.
    std::vector<std::string> poll(TranscriptFolder<ManualClock>& with) {
        const auto polled = with.poll(cursor);
        REQUIRE(polled);
        std::vector<std::string> ids;
        for (const SourceEvent& event : polled->events)
            if (const auto* call = std::get_if<ToolCall>(&event.what)) {
                ids.emplace_back(call->call_id);
                at = event.at;
            }
        cursor = polled->cursor;
        problems = polled->problems;
        more = polled->more;
        return ids;
    }
    std::vector<std::string> poll() { return poll(folder); }
};

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("TranscriptFolder: events are told in the order of their numbers, each once, also after a restart") {
    Conversing session;
    CHECK(session.poll().empty());
    session.write("event-00000-a.json", asks);
    session.write("event-00010-b.json", calls("ten"));
    session.write("event-9-c.json", calls("nine"));
    session.write("base_state.json", "{}");
    session.write("event-00011-d.txt", "{}");
    CHECK(session.poll() == Ids{"nine", "ten"});
    CHECK(session.folder.format() == "openhands");
    CHECK(session.folder.totals().calls == 2);
    CHECK(session.folder.totals().doing == "terminal");
    CHECK(session.poll().empty());
    session.write("event-00012-e.json", calls("twelve"));
    const WallTime written = session.clock.now().wall - 1s;
    std::filesystem::last_write_time(session.scratch / "events/event-00012-e.json",
                                     std::chrono::file_clock::from_sys(written));
    TranscriptFolder<ManualClock> anew{FilePlace{session.scratch / "events"}, {}, session.clock};
    CHECK(session.poll(anew) == Ids{"twelve"});
    CHECK(anew.totals().calls == 3);
    CHECK(session.at == written);  // whatever it says of itself
    CHECK(session.problems.empty());
}

TEST_CASE("TranscriptFolder: an event that is not whole is waited for, and one that never will be is passed over") {
    Conversing session;
    session.write("0.json", asks);
    session.write("1.json", calls("one").substr(0, 40));
    CHECK(session.poll().empty());
    CHECK(session.problems.empty());
    session.write("1.json", calls("one"));
    CHECK(session.poll() == Ids{"one"});
    session.write("2.json", "{");
    session.write("3.json", calls("three"));
    std::filesystem::create_symlink("1.json", session.scratch / "events/4.json");
    session.write("5.json", calls("five"));
    CHECK(session.poll() == Ids{"three", "five"});
    REQUIRE(session.problems.size() == 2);
    CHECK(session.problems[0].message.find("/2.json is no event") != std::string::npos);
    CHECK(session.problems[1].message.find("/4.json is no event") != std::string::npos);
    CHECK(session.poll().empty());
    CHECK(session.problems.empty());
}

TEST_CASE("TranscriptFolder: one poll reads so much, and what is too long is passed over") {
    Conversing session;
    session.folder = TranscriptFolder<ManualClock>{FilePlace{session.scratch / "events"}, {400, 2min}, session.clock};
    session.write("0.json", asks);
    for (int number = 1; number <= 4; ++number)
        session.write(std::to_string(number) + ".json", calls(std::to_string(number)));
    session.write("5.json", "{\"kind\":\"" + std::string(1000, 'x') + "\"}");
    session.write("6.json", calls("6"));
    Ids all = session.poll();
    CHECK(session.more);
    CHECK(all.size() < 4);
    std::vector<Error> problems;
    for (int rounds = 0; session.more && rounds < 10; ++rounds) {
        for (std::string& id : session.poll()) all.push_back(std::move(id));
        problems.insert(problems.end(), session.problems.begin(), session.problems.end());
    }
    CHECK(all == Ids{"1", "2", "3", "4", "6"});
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].message.find("/5.json is too long") != std::string::npos);
}

TEST_CASE("TranscriptFolder: a folder that is not there says nothing") {
    TranscriptFolder<ManualClock> folder{FilePlace{"/nowhere/events"}, {}, ManualClock{Instant{}}};
    const auto polled = folder.poll({});
    REQUIRE(polled);
    CHECK(polled->events.empty());
    CHECK(folder.format().empty());
}
