// What a webhook is sent, and a silence: while an operator works on the gateway, warnings about runs that use it are
// put on record and told to nobody. heeler-ctl makes silences as well, from anywhere.
#include <cstdio>

#include <heeler/alert/json.hpp>
#include <heeler/heeler.hpp>
#include <heeler/testing/manual_clock.hpp>

namespace {

/// Prints what heeler/notify/webhook_notifier.hpp would post: WebhookNotifier{{.url = "https://example.org/hook"}}.
struct Hook {
    static constexpr std::string_view name = "hook";

    heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) {
        const std::string json = heeler::alert_json(alert);
        std::printf("POST %zu bytes of JSON with the key %s: %s\n", json.size(), alert.key.empty() ? "missing" : "set",
                    alert.kind.c_str());
        return heeler::Receipt{.recipients = 1};
    }
};

}  // namespace

int main() {
    heeler::ManualClock clock;
    heeler::Watchdog dog{clock, heeler::MemoryStore{}, Hook{}};
    const auto loop = [&](const char* name) {
        const auto run = dog.start({.name = name, .tags = {"gateway"}}, heeler::presets::recommended());
        if (!run) return false;
        for (int i = 0; i < 5; ++i) {
            dog.observe(*run, heeler::ToolCall{"grep", R"({"query":"TODO"})"});
            dog.observe(*run, heeler::ToolResult{true, "lexer.cpp:12: TODO"});
        }
        std::printf("%s repeats itself\n", name);
        return dog.cycle(heeler::TickCause::on_demand).ok();
    };
    heeler::DecisionRow silence;
    silence.verb = heeler::Verb::silence;
    silence.about.tag = "gateway";
    silence.about.at_most = heeler::Severity::warning;
    silence.until = clock.now().wall + std::chrono::hours{2};
    silence.by = "ana";
    silence.because = "deploy of the gateway";
    if (!loop("before") || !dog.decide(silence) || !loop("meanwhile")) return 1;
    const auto silences = dog.silences();
    if (!silences || silences->size() != 1) return 1;
    std::printf("silence %llu: %s\n", static_cast<unsigned long long>(silences->front().number),
                silences->front().because.c_str());
}
