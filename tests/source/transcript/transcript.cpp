#include <heeler/source/transcript.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// What a transcript tells, a word each: "call read_file", "result ok", "said", "thought"...
class Told {
public:
    Told(std::initializer_list<std::string_view> lines) {
        for (const std::string_view line : lines)
            if (transcript_.recognise(line)) break;
        for (const std::string_view line : lines) errors_ += !transcript_.read(line);
        transcript_.conversation().pause();
    }

    [[nodiscard]] std::string_view format() const { return transcript_.format(); }
    [[nodiscard]] int errors() const { return errors_; }
    [[nodiscard]] Conversation& conversation() { return transcript_.conversation(); }

    [[nodiscard]] std::vector<std::string> words() {
        std::vector<std::string> all;
        for (const TranscriptEvent& event : conversation().events()) {
            std::string word = std::visit([](const auto& what) { return word_of(what); }, event.what);
            if (!event.run.empty()) word = std::string{event.run} + ": " + word;
            if (!word.ends_with("alive")) all.push_back(std::move(word));
        }
        return all;
    }

    /// The sum of all that was billed.
    [[nodiscard]] Usage usage() {
        Usage sum;
        for (const TranscriptEvent& event : conversation().events())
            if (const auto* part = std::get_if<Usage>(&event.what)) {
                sum.tokens_in += part->tokens_in;
                sum.tokens_out += part->tokens_out;
                sum.api_calls += part->api_calls;
                sum.cost_usd += part->cost_usd;
            }
        return sum;
    }

private:
    static std::string word_of(const ToolCall& call) {
        return "call " + std::string{call.name} + " " + std::string{call.args} + " #" + std::string{call.call_id};
    }
    static std::string word_of(const ToolResult& result) {
        const std::string_view ok = !result.ok ? "?" : *result.ok ? "ok" : "failed";
        return "result " + std::string{ok} + " " + std::string{result.output} + " #" + std::string{result.call_id};
    }
    static std::string word_of(const Message& message) {
        return (message.from_assistant ? "says " : "told ") + std::string{message.text};
    }
    static std::string word_of(const StateChange& change) { return std::string{name_of(change.state)}; }
    static std::string word_of(const Usage&) { return "usage"; }
    static std::string word_of(const Compaction& what) { return "compaction " + std::to_string(what.tokens_before); }
    static std::string word_of(const Heartbeat&) { return "alive"; }
    template <class Other>
    static std::string word_of(const Other&) {
        return "other";
    }

    Transcript transcript_;
    int errors_ = 0;
};

using Words = std::vector<std::string>;

WallTime at(int second) { return *text::parse_timestamp("2026-03-01T10:00:00Z") + std::chrono::seconds{second}; }

}  // namespace

TEST_CASE("Claude Code: calls, results, a usage that is repeated, and whose turn it is") {
    Told told{
        R"({"type":"file-history-snapshot","messageId":"m0","snapshot":{}})",
        R"({"type":"user","sessionId":"s1","isSidechain":false,"timestamp":"2026-03-01T10:00:00Z","message":{"role":"user","content":"Fix the test"}})",
        R"({"type":"assistant","sessionId":"s1","isSidechain":false,"timestamp":"2026-03-01T10:00:05Z","message":{"id":"m1","content":[{"type":"thinking","thinking":"Where is it?"}],"usage":{"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":4}}})",
        R"({"type":"assistant","sessionId":"s1","isSidechain":false,"timestamp":"2026-03-01T10:00:06Z","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make test"}}],"usage":{"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":30}}})",
        R"({"type":"user","sessionId":"s1","isSidechain":false,"timestamp":"2026-03-01T10:00:09Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"1 failed"},{"type":"text","text":"2 passed"}]}]}})",
        R"({"type":"assistant","sessionId":"s1","isSidechain":false,"timestamp":"2026-03-01T10:00:20Z","message":{"id":"m2","content":[{"type":"text","text":"It fails."}]}})",
        R"({"type":"user","sessionId":"s1","isSidechain":false,"timestamp":"2026-03-03T09:00:00Z","message":{"role":"user","content":[{"type":"text","text":"Go on"}]}})",
    };
    CHECK(told.format() == "claude-code");
    CHECK(told.errors() == 0);
    CHECK(told.words() ==
          Words{"told Fix the test", "says Where is it?", "usage", R"(call Bash {"command":"make test"} #t1)", "usage",
                "result failed 1 failed\n2 passed #t1", "says It fails.", "waiting_human", "running", "told Go on"});
    CHECK(told.usage().tokens_in == 100);
    CHECK(told.usage().tokens_out == 30);
    CHECK(told.usage().api_calls == 1);
    CHECK(told.conversation().session() == "s1");
    CHECK(told.conversation().task() == "Fix the test");
    CHECK(told.conversation().began() == at(0));
    for (const TranscriptEvent& event : told.conversation().events())
        if (const auto* change = std::get_if<StateChange>(&event.what);
            change && change->state == RunState::waiting_human)
            CHECK(event.at == at(20));  // since it spoke, not since somebody looked
    CHECK(told.conversation().unknown().empty());
}

