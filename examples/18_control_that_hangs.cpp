// An agent control whose calls may hang, as a socket without a time limit does: each gets a thread and a limit, so that
// the agent that does not answer keeps the watchdog from no other.
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>

#include <heeler/agent/control_in_background.hpp>
#include <heeler/heeler.hpp>
#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/recording_notifier.hpp>

namespace {

/// Agents behind sockets. The one of `ada` takes what is written to it, and answers nothing.
struct SocketControl {
    heeler::Result<heeler::ActionDone> inject(const heeler::ActionRequest& request) {
        std::unique_lock one{lock};
        if (request.run == "ada") hung_up.wait(one, [this] { return closed; });
        if (closed) return heeler::fail(heeler::ErrorCode::failed, "the socket was closed");
        std::printf("%s answers\n", std::string{request.run}.c_str());
        return heeler::ActionDone{.note = "told"};
    }
    void close() {
        const std::lock_guard one{lock};
        closed = true;
        hung_up.notify_all();
    }

    std::mutex lock{};
    std::condition_variable hung_up{};
    bool closed = false;
};

}  // namespace

int main() {
    heeler::ManualClock clock;
    const auto agents = std::make_shared<SocketControl>();  // it may outlive `main` by a call that never ends
    heeler::ControlInBackground control{agents, {.limit = std::chrono::milliseconds{50}}};
    heeler::RecordingNotifier people;
    heeler::Watchdog dog{clock, heeler::MemoryStore{}, people};
    if (!dog.attach(control)) return 1;
    const auto ada = dog.start({.id = "ada", .task = "Port the lexer"}, heeler::presets::recommended());
    const auto bob = dog.start({.id = "bob", .task = "Port the parser"}, heeler::presets::recommended());
    if (!ada || !bob) return 1;
    for (int minute = 0; minute < 20; ++minute) {  // they live, and do nothing
        dog.observe(*ada, heeler::Heartbeat{});
        dog.observe(*bob, heeler::Heartbeat{});
        if (!dog.cycle().ok()) return 1;
        clock.advance(std::chrono::minutes{1});
    }
    for (const heeler::Alert& alert : people.delivered())
        std::printf("people hear of %s: %s\n", alert.run.id.c_str(), alert.summary.c_str());
    agents->close();
}
