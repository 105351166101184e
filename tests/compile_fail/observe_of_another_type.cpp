// expect: heeler: `observe` takes Heartbeat, SignOfLife, Output, ToolCall, ToolResult, Message, Progress, Usage, StateChange, Compaction, OutputAccess, Reading or Resource (README: How it works)
// A line is what a detector sees; a host reports `Output`.
#include <heeler/heeler.hpp>

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    const auto run = dog.start({.name = "one"}, heeler::presets::recommended());
    if (run) dog.observe(*run, heeler::OutputLine{});
}