TEST_CASE("Claude Code: a session that nobody has told anything waits, and so does one that was interrupted") {
    Told told{
        R"({"type":"user","sessionId":"s","parentUuid":"p","timestamp":"2026-03-01T10:00:00Z","isMeta":true,"message":{"content":"Caveat"}})",
        R"({"type":"user","sessionId":"s","parentUuid":"p","timestamp":"2026-03-01T10:00:01Z","message":{"content":"<command-name>/model</command-name>"}})",
        R"({"type":"user","sessionId":"s","parentUuid":"p","timestamp":"2026-03-01T10:09:00Z","message":{"content":"Begin"}})",
        R"({"type":"assistant","sessionId":"s","parentUuid":"p","timestamp":"2026-03-01T10:09:01Z","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}})",
        R"({"type":"user","sessionId":"s","parentUuid":"p","timestamp":"2026-03-01T10:09:09Z","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}})",
    };
    CHECK(told.words() == Words{"waiting_human", "running", "told Begin", "call Bash {} #t", "waiting_human"});
}

TEST_CASE("Claude Code: questions, compaction, a provider that is retried, a sub-agent in the same file") {
    Told told{
        R"({"type":"user","sessionId":"s","parentUuid":"p","timestamp":"2026-03-01T10:00:00Z","message":{"content":"Begin"}})",
        R"({"type":"assistant","sessionId":"s","parentUuid":"p","timestamp":"2026-03-01T10:00:01Z","message":{"content":[{"type":"tool_use","id":"q","name":"AskUserQuestion","input":{}}]}})",
        R"({"type":"user","sessionId":"s","parentUuid":"p","timestamp":"2026-03-01T11:00:00Z","message":{"content":[{"type":"tool_result","tool_use_id":"q","content":"blue"}]}})",
        R"({"type":"system","sessionId":"s","parentUuid":"p","timestamp":"2026-03-01T11:00:01Z","subtype":"compact_boundary","compactMetadata":{"preTokens":150000}})",
        R"({"type":"system","sessionId":"s","parentUuid":"p","timestamp":"2026-03-01T11:00:02Z","subtype":"api_error","retryInMs":30000})",
        R"({"type":"assistant","sessionId":"s","parentUuid":"p","timestamp":"2026-03-01T11:00:40Z","isSidechain":true,"message":{"content":[{"type":"text","text":"I look"}]}})",
        R"({"type":"nonsense","sessionId":"s","parentUuid":"p"})",
        R"({"type":"nonsense","sessionId":"s","parentUuid":"p"})",
    };
    CHECK(told.words() == Words{"told Begin", "call AskUserQuestion {} #q", "waiting_human", "running",
                                "result ? blue #q", "compaction 150000", "rate_limited", "sub-agent: says I look",
                                "sub-agent: waiting_human"});
    REQUIRE(told.conversation().unknown().size() == 1);
    CHECK(told.conversation().unknown().at("nonsense") == 2);
}

TEST_CASE("Codex: items of a rollout, totals that repeat, the end of a turn") {
    Told told{
        R"({"timestamp":"2026-03-01T10:00:00Z","type":"session_meta","payload":{"id":"c1"}})",
        R"({"timestamp":"2026-03-01T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>"}]}})",
        R"({"timestamp":"2026-03-01T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"List the files"}]}})",
        R"({"timestamp":"2026-03-01T10:00:02Z","type":"event_msg","payload":{"type":"token_count","info":null}})",
        R"({"timestamp":"2026-03-01T10:00:03Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"k1"}})",
        R"({"timestamp":"2026-03-01T10:00:04Z","type":"response_item","payload":{"type":"function_call_output","call_id":"k1","output":"{\"output\":\"a.txt\",\"metadata\":{\"exit_code\":0}}"}})",
        R"({"timestamp":"2026-03-01T10:00:05Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":100,"output_tokens":10}}}})",
        R"({"timestamp":"2026-03-01T10:00:05Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":100,"output_tokens":10}}}})",
        R"({"timestamp":"2026-03-01T10:00:06Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"One file."}]}})",
        R"({"timestamp":"2026-03-01T10:00:06Z","type":"event_msg","payload":{"type":"agent_message","message":"One file."}})",
        R"({"timestamp":"2026-03-01T10:00:07Z","type":"event_msg","payload":{"type":"task_complete"}})",
    };
    CHECK(told.format() == "codex");
    CHECK(told.words() == Words{"waiting_human", "running", "told List the files",
                                R"(call shell {"command":["ls"]} #k1)", "result ok a.txt #k1", "usage",
                                "says One file.", "waiting_human"});
    CHECK(told.usage().tokens_in == 100);
    CHECK(told.conversation().session() == "c1");
}

