#include "simulation.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <heeler/settings/presets.hpp>

namespace measure {
namespace {

using heeler::Duration;
using heeler::RunState;
using namespace std::chrono_literals;

constexpr heeler::WallTime two_o_clock{1'800'021'600s};  // 2027-01-15 14:00:00
constexpr Duration period = 15min;

Kind pick_kind(const Options& options, Dice& dice) {
    const bool stalls = dice.chance(options.stalled);
    if (dice.chance(options.careless)) return stalls ? Kind::circles : Kind::forgetful;
    return stalls ? static_cast<Kind>(dice.number(5, 8)) : static_cast<Kind>(dice.number(0, 3));
}

}  // namespace

Simulation::Simulation(const Options& options, common::AnyStore store)
    : options_{options},
      clock_{{heeler::Elapsed{1h}, two_o_clock}},
      agents_{Dice{options.seed ^ 0x5eed}, options.spawn_fails},
      dog_{clock_, std::move(store), notifier_} {
    dog_.attach(agents_);
    if (const auto defined = dog_.define(heeler::presets::checkpoint_continuation()); !defined)
        fault("-", defined.error().message);
    for (std::int64_t number = 1; number <= options.runs; ++number) players_.push_back(player(number));
}

Simulation::Player Simulation::player(std::int64_t number) {
    Dice dice{options_.seed * 1'000'003 + static_cast<std::uint64_t>(number)};
    const Kind kind = pick_kind(options_, dice);
    Duration began = dice.length(0, 4 * 3600);
    if (kind == Kind::late) began -= began % 5min;
    const std::int64_t steps = dice.number(3, 9);
    char id[24];
    std::snprintf(id, sizeof id, "item-%05lld", static_cast<long long>(number));
    events_.push({began, players_.size(), 0, {}});
    by_id_.emplace(id, players_.size());
    return {id, kind, dice, steps, 0, {}, Reckoned{began}, 1, false};
}

Result Simulation::play() {
    for (Duration tick = period; !events_.empty(); tick += period) {
        while (!events_.empty() && events_.top().at < tick) {
            const Event event = events_.top();
            events_.pop();
            clock_.advance(event.at - std::exchange(now_, event.at));
            carry_out(event);
        }
        clock_.advance(tick - std::exchange(now_, tick));
        cycle(tick);
        // Who is stalled now has no more events of its own.
        const auto open = std::any_of(players_.begin(), players_.end(),
                                      [](const Player& player) { return !player.reckoned.ended(); });
        if (events_.empty() && open && tick < 72h) events_.push({tick + period, 0, 99, {}});
        result_.length = tick;
    }
    look_back();
    return std::move(result_);
}

void Simulation::begin(Event event) {
    Player& player = players_[event.player];
    heeler::RunSpec spec;
    spec.id = player.id;
    spec.task = "Work off " + player.id;
    for (std::int64_t step = 1; step <= player.steps; ++step) spec.plan.push_back(step);
    const auto started = dog_.start(std::move(spec), "checkpoint_continuation");
    if (!started) return fault(player.id, started.error().message), player.reckoned.end();
    if (started->not_stored) fault(player.id, started->not_stored->message);
    player.handle = *started;
    start_agent(event.player, player.kind, event.at);
}

void Simulation::start_agent(std::size_t index, Kind kind, Duration at) {
    Player& player = players_[index];
    const Life life = live(kind, player.done + 1, player.steps, player.dice);
    if (player.agent == 1) truths_.tell(player.id, life.stalls ? std::optional{at + *life.stalls} : std::nullopt);
    for (const Deed& deed : life.deeds) events_.push({at + deed.after, index, player.agent, deed});
}

void Simulation::carry_out(const Event& event) {
    Player& player = players_[event.player];
    if (event.agent == 0) return begin(event);
    if (player.reckoned.ended() || event.agent > player.agent) return;
    const bool replaced = event.agent < player.agent;
    const auto told = [&](const auto& what) {
        const auto heard = dog_.observe_as(player.handle, event.agent, what, clock_.now());
        result_.fenced += heard == heeler::Observed::fenced ? 1 : 0;
        if ((heard == heeler::Observed::fenced) != replaced) fault(player.id, "the wrong agent was heard");
    };
    switch (event.deed.act) {
        case Act::heartbeat:
            return told(heeler::Heartbeat{});
        case Act::checkpoint:
            return checkpoint(player, event);
        case Act::ask:
            told(heeler::StateChange{RunState::waiting_human, {}, {}, "May I?"});
            if (!replaced) player.reckoned.ask(now_);
            return;
        case Act::go_on:
            told(heeler::StateChange{});
            if (!replaced) player.reckoned.go_on(now_);
            return;
        case Act::finish:
            // Whoever was replaced has been told so at its last checkpoint, and stopped.
            if (!replaced) end(player, heeler::RunEnd::completed);
            return;
        case Act::cancelled:
            return end(player, heeler::RunEnd::cancelled);
    }
}

void Simulation::checkpoint(Player& player, const Event& event) {
    const std::string words = "step " + std::to_string(event.deed.step) + " done";
    const bool replaced = event.agent < player.agent;
    const auto kept =
        dog_.checkpoint(player.handle, {event.deed.step, words, heeler::CheckpointReason::scheduled, event.agent});
    const bool fenced = !kept && kept.error().code == heeler::ErrorCode::fenced;
    if (fenced != replaced) fault(player.id, kept ? "an agent that was replaced was heard" : kept.error().message);
    if (!kept && !fenced) fault(player.id, kept.error().message);
    result_.fenced += fenced ? 1 : 0;
    if (!kept) return;
    player.done = std::max(player.done, event.deed.step);
    player.reckoned.checkpoint(now_);
}

void Simulation::end(Player& player, heeler::RunEnd how) {
    if (const auto ended = dog_.finish(player.handle, how); !ended) fault(player.id, ended.error().message);
    player.reckoned.end();
}

void Simulation::cycle(Duration t) {
    const heeler::CycleReport report = dog_.cycle();
    ++result_.cycles;
    for (const heeler::Event& event : report.events) {
        truths_.note(event, t);
        if (const auto* error = std::get_if<heeler::ErrorEvent>(&event))
            fault(error->run, error->where + ": " + error->error.message);
    }
    compare(t, agents_.take());
}

/// The watchdog acts on runs in the order of their ids.
void Simulation::compare(Duration t, const std::vector<Spawn>& seen) {
    auto next = seen.begin();
    for (std::size_t index = 0; index < players_.size(); ++index) {
        Player& player = players_[index];
        if (!player.reckoned.is_stalled(t)) continue;
        if (!player.reckoned.may_continue()) {
            player.given_up = true;
            player.reckoned.end();
            continue;
        }
        if (t < player.rests_until) continue;
        if (next == seen.end() || next->run != player.id || next->attempt != player.reckoned.continued() + 1) {
            fault(player.id, "is due for a continuation and got none");
            continue;
        }
        const bool done = (next++)->done;
        ++(done ? result_.spawns : result_.failed_spawns);
        if (!done) {
            refuse(player, t);
            continue;
        }
        player.refused = 0;
        player.reckoned.continue_at(t);
        ++player.agent;
        const bool succeeds = player.dice.chance(options_.recovers);
        const Kind kind = succeeds ? Kind::steady : static_cast<Kind>(player.dice.number(5, 8));
        if (player.done < player.steps)
            start_agent(index, kind, t + 1min);
        else
            events_.push({t + 2min, index, player.agent, {{}, Act::finish, 0}});
    }
    for (; next != seen.end(); ++next) fault(next->run, "was continued without need");
}

/// People are told of the third in a row; from then on it is tried after ever longer rests.
void Simulation::refuse(Player& player, Duration t) {
    if (++player.refused < 3) return;
    player.told += player.refused == 3 ? 1 : 0;
    player.rests_until = t + std::min<Duration>(15min * (1 << std::min(player.refused - 2, 10)), 24h);
}

/// What was stored, and what people were told.
void Simulation::look_back() {
    std::map<std::string, int> told;
    for (const auto& sent : notifier_.sent())
        if (!sent.alert.is(heeler::AlertKind::worker_needs_input)) ++told[sent.alert.run.id];  // who asks is no trouble
    for (Player& player : players_) {
        const auto facts = truths_.runs().find(player.id);
        if (facts == truths_.runs().end()) continue;  // it could not even begin
        if (!player.reckoned.ended()) fault(player.id, "did not end within three days");
        const auto report = dog_.report(player.id);
        if (!report) {
            fault(player.id, report.error().message);
            continue;
        }
        truths_.note_end(player.id, report->final_status);
        const int due = player.told + (player.given_up ? 1 : 0);
        // Who was told of refused starts hears of the end, too, if that comes before the next look.
        const bool of_the_end = player.told > 0 && told[player.id] == due + 1;
        if (told[player.id] != due && !of_the_end) fault(player.id, "people were told too often, or not at all");
        if ((report->final_status == "failed") != player.given_up) fault(player.id, "ended as " + report->final_status);
        std::map<std::string, int> keys;
        for (const heeler::Action& action : report->actions)
            if (++keys[action.key] > 1) fault(player.id, "two actions have one key");
        Tally& tally = result_.kinds[player.kind];
        ++tally.runs;
        tally.flagged += facts->second.flagged_at ? 1 : 0;
        tally.continued += player.reckoned.continued() > 0 ? 1 : 0;
        tally.finished += report->final_status == "completed" || report->final_status == "recovered" ? 1 : 0;
        tally.given_up += player.given_up ? 1 : 0;
    }
    result_.metrics = truths_.measured();
}

void Simulation::fault(const std::string& run, std::string_view what) {
    result_.faults.push_back(run + ": " + std::string{what});
}

}  // namespace measure
