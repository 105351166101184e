#include "worker_monitor/panes.hpp"

#include <filesystem>

#include "support/catch.hpp"
#include "support/real_process.hpp"

namespace {

/// A server of its own, which ends with it.
struct OwnTmux {
    heeler_test::ScratchDirectory scratch;
    heeler::TmuxSocket socket{{}, scratch / "s"};
    heeler::TmuxServer server{socket};

    OwnTmux() = default;
    OwnTmux(const OwnTmux&) = delete;
    OwnTmux& operator=(const OwnTmux&) = delete;
    ~OwnTmux() { static_cast<void>(server.run({{"kill-server"}})); }

    /// A worker of this name, which is kept when its program is over; answers its id.
    [[nodiscard]] std::string open(const std::string& name, const std::string& script) const {
        const auto made = heeler::run_command({"tmux", "-S", socket.path, "-f", "/dev/null", "new-session", "-d", "-P",
                                               "-F", "#{pane_id}", "-s", name, "sh", "-c", script},
                                              std::chrono::seconds(10));
        REQUIRE((made && made->status == 0));
        std::string id = made->output.substr(0, made->output.find('\n'));
        REQUIRE(server.run({{"set-option", "-p", "-t", id, "@tags", "worker"},
                            {"set-option", "-p", "-t", id, "remain-on-exit", "on"}}));
        return id;
    }
};

/// What the worker says of itself in this poll; "?": nothing new.
[[nodiscard]] std::string reported(worker_monitor::Panes& panes, heeler::RunCursor& worker) {
    const auto polled = panes.poll(std::span{&worker, 1});
    REQUIRE((polled && polled->size() == 1 && polled->front().found));
    worker.cursor = polled->front().found->cursor;
    for (const heeler::SourceEvent& event : polled->front().found->events)
        if (const auto* change = std::get_if<heeler::StateChange>(&event.what)) return std::string{change->reported};
    return "?";
}

}  // namespace

TEST_CASE("how the program in a pane has ended is known though tmux has not noticed", "[worker_monitor]") {
    if (!heeler::run_command({"tmux", "-V"}, std::chrono::seconds(10))) HEELER_SKIP("no tmux here");
    const OwnTmux tmux;
    worker_monitor::Panes panes{tmux.server, {}, heeler::RunFilter{}};
    for (int round = 0; round < 12; ++round) {  // one in five ends unnoticed
        const std::string name = "worker" + std::to_string(round);
        const std::string id = tmux.open(name, "echo ready; read -r line");
        heeler::RunCursor worker{name, {}, name};
        CHECK(reported(panes, worker).empty());
        REQUIRE(tmux.server.run({{"send-keys", "-t", id, "Enter"}}));
        REQUIRE(heeler_test::wait_for([&] {
            const auto rows = tmux.server.panes();
            return std::any_of(rows->begin(), rows->end(), [&](const auto& row) { return row.id == id && row.dead; });
        }));
        CHECK(reported(panes, worker) == "complete");
    }
}