TEST_CASE("codex exec: items that start and are completed, without a clock") {
    Told told{
        R"({"type":"thread.started","thread_id":"x"})",
        R"({"type":"turn.started"})",
        R"({"type":"item.started","item":{"id":"i1","type":"command_execution","command":"ls","status":"in_progress"}})",
        R"({"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"ls","aggregated_output":"a","exit_code":2,"status":"failed"}})",
        R"({"type":"item.completed","item":{"id":"i2","type":"file_change","changes":[{"path":"a"}],"status":"completed"}})",
        R"({"type":"item.completed","item":{"id":"i3","type":"agent_message","text":"Done"}})",
        R"({"type":"turn.completed","usage":{"input_tokens":7,"output_tokens":2}})",
    };
    CHECK(told.format() == "codex-exec");
    CHECK(told.words() == Words{"told ", "call command_execution ls #i1", "result failed a #i1",
                                R"(call file_change [{"path":"a"}] #i2)", "result ok completed #i2", "says Done",
                                "usage", "waiting_human"});
    for (const TranscriptEvent& event : told.conversation().events()) CHECK_FALSE(event.at);
}

TEST_CASE("Gemini: a document, or lines, and a call stands there with its result") {
    const std::string_view message =
        R"({"id":"g1","timestamp":"2026-03-01T10:00:05Z","type":"gemini","content":"I read it.","tokens":{"input":50,"output":5,"thoughts":2},"toolCalls":[{"id":"t1","name":"read_file","args":{"path":"a"},"status":"success","result":[{"functionResponse":{"response":{"output":"hello"}}}]},{"id":"t2","name":"edit","args":{},"status":"error","result":[{"functionResponse":{"response":{"error":"no such file"}}}]}]})";
    const std::string head = R"({"sessionId":"g","projectHash":"h","startTime":"2026-03-01T10:00:00Z")";
    const std::string_view user =
        R"({"id":"u1","timestamp":"2026-03-01T10:00:01Z","type":"user","content":[{"text":"Read it"}]})";
    const std::string document = head + R"(,"messages":[)" + std::string{user} + "," + std::string{message} + "]}";
    const Words expected{"told Read it",
                         "usage",
                         "says I read it.",
                         R"(call read_file {"path":"a"} #t1)",
                         "call edit {} #t2",
                         "result ok hello #t1",
                         "result failed no such file #t2"};

    Told whole{document};
    CHECK(whole.format() == "gemini");
    CHECK(whole.words() == expected);
    Told lines{head + "}", user, R"({"$set":{"lastUpdated":"now"}})", message};
    CHECK(lines.words() == expected);
    CHECK(lines.usage().tokens_out == 7);

    // A message is written again as a whole whenever there is more of it.
    const std::string_view begun =
        R"({"id":"g1","timestamp":"2026-03-01T10:00:05Z","type":"gemini","content":"I read it.","tokens":{"input":50,"output":1},"toolCalls":[{"id":"t1","name":"read_file","args":{"path":"a"},"status":"executing"}]})";
    Told again{head + "}", user, user, begun, begun, message, message};
    CHECK(again.words() == Words{"told Read it", "usage", "says I read it.", R"(call read_file {"path":"a"} #t1)",
                                 "usage", "call edit {} #t2", "result ok hello #t1", "result failed no such file #t2"});
    CHECK(again.usage().tokens_out == 7);
}

TEST_CASE("OpenHands: actions and what answers them, and of several tasks in a file each is a run") {
    const std::string events =
        R"([{"id":1,"timestamp":"2026-03-01T10:00:00.5","source":"user","action":"message","args":{"content":"Do it"}},)"
        R"({"id":2,"timestamp":"2026-03-01T10:00:01","source":"agent","action":"run","args":{"command":"ls"},"tool_call_metadata":{"function_name":"execute_bash","model_response":{"id":"r1","usage":{"prompt_tokens":9,"completion_tokens":3}}}},)"
        R"({"id":3,"timestamp":"2026-03-01T10:00:02","source":"agent","observation":"run","cause":2,"content":"none","extras":{"metadata":{"exit_code":1}}},)"
        R"({"id":4,"timestamp":"2026-03-01T10:00:03","source":"agent","action":"finish","args":{"final_thought":"Done"}}])";
    Told told{events};
    CHECK(told.format() == "openhands");
    CHECK(told.words() == Words{"told Do it", R"(call execute_bash {"command":"ls"} #2)", "usage",
                                "result failed none #2", "says Done", "waiting_human"});

    Told two{R"({"instance_id":"one","history":)" + events + "}", R"({"instance_id":"two","history":)" + events + "}"};
    CHECK(two.conversation().session() == "one");
    CHECK(two.words().size() == 12);
    CHECK(two.words().back() == "two: waiting_human");
}

