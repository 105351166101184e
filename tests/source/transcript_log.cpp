#include <heeler/source/transcript_log.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <heeler/testing/manual_clock.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/rfc3339.hpp>

#include "support/catch.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

static_assert(check_source<TranscriptLog<ManualClock>>());

using Words = std::vector<std::string>;

WallTime moment(int second) { return *text::parse_timestamp("2026-03-01T10:00:00Z") + std::chrono::seconds{second}; }

std::string stamp(int second) { return text::rfc3339(moment(second)); }

std::string head(std::string_view type, int second) {
    return R"({"type":")" + std::string{type} + R"(","sessionId":"s","isSidechain":false,"cwd":"/home/me/parser",)" +
           R"("timestamp":")" + stamp(second) + R"(","message":)";
}
std::string told(int second) { return head("user", second) + R"({"content":"Go on"}})"; }
std::string called(int second, std::string_view id) {
    return head("assistant", second) + R"({"id":"m)" + std::string{id} + R"(","content":[{"type":"tool_use","id":")" +
           std::string{id} + R"(","name":"Bash","input":{}}],"usage":{"input_tokens":7,"output_tokens":1}}})";
}
std::string answered(int second, std::string_view id) {
    return head("user", second) + R"({"content":[{"type":"tool_result","tool_use_id":")" + std::string{id} +
           R"(","content":"1 failed"}]}})";
}
std::string said(int second) {
    return head("assistant", second) + R"({"id":"m","content":[{"type":"text","text":"Done."}]}})";
}

std::string word_of(const Reported& what) {
    if (const auto* call = std::get_if<ToolCall>(&what)) return "call " + std::string{call->call_id};
    if (const auto* result = std::get_if<ToolResult>(&what)) return "result " + std::string{result->call_id};
    if (const auto* change = std::get_if<StateChange>(&what)) return std::string{name_of(change->state)};
    if (const auto* message = std::get_if<Message>(&what)) return message->from_assistant ? "says" : "told";
    if (std::holds_alternative<SignOfLife>(what)) return "sign of life";
    return std::holds_alternative<Usage>(what) ? "usage" : "other";
}

Words words_of(const Result<Polled>& polled) {
    REQUIRE(polled);
    Words words;
    for (const SourceEvent& event : polled->events) words.push_back(word_of(event.what));
    return words;
}

/// A session file, and somebody who follows it.
struct Session {
    ScratchLog file;
    ManualClock clock{Instant{Elapsed{}, moment(0)}};
    TranscriptLog<ManualClock> log{FilePlace{file.path()}, {}, clock};
    std::string cursor{};

    void write(std::initializer_list<std::string> lines) {
        for (const std::string& line : lines) file.append(line + "\n");
    }
    Words poll(TranscriptLog<ManualClock>& with) {
        const auto polled = with.poll(cursor);
        const Words words = words_of(polled);
        cursor = polled->cursor;
        return words;
    }
    Words poll() { return poll(log); }
};

}  // namespace

TEST_CASE("TranscriptLog: a session file is told from its first line on, and each line once") {
    Session session;
    CHECK(session.poll().empty());  // there is none yet
    CHECK(session.cursor.empty());
    session.write({told(0), called(1, "a")});
    CHECK(session.poll() == Words{"told", "call a", "usage"});
    CHECK(session.log.format() == "claude-code");
    CHECK(session.log.totals().doing == "Bash");
    CHECK(session.poll().empty());
    session.file.append(answered(2, "a"));
    CHECK(session.poll().empty());  // a line that is not whole
    session.file.append("\n");
    CHECK(session.poll() == Words{"result a"});
    CHECK(session.log.totals().doing.empty());
    CHECK(session.log.totals().calls == 1);
    CHECK(session.log.totals().usage.tokens_in == 7);
    CHECK(session.log.totals().last == moment(2));
}

TEST_CASE("TranscriptLog: whoever has spoken waits when nothing followed, and not while more may follow") {
    Session session;
    session.write({told(0), said(10)});
    session.clock.advance(10s);
    CHECK(session.poll() == Words{"told", "says"});
    session.clock.advance(119s);
    CHECK(session.poll().empty());
    session.clock.advance(1s);
    const auto polled = session.log.poll(session.cursor);
    CHECK(words_of(polled) == Words{"waiting_human"});
    CHECK(polled->events.front().at == moment(10));  // since it spoke
    CHECK(session.log.totals().waits);
    CHECK(session.poll().empty());
    session.write({told(400)});
    CHECK(session.poll() == Words{"running", "told"});
    CHECK_FALSE(session.log.totals().waits);
}

