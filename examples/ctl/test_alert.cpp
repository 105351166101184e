#include "test_alert.hpp"

#include <chrono>
#include <string>
#include <thread>

#include <heeler/clock/system_clock.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>

#include "../common/channels.hpp"
#include "print.hpp"

namespace ctl {

namespace {

heeler::Alert test_alert(const Options& options) {
    heeler::Alert alert;
    alert.at = heeler::SystemClock{}.now().wall;
    alert.key = "heeler-ctl-test-" + std::to_string(alert.at.time_since_epoch().count());
    alert.kind = "watchdog.test";
    alert.severity = heeler::Severity::warning;
    alert.summary = "this is a test: alerts of heeler arrive here";
    alert.details = {{"sent by", options.by}, {"next", "nothing; no run is in trouble"}};
    return alert;
}

/// One channel has nothing else to do.
heeler::Result<heeler::Receipt> send_and_wait(common::Channels& channel, const heeler::Alert& alert) {
    for (;;) {
        auto answer = channel.send(alert);
        if (answer || answer.error().code != heeler::ErrorCode::under_way) return answer;
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
}

}  // namespace

Quit send_test_alert(const Options& options) {
    const heeler::Alert alert = test_alert(options);
    Quit quit;
    for (const std::string& spec : options.notify) {
        auto channel = common::Channels::named({spec});
        if (!channel) return {exit_usage, channel.error().message};
        const auto answer = send_and_wait(*channel, alert);
        const std::string how = answer ? "delivered" : "not delivered: " + answer.error().message;
        print(heeler::text::one_line(heeler::text::redact(spec), 256) + ": " + heeler::text::one_line(how, 1024) +
              "\n");
        if (!answer) quit = {exit_alert, "a test alert did not arrive"};
    }
    return quit;
}

}  // namespace ctl
