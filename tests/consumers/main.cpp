// Watches a run that repeats itself: one of two sources of a program that include heeler.
#include <heeler/heeler.hpp>

#include "rules.hpp"

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    const heeler::RunClass rules = host::rules();
    if (!host::acts_on_loops(rules)) return 1;
    const auto run = dog.start({.name = "nightly-refactor", .task = "Make the tests pass"}, rules);
    if (!run) return 1;

    dog.observe(*run, heeler::Heartbeat{});
    for (int i = 0; i < 5; ++i) {
        dog.observe(*run, heeler::ToolCall{"grep", R"({"query":"TODO"})"});
        dog.observe(*run, heeler::ToolResult{true, "lexer.cpp:12: TODO"});
    }
    if (!dog.cycle(heeler::TickCause::on_demand).ok()) return 1;
    { heeler::Runner runner{dog}; }
    const auto status = dog.status(*run);
    return status && *status == heeler::Status::loop_detected ? 0 : 1;
}
