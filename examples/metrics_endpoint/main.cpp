// heeler-metrics-endpoint [OPTIONS]: a watchdog over a few simulated agents, and what it does at GET /metrics for
// Prometheus. grafana-dashboard.json shows these metrics and no others.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <httplib.h>

#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/runner.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/notify/log_notifier.hpp>
#include <heeler/report/prometheus.hpp>
#include <heeler/report/telemetry.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/store/memory_store.hpp>

#include "../common/channels.hpp"
#include "../common/life_signs.hpp"
#include "../common/own_environment.hpp"
#include "../common/own_port.hpp"
#include "options.hpp"

namespace {

using namespace std::chrono_literals;
using metrics_endpoint::Options;
using Dog = heeler::Watchdog<heeler::SystemClock, heeler::MemoryStore, common::WithChannels<heeler::LogNotifier>>;

volatile std::sig_atomic_t stop_asked = 0;

extern "C" void ask_to_stop(int) { stop_asked = 1; }

/// A third of them stand still until somebody tells them to go on. Thread-safe.
class Agents {
public:
    explicit Agents(int count) : nudged_(static_cast<std::size_t>(count), false) {}

    heeler::Result<heeler::ActionDone> inject(const heeler::ActionRequest& request) {
        const std::lock_guard guard{lock_};
        nudged_.at(std::stoul(std::string{request.run.substr(request.run.rfind('-') + 1)})) = true;
        return heeler::ActionDone{};
    }

    [[nodiscard]] bool works(std::size_t agent) const {
        const std::lock_guard guard{lock_};
        return agent % 3 != 0 || nudged_[agent];
    }

private:
    mutable std::mutex lock_;
    std::vector<bool> nudged_;
};

[[nodiscard]] heeler::RunClass rules_of(const Options& options) {
    heeler::RunClass rules = heeler::presets::long_run();
    rules.interval.fixed =
        std::chrono::duration_cast<heeler::Duration>(std::chrono::duration<double>{options.interval_s});
    return rules;
}

/// Answers Prometheus in threads of its own, until it is destroyed.
class Endpoint {
public:
    Endpoint(const Dog& dog, const heeler::Telemetry& telemetry) {
        http_.Get("/metrics", [&](const httplib::Request&, httplib::Response& response) {
            response.set_content(heeler::prometheus_text(dog.vitals(), telemetry.counts()),
                                 std::string{heeler::prometheus_content_type}.c_str());
        });
    }
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;
    ~Endpoint() {
        http_.stop();
        if (thread_.joinable()) thread_.join();
    }

    /// The port; absent: it is taken.
    [[nodiscard]] std::optional<int> listen(const Options& options) {
        const int port = common::bind_at(http_, options.host, options.port);
        if (port < 1) return std::nullopt;
        thread_ = common::answering(http_);
        return port;
    }

private:
    httplib::Server http_;
    std::thread thread_;
};

/// What a host does: it reports what its agents do, and passes on what that was answered.
void report(Dog& dog, heeler::Telemetry& telemetry, const Agents& agents, const std::vector<heeler::RunHandle>& runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto seen = [&](const auto& what) { telemetry.heard(dog.observe(runs[i], what), what); };
        seen(heeler::Heartbeat{});
        if (!agents.works(i)) continue;
        seen(heeler::Output{"a line of work\n"});
        seen(heeler::Usage{.tokens_in = 100, .tokens_out = 20});
    }
}

void complain(const std::string& what) { std::fprintf(stderr, "heeler-metrics-endpoint: %s\n", what.c_str()); }

int serve(const Options& options) {
    auto channels = common::Channels::named(options.notify, complain);
    if (!channels) {
        complain(channels.error().message);
        return 2;
    }
    common::LifeSigns signs{common::ping_url(options.ping), complain};
    heeler::EngineSettings place;
    place.holder = options.holder;
    heeler::Telemetry telemetry;
    Agents agents{options.agents};
    Dog dog{heeler::SystemClock{}, heeler::MemoryStore{}, {heeler::LogNotifier{}, *std::move(channels)}, place};
    dog.attach(agents);
    std::vector<heeler::RunHandle> runs;
    for (int i = 0; i < options.agents; ++i) {
        const auto run = dog.start({.name = "agent-" + std::to_string(i)}, rules_of(options));
        if (!run) throw std::runtime_error{run.error().message};
        runs.push_back(*run);
    }
    Endpoint endpoint{dog, telemetry};
    const auto port = endpoint.listen(options);
    if (!port) throw std::runtime_error{"the port is not free: choose another --port"};
    std::printf("http://%s:%d/metrics\n", options.host.c_str(), *port);
    std::fflush(stdout);
    {
        heeler::Runner runner{dog, 1s, [&](const heeler::CycleReport& cycle) {
                                  telemetry.add(cycle, dog.clock().now().wall);
                                  signs.note(dog, cycle);
                              }};
        while (stop_asked == 0) {
            report(dog, telemetry, agents, runs);
            std::this_thread::sleep_for(200ms);
        }
    }
    signs.stopping();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    common::take_environment();
    Options options;
    if (const auto status = metrics_endpoint::parse_options(argc, argv, options)) return *status;
    std::signal(SIGINT, &ask_to_stop);
    std::signal(SIGTERM, &ask_to_stop);
    try {
        return serve(options);
    } catch (const std::exception& error) {
        complain(error.what());
        return 1;
    }
}
