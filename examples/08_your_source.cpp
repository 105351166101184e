// A source of your own: what an agent does is not reported but read from where it is written, once a cycle. The cursor
// is stored with what was read, so that nothing is read twice or left out after a restart.
#include <charconv>
#include <cstdio>

#include <heeler/heeler.hpp>
#include <heeler/testing/manual_clock.hpp>

namespace {

/// A log of how many tests pass; yours is a file or a table.
struct TestLog {
    heeler::Result<heeler::Polled> poll(std::string_view cursor) {
        std::size_t at = 0;
        std::from_chars(cursor.data(), cursor.data() + cursor.size(), at);
        std::printf("polled from %zu\n", at);
        heeler::Polled found;
        for (; at < passed.size(); ++at) found.events.push_back({heeler::Progress{passed[at]}, std::nullopt});
        found.cursor = std::to_string(at);
        return found;
    }

    std::vector<std::int64_t> passed{};
};
static_assert(heeler::check_source<TestLog>());

}  // namespace

int main() {
    heeler::ManualClock clock;
    TestLog log;
    heeler::Watchdog dog{clock, heeler::MemoryStore{}, heeler::LogNotifier{}};
    const auto run =
        dog.start({.name = "fix-tests", .metric = heeler::MetricKind::reported, .metric_name = "passed tests"},
                  heeler::presets::long_run());
    if (!run || !dog.attach(*run, log)) return 1;
    for (const std::int64_t passed : {10, 11, 15}) {
        log.passed.push_back(passed);
        if (!dog.cycle().ok()) return 1;
        clock.advance(std::chrono::minutes{5});
    }
    const auto report = dog.report("fix-tests");
    if (!report) return 1;
    for (const auto& row : report->heartbeats)
        std::printf("interval %u: %lld\n", row.number, static_cast<long long>(row.value.value_or(-1)));
}