TEST_CASE("OpenHands, version 1: an event is what its kind says, and a call is named on both sides") {
    Told told{
        R"({"kind":"SystemPromptEvent","id":"e0","timestamp":"2026-03-01T10:00:00","source":"agent","system_prompt":{}})",
        R"({"kind":"MessageEvent","id":"e1","timestamp":"2026-03-01T10:00:01","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"Do it"}]}})",
        R"({"kind":"ActionEvent","id":"e2","timestamp":"2026-03-01T10:00:02","source":"agent","thought":[{"type":"text","text":"Look"}],"action":{"kind":"TerminalAction","command":"ls"},"tool_name":"terminal","tool_call_id":"c1","tool_call":{"arguments":"{\"command\":\"ls\"}"}})",
        R"({"kind":"ObservationEvent","id":"e3","timestamp":"2026-03-01T10:00:03","source":"environment","tool_name":"terminal","tool_call_id":"c1","action_id":"e2","observation":{"kind":"TerminalObservation","content":[{"type":"text","text":"none"}],"is_error":false,"exit_code":2}})",
        R"({"kind":"ActionEvent","id":"e4","source":"agent","thought":[],"action":{"kind":"FileEditorAction","path":"a"},"tool_name":"file_editor","tool_call_id":"c2"})",
        R"({"kind":"AgentErrorEvent","id":"e5","source":"agent","tool_name":"file_editor","tool_call_id":"c2","error":"bad path"})",
        R"({"kind":"ConversationStateUpdateEvent","id":"e6","source":"environment","key":"stats","value":{"usage_to_metrics":{"agent":{"accumulated_cost":0.5,"accumulated_token_usage":{"prompt_tokens":100,"completion_tokens":9}},"condenser":{"accumulated_token_usage":{"prompt_tokens":1}}}}})",
        R"({"kind":"ConversationStateUpdateEvent","id":"e7","source":"environment","key":"stats","value":{"usage_to_metrics":{"agent":{"accumulated_cost":0.75,"accumulated_token_usage":{"prompt_tokens":150,"completion_tokens":9}}}}})",
        R"({"kind":"Condensation","id":"e8","source":"environment"})",
        R"({"kind":"HologramEvent","id":"e9","source":"environment"})",
        R"({"kind":"ActionEvent","id":"e10","source":"agent","thought":[],"action":{"kind":"FinishAction","message":"Done"},"tool_name":"finish","tool_call_id":"c3"})",
        R"({"kind":"ConversationStateUpdateEvent","id":"e11","source":"environment","key":"execution_status","value":"finished"})",
    };
    CHECK(told.format() == "openhands");
    CHECK(told.errors() == 0);
    CHECK(told.words() ==
          Words{"waiting_human", "running", "told Do it", "says Look", R"(call terminal {"command":"ls"} #c1)",
                "result failed none #c1", R"(call file_editor {"kind":"FileEditorAction","path":"a"} #c2)",
                "result failed bad path #c2", "usage", "usage", "compaction 0", "says Done", "waiting_human"});
    CHECK(told.usage().tokens_in == 150);
    CHECK(told.usage().cost_usd == Approx(0.75));
    CHECK(told.conversation().unknown().count("HologramEvent") == 1);
}

TEST_CASE("SWE-agent: steps of a trajectory, and how it ended") {
    Told told{
        R"({"environment":"swe_main","history":[{"role":"system","content":"You are"},{"role":"user","content":"Solve it"}],"trajectory":[{"thought":"Look","action":"ls -l\n","observation":"a"},{"thought":"","action":"submit","observation":""}],"info":{"exit_status":"submitted","model_stats":{"tokens_sent":500,"tokens_received":20,"api_calls":2}}})"};
    CHECK(told.format() == "swe-agent");
    CHECK(told.words() == Words{"told Solve it", "says Look", "call ls ls -l\n #", "result ? a #",
                                "call submit submit #", "result ?  #", "usage", "completed"});
}

TEST_CASE("pi: messages by role, compaction, and the end of a turn") {
    Told told{
        R"({"type":"session","id":"p1","timestamp":"2026-03-01T10:00:00Z"})",
        R"({"type":"message","timestamp":"2026-03-01T10:00:01Z","message":{"role":"user","content":[{"type":"text","text":"Read"}]}})",
        R"({"type":"message","timestamp":"2026-03-01T10:00:02Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"read","arguments":{"path":"a"}}],"usage":{"input":1,"cacheRead":2,"cacheWrite":3,"output":4},"stopReason":"toolUse"}})",
        R"({"type":"message","timestamp":"2026-03-01T10:00:03Z","message":{"role":"toolResult","toolCallId":"t","content":[{"type":"text","text":"A"}],"isError":false}})",
        R"({"type":"compaction","timestamp":"2026-03-01T10:00:04Z","tokensBefore":1000})",
        R"({"type":"message","timestamp":"2026-03-01T10:00:05Z","message":{"role":"assistant","content":[{"type":"text","text":"It says A."}],"stopReason":"stop"}})",
    };
    CHECK(told.format() == "pi");
    CHECK(told.words() == Words{"told Read", R"(call read {"path":"a"} #t)", "usage", "result ok A #t",
                                "compaction 1000", "says It says A.", "waiting_human"});
    CHECK(told.usage().tokens_in == 6);
}

