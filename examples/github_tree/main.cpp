// heeler-github-tree --repo OWNER/NAME --issue NUMBER --reviewer LOGIN: watches a tree of GitHub issues. `--help` tells
// the rest.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/notify/log_notifier.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/tree/watch/tree_watch.hpp>

#include "../common/any_store.hpp"
#include "../common/channels.hpp"
#include "../common/error_news.hpp"
#include "../common/own_environment.hpp"
#include "../common/stop_signals.hpp"
#include "api.hpp"
#include "host.hpp"
#include "options.hpp"

namespace {

using github_tree::Options;

heeler::RunClass rules_of(const Options& options) {
    heeler::RunClass rules = heeler::presets::task_tree();
    rules.schedule.period = options.every;
    rules.interval.fixed = options.every;
    heeler::TreeSettings trees;
    trees.rules.first_run_grace = options.grace;
    rules.detectors.turn_on<heeler::TaskTreeRule>(trees);
    return rules;
}

github_tree::Repository repository_of(const Options& options) {
    github_tree::Repository repository{
        options.repository, {options.agents.begin(), options.agents.end()}, options.silent};
    repository.agents.insert(options.reviewer);
    return repository;
}

void complain(const std::string& what) {
    std::fprintf(stderr, "heeler-github-tree: %s\n", heeler::text::one_line(what, 1024).c_str());
}

std::string joined(const std::vector<std::string>& ids) {
    std::string text;
    for (const std::string& id : ids) text += (text.empty() ? "" : ", ") + ("#" + id);
    return text;
}

/// "stopped, 3 leaves, review #9 is open"
std::string line_of(const heeler::TreeStatus& status) {
    std::string line{name_of(status.verdict)};
    if (!status.reason.empty()) line += " (" + status.reason + ")";
    if (!status.live.empty()) line += ": " + joined(status.live);
    if (status.leaf_count > 0) line += ", stopped leaves: " + std::to_string(status.leaf_count);
    if (!status.review.empty()) line += ", review #" + status.review + (status.review_is_open ? " is open" : "");
    if (status.triggers > 0) line += ", woken " + std::to_string(status.triggers) + " times";
    if (status.escalated) line += ", a person has to look";
    return heeler::text::one_line(line, 1024);
}

/// One tree, one thread.
class Watch {
public:
    Watch(const Options& options, common::Channels channels)
        : options_{options},
          api_{{options.api, options.token}},
          host_{api_, repository_of(options), std::to_string(options.issue)},
          dog_{heeler::SystemClock{},
               common::AnyStore::in_file(options.store),
               {heeler::LogNotifier{stdout}, std::move(channels)}},
          trees_{dog_, host_, rules_of(options)} {}

    /// Unless the issue can be watched, why not. A start is no person: what was given up stays with people.
    [[nodiscard]] heeler::Result<void> arm() {
        if (!trees_.usable()) return trees_.usable();
        heeler::WatchConfig config{options_.repository, node(), options_.reviewer, {}};
        if (!options_.instructions.empty()) config.instructions = options_.instructions;
        if (const auto armed = trees_.arm(std::move(config), {"heeler-github-tree", "start"}); !armed)
            return tl::unexpected<heeler::Error>(armed.error());
        return {};
    }

    /// Whether the tree could be read. Where somebody was woken, it is read again: that is what it is like now.
    bool look(heeler::TickCause cause) {
        heeler::CycleReport report = dog_.cycle(cause);
        if (report.acted > 0) report.absorb(dog_.cycle(heeler::TickCause::on_demand));
        for (const heeler::Event& event : report.events)
            if (const auto* error = std::get_if<heeler::ErrorEvent>(&event))
                if (const auto line = news_.line_of(*error, dog_.clock().now().elapsed)) complain(*line);
        const auto status = trees_.status({options_.repository, node()});
        const std::string line = status ? line_of(*status) : "unknown";
        if (line != std::exchange(shown_, line)) std::printf("#%s: %s\n", node().c_str(), line.c_str());
        std::fflush(stdout);
        return report.ok();
    }

    [[nodiscard]] heeler::Duration idle() {
        const auto due = dog_.next_deadline();
        constexpr heeler::Duration shortest = std::chrono::milliseconds{100}, longest = std::chrono::minutes{1};
        return due ? std::clamp(*due - dog_.clock().now().elapsed, shortest, longest) : longest;
    }

    void end() {
        if (const auto stored = dog_.flush(); !stored) complain(stored.error().message);
    }

private:
    [[nodiscard]] std::string node() const { return std::to_string(options_.issue); }

    const Options& options_;
    github_tree::Api api_;
    github_tree::Host host_;
    heeler::Watchdog<heeler::SystemClock, common::AnyStore, common::WithChannels<heeler::LogNotifier>> dog_;
    heeler::TreeWatch trees_;
    common::ErrorNews news_{std::chrono::hours{1}};
    std::string shown_{};
};

/// Whether the same may work later.
bool is_passing(heeler::ErrorCode code) {
    return code == heeler::ErrorCode::busy || code == heeler::ErrorCode::timed_out;
}

int watch(const Options& options) {
    const common::StopSignals stop;
    auto channels = common::Channels::named(options.notify, complain);
    if (!channels) {
        complain(channels.error().message);
        return github_tree::exit_usage;
    }
    Watch tree{options, *std::move(channels)};
    for (auto armed = tree.arm(); !armed; armed = tree.arm()) {
        complain(armed.error().message);
        if (options.once || !is_passing(armed.error().code)) return 1;
        if (stop.come_within(options.every)) return 0;
    }
    bool good = tree.look(heeler::TickCause::startup);
    while (!options.once && !stop.come_within(tree.idle())) good = tree.look(heeler::TickCause::period);
    tree.end();
    return options.once && !good ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    common::take_environment();
    try {
        Options options;
        if (const auto status = github_tree::parse_options(argc, argv, options)) return *status;
        return watch(options);
    } catch (const std::exception& error) {
        complain(error.what());
        return 1;
    }
}
