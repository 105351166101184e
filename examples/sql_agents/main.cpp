// heeler-sql-agents DIR AGENT: five runs whose agents have nothing but SQL. One works, one asks a person and is left
// alone, one naps and is replaced, of one every agent stops, and one is known from the row alone that its own agent
// inserts, and that waits in the queue first. AGENT is agents/agent.sh or another program like it. Minutes are
// shortened: 20 min last 4 s.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <variant>

#include <heeler/agent/listed_agents.hpp>
#include <heeler/agent/sqlite_agent_table.hpp>
#include <heeler/agent/table_fenced_control.hpp>
#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/notify/log_notifier.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/store/sqlite_store.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>

#include "../common/channels.hpp"
#include "../common/own_environment.hpp"
#include "options.hpp"
#include "starter.hpp"

namespace {

using namespace std::chrono_literals;
using Dog = heeler::Watchdog<heeler::SystemClock, heeler::SqliteStore, common::WithChannels<heeler::LogNotifier>>;

constexpr const char* runs[] = {"steady", "curious", "sleepy", "stuck", "guest"};

/// The preset with seconds for five minutes.
heeler::RunClass shortened() {
    heeler::RunClass rules = heeler::presets::checkpoint_continuation();
    rules.name = "shortened";
    rules.schedule = {1s, false, false};
    rules.interval.fixed = 1s;
    // The guest's first agent writes to its queue item: nothing says which agent it was.
    rules.stop_proof = heeler::StopProofNeeded::presumed;
    rules.detectors.turn_on<heeler::HeartbeatContract<heeler::CheckpointAge>>({.act_after = 4s});
    return rules;
}

int fail(const heeler::Error& error) {
    std::fprintf(stderr, "heeler-sql-agents: %s\n", heeler::text::one_line(error.message, 1024).c_str());
    return 1;
}

/// Says what was done.
void tell(const heeler::CycleReport& report) {
    for (const heeler::Event& event : report.events) {
        if (const auto* error = std::get_if<heeler::ErrorEvent>(&event)) static_cast<void>(fail(error->error));
        const auto* done = std::get_if<heeler::ActionEvent>(&event);
        if (done == nullptr) continue;
        std::printf("%s: %s %s %s\n", heeler::text::shown_name(done->run, 160).c_str(),
                    std::string{name_of(done->action.kind)}.c_str(), std::string{name_of(done->action.outcome)}.c_str(),
                    done->action.note.c_str());
    }
    std::fflush(stdout);
}

heeler::Result<void> started(const heeler::Result<heeler::ActionDone>& answer) {
    if (!answer) return tl::unexpected<heeler::Error>(answer.error());
    return {};
}

/// The guest puts itself into the queue: its row is listed.
heeler::Result<void> begin(Dog& dog, heeler::SqliteAgentTable& table, sql_agents::Starter& starter,
                           const std::string& run) {
    if (run == "guest") return started(starter.start(run, ""));
    heeler::RunSpec spec;
    spec.id = run;
    spec.work_item = "Do what has to be done, in four steps.";
    spec.plan = {1, 2, 3, 4};
    const auto ticket = table.enlist(run);
    if (!ticket) return tl::unexpected<heeler::Error>(ticket.error());
    if (const auto known = dog.start(spec, std::string_view{"shortened"}); !known)
        return tl::unexpected<heeler::Error>(known.error());
    return started(starter.start(run, spec.work_item + "\nRemaining steps: [1,2,3,4]\n\n" + table.prompt(*ticket)));
}

void complain(const std::string& what) { static_cast<void>(fail({heeler::ErrorCode::failed, what})); }

int watch(const sql_agents::Options& options) {
    auto channels = common::Channels::named(options.notify, complain);
    if (!channels) {
        complain(channels.error().message);
        return 2;
    }
    const std::filesystem::path directory{options.directory};
    std::signal(SIGCHLD, SIG_IGN);  // agents are not waited for
    heeler::SqliteAgentTable table{(directory / "agents.db").string(), {.checkpoint_every = 2s}};
    sql_agents::Starter starter{directory,
                                options.agent,
                                "0.8",
                                {{"steady", {"works"}},
                                 {"curious", {"asks", "works"}},
                                 {"sleepy", {"naps", "works"}},
                                 {"stuck", {"stops"}},
                                 {"guest", {"joins", "works"}}}};
    heeler::ListedAgents listed{table};
    heeler::TableFencedControl control{listed, starter};
    Dog dog{heeler::SystemClock{},
            heeler::SqliteStore{(directory / "watchdog.db").string()},
            {heeler::LogNotifier{stdout}, *std::move(channels)}};
    if (const auto defined = dog.define(shortened()); !defined) return fail(defined.error());
    dog.attach(control);
    dog.attach("shortened", listed);
    for (const char* const run : runs)
        if (const auto begun = begin(dog, table, starter, run); !begun) return fail(begun.error());

    for (int seconds = 0; seconds < 60; ++seconds) {
        std::this_thread::sleep_for(1s);
        tell(dog.cycle());
        const auto stored = dog.store().load();
        if (!stored) return fail(stored.error());
        if (stored->runs.empty()) break;  // every run is over
    }
    for (const char* const run : runs) {
        const auto known = dog.store().history(run);
        if (!known || !known->row) return fail(known ? heeler::Error{} : known.error());
        std::printf("%s: %s, attempt %u, %zu checkpoints\n", run, std::string{name_of(known->row->state)}.c_str(),
                    known->row->attempt, known->checkpoints.size());
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    common::take_environment();
    sql_agents::Options options;
    if (const auto status = sql_agents::parse_options(argc, argv, options)) return *status;
    return watch(options);
}