TEST_CASE("Claude Code's stream: messages, a sub-agent's, what it was told meanwhile, and what each turn cost") {
    Told told{
        R"({"type":"system","subtype":"init","session_id":"s1","cwd":"/work","tools":[],"uuid":"u0"})",
        R"({"type":"assistant","session_id":"s1","parent_tool_use_id":null,"message":{"id":"m1","stop_reason":null,"content":[{"type":"text","text":"I look."}],"usage":{"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":1}}})",
        R"({"type":"assistant","session_id":"s1","parent_tool_use_id":null,"message":{"id":"m1","stop_reason":null,"content":[{"type":"tool_use","id":"t1","name":"Task","input":{"prompt":"look"}}],"usage":{"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":5}}})",
        R"({"type":"assistant","session_id":"s1","parent_tool_use_id":"t1","message":{"id":"m2","content":[{"type":"tool_use","id":"t2","name":"Read","input":{}}]}})",
        R"({"type":"stream_event","session_id":"s1","parent_tool_use_id":null,"event":{"type":"message_start"}})",
        R"({"type":"user","session_id":"s1","parent_tool_use_id":null,"isReplay":true,"message":{"role":"user","content":[{"type":"text","text":"Stop that"}]}})",
        R"({"type":"user","session_id":"s1","parent_tool_use_id":null,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"found"}]}})",
        R"({"type":"user","session_id":"s1","parent_tool_use_id":null,"isSynthetic":true,"message":{"role":"user","content":"a hook said"}})",
        R"({"type":"control_request","session_id":"s1","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{}}})",
        R"({"type":"result","subtype":"success","session_id":"s1","is_error":false,"result":"Done","total_cost_usd":0.25,"usage":{"input_tokens":900,"output_tokens":900}})",
        R"({"type":"user","session_id":"s1","parent_tool_use_id":null,"isReplay":true,"message":{"role":"user","content":"Once more"}})",
        R"({"type":"result","subtype":"error_max_turns","session_id":"s1","is_error":true,"total_cost_usd":0.75})",
        R"({"type":"hologram","session_id":"s1"})",
    };
    CHECK(told.format() == "claude-stream");
    CHECK(told.errors() == 0);
    CHECK(told.words() == Words{"says I look.", "usage", R"(call Task {"prompt":"look"} #t1)", "usage",
                                "sub-agent: call Read {} #t2", "told Stop that", "result ? found #t1", "waiting_human",
                                "usage", "running", "told Once more", "usage", "waiting_human"});
    CHECK(told.usage().tokens_in == 100);  // what a result adds up was told before
    CHECK(told.usage().tokens_out == 5);
    CHECK(told.usage().cost_usd == Approx(0.75));
    CHECK(told.conversation().session() == "s1");
    CHECK(told.conversation().directory() == "/work");
    REQUIRE(told.conversation().unknown().size() == 1);
    CHECK(told.conversation().unknown().count("hologram") == 1);
}

TEST_CASE("the Gemini CLI's stream: what it says in pieces, calls, tokens at the end") {
    Told told{
        R"({"type":"init","timestamp":"2026-03-01T10:00:00.000Z","session_id":"g1","model":"gemini-3-pro"})",
        R"({"type":"message","timestamp":"2026-03-01T10:00:00.100Z","role":"user","content":"Read it"})",
        R"({"type":"message","timestamp":"2026-03-01T10:00:02.000Z","role":"assistant","content":"I ","delta":true})",
        R"({"type":"message","timestamp":"2026-03-01T10:00:02.100Z","role":"assistant","content":"read.","delta":true})",
        R"({"type":"tool_use","timestamp":"2026-03-01T10:00:03.000Z","tool_name":"read_file","tool_id":"t1","parameters":{"path":"a"}})",
        R"({"type":"tool_use","timestamp":"2026-03-01T10:00:03.100Z","tool_name":"read_file","tool_id":"t2","parameters":{"path":"b"}})",
        R"({"type":"tool_result","timestamp":"2026-03-01T10:00:04.000Z","tool_id":"t2","status":"error","error":{"type":"x","message":"no such file"}})",
        R"({"type":"tool_result","timestamp":"2026-03-01T10:00:05.000Z","tool_id":"t1","status":"success","output":"A"})",
        R"({"type":"error","timestamp":"2026-03-01T10:00:06.000Z","severity":"warning","message":"slow"})",
        R"({"type":"result","timestamp":"2026-03-01T10:00:09.000Z","status":"success","stats":{"total_tokens":70,"input_tokens":60,"output_tokens":10,"tool_calls":2}})",
    };
    CHECK(told.format() == "gemini-stream");
    CHECK(told.words() == Words{"told Read it", "says I ", "says read.", R"(call read_file {"path":"a"} #t1)",
                                R"(call read_file {"path":"b"} #t2)", "result failed no such file #t2",
                                "result ok A #t1", "usage", "waiting_human"});
    CHECK(told.usage().tokens_in == 60);
    CHECK(told.conversation().began() == at(0));
    CHECK(told.conversation().unknown().empty());
}

