// A notifier of your own: one function that delivers one alert. Retries, cooldowns and who is told are not its
// business; a failure that it reports is tried again later, under the same key.
#include <cstdio>

#include <heeler/heeler.hpp>
#include <heeler/testing/manual_clock.hpp>

namespace {

struct Pager {
    static constexpr std::string_view name = "pager";

    heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) {
        if (++tries == 1) return heeler::fail(heeler::ErrorCode::delivery_failed, "the pager is busy");
        std::printf("page %s: %s, attempt %u\n", alert.run.name.c_str(), alert.kind.c_str(), alert.attempt);
        return heeler::Receipt{.recipients = 1};
    }

    int tries = 0;
};
static_assert(heeler::check_notifier<Pager>());

}  // namespace

int main() {
    heeler::ManualClock clock;
    heeler::Watchdog dog{clock, heeler::MemoryStore{}, Pager{}};
    const auto run = dog.start({.name = "nightly-refactor"}, heeler::presets::recommended());
    if (!run) return 1;
    for (int i = 0; i < 5; ++i) {
        dog.observe(*run, heeler::ToolCall{"grep", R"({"query":"TODO"})"});
        dog.observe(*run, heeler::ToolResult{true, "lexer.cpp:12: TODO"});
    }
    for (int minute = 0; minute < 10; ++minute) {
        static_cast<void>(dog.cycle());  // a failed delivery is an error of the cycle; the next one tries again
        clock.advance(std::chrono::minutes{1});
    }
}
