// The smallest host: it starts a run, reports what its agent does, and lets one cycle judge it. The agent asks for the
// same thing again and again, which is a loop.
#include <cstdio>

#include <heeler/heeler.hpp>

int main() {
    // Your own clock, storage and alert backends go here; these three need nothing.
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};

    const auto run =
        dog.start({.name = "nightly-refactor", .task = "Make the tests pass"}, heeler::presets::recommended());
    if (!run) return 1;

    dog.observe(*run, heeler::Heartbeat{});
    for (int i = 0; i < 5; ++i) {
        dog.observe(*run, heeler::ToolCall{"grep", R"({"query":"TODO"})"});
        dog.observe(*run, heeler::ToolResult{true, "lexer.cpp:12: TODO"});
    }

    const auto cycle = dog.cycle(heeler::TickCause::on_demand);
    const auto status = dog.status(*run);
    if (!cycle.ok() || !status) return 1;
    std::printf("nightly-refactor is %s\n", name_of(*status).data());
}