TEST_CASE(
    "OpenTelemetry: calls with their results, tokens of model calls, and a call whose arguments are not recorded") {
    const auto span = [](std::string attributes, std::string rest) {
        return R"({"resourceSpans":[{"resource":{},"scopeSpans":[{"spans":[{"traceId":"t","attributes":[)" +
               attributes + "]," + rest + "}]}]}]}";
    };
    const auto text = [](std::string key, std::string value) {
        return R"({"key":")" + key + R"(","value":{"stringValue":")" + value + R"("}})";
    };
    const std::string chat = text("gen_ai.operation.name", "chat") + "," + text("gen_ai.conversation.id", "c1");
    const std::string tool = text("gen_ai.operation.name", "execute_tool") + "," + text("gen_ai.tool.name", "search");
    const std::string times = R"("startTimeUnixNano":"1772359201000000000","endTimeUnixNano":1772359203500000000)";
    const std::string lines[] = {
        R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"GET","attributes":[]}]}]}]})",
        span(
            chat +
                R"(,{"key":"gen_ai.usage.input_tokens","value":{"intValue":"12"}},)"
                R"({"key":"gen_ai.usage.completion_tokens","value":{"intValue":3}},)" +
                text(
                    "gen_ai.output.messages",
                    R"([{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"I search\"},{\"type\":\"tool_call\"}]}])"),
            times),
        span(tool + "," + text("gen_ai.tool.call.id", "k1") + "," + text("gen_ai.tool.call.arguments", "{}") + "," +
                 text("gen_ai.tool.call.result", "none"),
             times + R"(,"status":{"code":2})"),
        span(chat, times + R"(,"status":{"code":2,"message":"overloaded"},"spanId":"m2")"),
        span(chat + "," + text("error.type", "429"), times + R"(,"spanId":"m3")"),
        R"({"name":"chat","context":{"trace_id":"t"},"end_time":"2026-03-01T10:00:04Z","status":{"status_code":"ERROR"},"attributes":{"gen_ai.operation.name":"chat","gen_ai.conversation.id":"c1","error.type":"timeout"}})",
        span(tool, times),
        R"({"name":"execute_tool search","context":{"trace_id":"t"},"start_time":"2026-03-01T10:00:05Z","end_time":"2026-03-01T10:00:06Z","status":{"status_code":"OK"},"attributes":{"gen_ai.operation.name":"execute_tool","gen_ai.conversation.id":"c2","gen_ai.tool.name":"fetch","gen_ai.tool.call.id":"k2","gen_ai.tool.call.arguments":"{\"a\":1}","gen_ai.tool.call.result":"A"}})",
        span(text("gen_ai.operation.name", "invoke_agent"),
             R"("parentSpanId":"","endTimeUnixNano":"1772359210000000000")"),
    };
    Told told{lines[0], lines[1], lines[2], lines[3], lines[4], lines[5], lines[6], lines[7], lines[8]};
    CHECK(told.format() == "otel");
    CHECK(told.words() == Words{"usage", "says I search", "call search {} #k1", "result failed none #k1", "usage",
                                "result failed error:  #m2", "usage", "result failed error: 429 #m3", "usage",
                                "result failed error: timeout #", R"(c2: call fetch {"a":1} #k2)",
                                "c2: result ok A #k2", "waiting_human"});
    CHECK(told.usage().tokens_in == 12);
    CHECK(told.usage().tokens_out == 3);
    CHECK(told.conversation().session() == "c1");
    for (const TranscriptEvent& event : told.conversation().events())
        if (const auto* result = std::get_if<ToolResult>(&event.what); result && result->call_id == "k1")
            CHECK(event.at == at(3) + 500ms);
    CHECK(told.conversation().unknown().count("execute_tool without gen_ai.tool.call.arguments") == 1);
}

TEST_CASE("Copilot CLI: calls when they begin, a sub-agent, the end of a turn") {
    Told told{
        R"({"type":"session.start","data":{"sessionId":"c1","context":{"cwd":"/work"}},"timestamp":"2026-03-01T10:00:00Z"})",
        R"({"type":"user.message","data":{"content":"List"},"timestamp":"2026-03-01T10:00:01Z"})",
        R"({"type":"assistant.message","data":{"messageId":"m1","content":"I list.","toolRequests":[{"toolCallId":"k1","name":"bash"}],"outputTokens":12},"timestamp":"2026-03-01T10:00:02Z"})",
        R"({"type":"tool.execution_start","data":{"toolCallId":"k1","toolName":"bash","arguments":{"command":"ls"}},"timestamp":"2026-03-01T10:00:03Z"})",
        R"({"type":"tool.execution_start","data":{"parentToolCallId":"k1","toolCallId":"k2","toolName":"view","arguments":{}},"timestamp":"2026-03-01T10:00:03Z"})",
        R"({"type":"tool.execution_complete","data":{"toolCallId":"k1","success":false,"result":{"content":"none"}},"timestamp":"2026-03-01T10:00:04Z"})",
        R"({"type":"session.usage_checkpoint","data":{}})",
        R"({"type":"assistant.turn_end","data":{"turnId":"t"},"timestamp":"2026-03-01T10:00:05Z"})",
        R"({"type":"hologram","data":{}})",
    };
    CHECK(told.format() == "copilot");
    CHECK(told.words() == Words{"told List", "says I list.", "usage", R"(call bash {"command":"ls"} #k1)",
                                "sub-agent: call view {} #k2", "result failed none #k1", "waiting_human"});
    CHECK(told.conversation().session() == "c1");
    CHECK(told.conversation().unknown().size() == 1);
}

