// expect: heeler: `observe` takes Heartbeat, SignOfLife, Output, ToolCall, ToolResult, Message, Progress, Usage, StateChange, Compaction, OutputAccess, Reading or Resource (README: How it works)
// Text alone says not which stream it is of.
#include <heeler/heeler.hpp>

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    dog.observe("one", "a line of output");
}
