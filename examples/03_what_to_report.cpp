// What a host can report of its agent. Each line is one call where the orchestrator sees the thing; none of them waits.
#include <cstdio>

#include <heeler/heeler.hpp>

int main() {
    using namespace heeler;
    Watchdog dog{SystemClock{}, MemoryStore{}, LogNotifier{}};
    const auto run = dog.start(
        {.name = "port-parser", .plan = {1, 2, 3}, .metric = MetricKind::reported, .metric_name = "passed tests"},
        presets::recommended());
    if (!run) return 1;
    const auto tell = [&](const char* what, const auto& observation) {
        const Observed heard = dog.observe(*run, observation);
        std::printf("%-12s %s\n", what, heard == Observed::ok ? "heard" : "not heard");
    };
    tell("Heartbeat", Heartbeat{});                                          // its process answers
    tell("Output", Output{"reading lexer.cpp\n"});                           // it prints, in any chunks
    tell("ToolCall", ToolCall{"grep", R"({"query":"TODO"})", "call-7"});     // it is about to use a tool
    tell("ToolResult", ToolResult{true, "3 matches", "call-7"});             // which answered
    tell("Message", Message{true, "I look at the tests"});                   // it says something
    tell("Progress", Progress{12});                                          // what you measure has a new value
    tell("Usage", Usage{.tokens_in = 900, .tokens_out = 80});                // what it has consumed since
    tell("StateChange", StateChange{RunState::waiting_human});               // its clocks stand while it waits
    tell("StateChange", StateChange{RunState::running});                     // and go on
    tell("SignOfLife", SignOfLife{"transcript"});                            // another source shows that it lives
    tell("Resource", Resource{"context", 150, 200});                         // how full something is
    if (!dog.checkpoint(*run, {.step = 1, .text = "lexer done"})) return 1;  // a step is done, durably
    if (!dog.finish(*run, RunEnd::completed)) return 1;                      // nothing is done to it any more
    tell("Heartbeat", Heartbeat{});                                          // too late
}