TEST_CASE("Cursor: messages without ids, and the end of a turn") {
    Told told{
        R"({"role":"user","message":{"content":[{"type":"text","text":"List"}]}})",
        R"({"role":"assistant","message":{"content":[{"type":"thinking","thinking":"Hm"},{"type":"tool_use","name":"Bash","input":{"command":"ls"}}]}})",
        R"({"role":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"a"}]}]}})",
        R"({"role":"assistant","message":{"content":[{"type":"text","text":"a"}]}})",
        R"({"type":"turn_ended","status":"success"})",
    };
    CHECK(told.format() == "cursor");
    CHECK(told.words() ==
          Words{"told List", "says Hm", R"(call Bash {"command":"ls"} #)", "result ? a #", "says a", "waiting_human"});
}

TEST_CASE("droid: a session, and a stream") {
    Told session{
        R"({"type":"session_start","id":"d1","cwd":"/work"})",
        R"({"type":"message","timestamp":"2026-03-01T10:00:01Z","message":{"role":"user","content":[{"type":"text","text":"List"}]}})",
        R"({"type":"message","timestamp":"2026-03-01T10:00:02Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Execute","input":{}}]}})",
        R"({"type":"message","timestamp":"2026-03-01T10:00:03Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"none"}]}})",
    };
    CHECK(session.format() == "droid");
    CHECK(session.words() == Words{"told List", "call Execute {} #t1", "result failed none #t1"});

    Told stream{
        R"({"type":"system","subtype":"init","sessionId":"d2","model":"m","id":"s","cwd":"/work","timestamp":1772359200000})",
        R"({"type":"message","sessionId":"d2","role":"user","text":"List","timestamp":1772359201000})",
        R"({"type":"tool_call","sessionId":"d2","toolCallId":"k1","toolName":"Shell","parameters":{"command":"ls"},"timestamp":1772359202000})",
        R"({"type":"tool_result","sessionId":"d2","toolCallId":"k1","value":{"stdout":"a","exitCode":0},"timestamp":1772359203000})",
        R"({"type":"completion","sessionId":"d2","finalText":"Done","usage":{"input_tokens":9,"output_tokens":2},"timestamp":1772359204000})",
    };
    CHECK(stream.format() == "droid-stream");
    CHECK(stream.words() == Words{"told List", R"(call Shell {"command":"ls"} #k1)", "result ok a #k1", "usage",
                                  "says Done", "waiting_human"});
    CHECK(stream.conversation().session() == "d2");
}

TEST_CASE("Grok: what its model has seen") {
    Told told{
        R"({"type":"system","content":"You are"})",
        R"({"type":"user","content":[{"type":"text","text":"<user_info>"}],"synthetic_reason":"environment_context"})",
        R"({"type":"user","content":[{"type":"text","text":"List"}],"prompt_index":0})",
        R"({"type":"assistant","content":"I list.","tool_calls":[{"id":"k1","name":"run","arguments":"{\"command\":\"ls\"}"}],"model_id":"grok"})",
        R"({"type":"tool_result","tool_call_id":"k1","content":"a"})",
        R"({"type":"assistant","content":"a","model_id":"grok"})",
    };
    CHECK(told.format() == "grok");
    CHECK(told.words() == Words{"waiting_human", "running", "told List", "says I list.",
                                R"(call run {"command":"ls"} #k1)", "result ? a #k1", "says a", "waiting_human"});
}