TEST_CASE("TranscriptLog: after a restart nothing is told again, and what was open is known") {
    Session session;
    session.write({told(0), called(1, "a"), answered(2, "a"), called(3, "b")});
    CHECK(session.poll().size() == 6);
    TranscriptLog<ManualClock> next{FilePlace{session.file.path()}, {}, session.clock};
    CHECK(session.poll(next).empty());
    CHECK(next.totals().calls == 2);
    CHECK(next.totals().doing == "Bash");
    CHECK(next.format() == "claude-code");
    session.write({answered(4, "b"), said(5)});
    CHECK(session.poll(next) == Words{"result b", "says"});
    session.clock.advance(10min);
    // What could not be stored is asked for again.
    const std::string before = session.cursor;
    CHECK(session.poll(next) == Words{"waiting_human"});
    session.write({told(700)});
    session.cursor = before;
    CHECK(session.poll(next) == Words{"running", "told"});
    session.cursor.clear();
    CHECK(session.poll(next).size() == 11);
    CHECK(next.totals().calls == 2);
}

TEST_CASE("TranscriptLog: a file that is replaced is another session") {
    Session session;
    session.write({told(0), called(1, "a")});
    CHECK(session.poll().size() == 3);
    session.file.rewrite(told(60) + "\n" + called(61, "z") + "\n");
    session.file.append(answered(62, "z") + "\n");
    const auto polled = session.log.poll(session.cursor);
    CHECK(words_of(polled) == Words{"told", "call z", "usage", "result z"});
    CHECK(polled->problems.size() == 1);
    CHECK(session.log.totals().calls == 1);
}

TEST_CASE("TranscriptLog: what cannot be read is counted, and named once") {
    Session session;
    session.write({told(0), "{\"type\":\"user\"", R"({"type":"dream","sessionId":"s"})", R"({"type":"dream"})"});
    auto polled = session.log.poll(session.cursor);
    REQUIRE(polled);
    REQUIRE(polled->problems.size() == 2);
    CHECK(polled->problems[0].code == ErrorCode::corrupt);
    CHECK(polled->problems[0].message.find("1 line is no JSON, first at byte " + std::to_string(told(0).size() + 1)) !=
          std::string::npos);
    CHECK(polled->problems[1].code == ErrorCode::unsupported);
    CHECK(polled->problems[1].message.find("'dream' is not known in the format claude-code") != std::string::npos);
    session.write({R"({"type":"dream"})"});
    polled = session.log.poll(polled->cursor);
    REQUIRE(polled);
    CHECK(polled->problems.empty());

    Session other;
    for (int i = 0; i < 60; ++i) other.write({R"({"hello":"world"})"});
    polled = other.log.poll({});
    REQUIRE(polled);
    REQUIRE(polled->problems.size() == 1);
    CHECK(polled->problems[0].message.find("in no format of a session") != std::string::npos);
    CHECK(polled->events.empty());
    other.write({R"({"hello":"again"})"});
    polled = other.log.poll(polled->cursor);
    REQUIRE(polled);
    CHECK(polled->problems.empty());
}

TEST_CASE("TranscriptLog: what sub-agents do in the same file is a sign of life, and no call of the session") {
    Session session;
    session.write({told(0), called(1, "a")});
    std::string beside = called(2, "x");
    beside.replace(beside.find("\"isSidechain\":false"), 19, "\"isSidechain\":true");
    session.write({beside});
    CHECK(session.poll() == Words{"told", "call a", "usage", "sign of life", "sign of life"});
    CHECK(session.log.totals().calls == 1);
    CHECK(session.log.totals().last == moment(2));
}

TEST_CASE("TranscriptLog: a long history is read in parts") {
    Session session;
    session.write({told(0)});
    for (int i = 0; i < 50; ++i) session.write({called(i, std::to_string(i)), answered(i, std::to_string(i))});
    TranscriptLogSettings small;
    small.read_bytes = 2000;
    TranscriptLog<ManualClock> log{FilePlace{session.file.path()}, small, session.clock};
    std::size_t calls = 0;
    std::string cursor;
    for (bool more = true; more;) {
        const auto polled = log.poll(cursor);
        REQUIRE(polled);
        for (const SourceEvent& event : polled->events) calls += std::holds_alternative<ToolCall>(event.what);
        cursor = polled->cursor;
        more = polled->more;
    }
    CHECK(calls == 50);
    TranscriptLog<ManualClock> next{FilePlace{session.file.path()}, small, session.clock};
    const auto polled = next.poll(cursor);
    REQUIRE(polled);
    CHECK(polled->events.empty());
    CHECK(next.totals().calls == 50);
}