TEST_CASE("Kimi: records of its loop, and what each step consumed") {
    Told told{
        R"({"type":"metadata","protocol_version":"1.4","created_at":1772359200000})",
        R"({"type":"config.update","time":1772359200000})",
        R"({"type":"turn.prompt","input":[{"type":"text","text":"List"}],"time":1772359201000})",
        R"({"type":"context.append_message","message":{"role":"user"},"time":1772359201000})",
        R"({"type":"context.append_loop_event","event":{"type":"content.part","part":{"type":"think","think":"Hm"}},"time":1772359202000})",
        R"({"type":"context.append_loop_event","event":{"type":"tool.call","toolCallId":"B0","name":"Bash","args":{"command":"ls"}},"time":1772359203000})",
        R"({"type":"context.append_loop_event","event":{"type":"tool.result","toolCallId":"B0","result":{"output":"a"}},"time":1772359204000})",
        R"({"type":"usage.record","usage":{"inputOther":10,"inputCacheRead":90,"output":5},"time":1772359205000})",
        R"({"type":"context.append_loop_event","event":{"type":"content.part","part":{"type":"text","text":"a"}},"time":1772359206000})",
        R"({"type":"context.append_loop_event","event":{"type":"step.end","finishReason":"end_turn"},"time":1772359206000})",
    };
    CHECK(told.format() == "kimi");
    CHECK(told.words() == Words{"waiting_human", "running", "told List", "says Hm", R"(call Bash {"command":"ls"} #B0)",
                                "result ? a #B0", "usage", "says a", "waiting_human"});
    CHECK(told.usage().tokens_in == 100);
    CHECK(told.conversation().began() == at(0));
}

TEST_CASE("Qwen Code: parts of messages, in lines like Claude Code's") {
    Told told{
        R"({"uuid":"u1","parentUuid":null,"sessionId":"q1","timestamp":"2026-03-01T10:00:00Z","type":"user","cwd":"/work","message":{"role":"user","parts":[{"text":"Read"}]}})",
        R"({"uuid":"u2","parentUuid":"u1","sessionId":"q1","timestamp":"2026-03-01T10:00:01Z","type":"assistant","message":{"role":"model","parts":[{"text":"Hm","thought":true},{"functionCall":{"id":"k1","name":"read_file","args":{"path":"a"}}}]},"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2}})",
        R"({"uuid":"u3","parentUuid":"u2","sessionId":"q1","timestamp":"2026-03-01T10:00:02Z","type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"k1","name":"read_file","response":{"output":"A"}}}]},"toolCallResult":{"callId":"k1","status":"error"}})",
        R"({"uuid":"u4","parentUuid":"u3","sessionId":"q1","timestamp":"2026-03-01T10:00:03Z","type":"user","subtype":"notification","message":{"role":"user","parts":[{"text":"in the background"}]}})",
        R"({"uuid":"u5","parentUuid":"u4","sessionId":"q1","timestamp":"2026-03-01T10:00:04Z","type":"assistant","message":{"role":"model","parts":[{"text":"A."}]}})",
    };
    CHECK(told.format() == "qwen");
    CHECK(told.words() == Words{"told Read", "says Hm", R"(call read_file {"path":"a"} #k1)", "usage",
                                "result failed A #k1", "says A.", "waiting_human"});
    CHECK(told.conversation().directory() == "/work");
}

TEST_CASE("Antigravity: a step for each call, in their order") {
    Told told{
        R"({"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","created_at":"2026-03-01T10:00:00Z","content":"List"})",
        R"({"step_index":1,"source":"SYSTEM","type":"CONVERSATION_HISTORY","status":"DONE","created_at":"2026-03-01T10:00:00Z"})",
        R"({"step_index":2,"source":"MODEL","type":"PLANNER_RESPONSE","status":"DONE","created_at":"2026-03-01T10:00:01Z","thinking":"Hm","tool_calls":[{"name":"list_dir","args":{}},{"name":"view_file","args":{}}]})",
        R"({"step_index":3,"source":"MODEL","type":"LIST_DIRECTORY","status":"DONE","created_at":"2026-03-01T10:00:02Z","content":"a"})",
        R"({"step_index":4,"source":"MODEL","type":"VIEW_FILE","status":"ERROR","created_at":"2026-03-01T10:00:03Z","content":"none"})",
        R"({"step_index":5,"source":"MODEL","type":"PLANNER_RESPONSE","status":"DONE","created_at":"2026-03-01T10:00:04Z","content":"There is a."})",
    };
    CHECK(told.format() == "antigravity");
    CHECK(told.words() == Words{"told List", "says Hm", "call list_dir {} #2.0", "call view_file {} #2.1",
                                "result ? a #2.0", "result failed none #2.1", "says There is a.", "waiting_human"});
}

TEST_CASE("what is no transcript is none, and one bad line is one error") {
    CHECK(Told{R"({"type":"run","run":"r"})", R"({"type":"message","role":"user","text":"hi"})", "[]", "7"}
              .format()
              .empty());
    Told told{R"({"type":"session","id":"p1","timestamp":"2026-03-01T10:00:00Z"})", R"({"type":"mess)", "\x01\xFF",
              "[]", R"({"type":"message","message":{"role":"user","content":7}})"};
    CHECK(told.format() == "pi");
    CHECK(told.errors() == 2);
    CHECK(told.words() == Words{"told "});
}

TEST_CASE("a character that was cut in the middle does not hide a line") {
    Told told{R"({"type":"session","id":"p1","timestamp":"2026-03-01T10:00:00Z"})",
              "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"caf\xC3\"}}"};
    CHECK(told.errors() == 0);
    CHECK(told.words() == Words{"told caf\xEF\xBF\xBD"});
}
