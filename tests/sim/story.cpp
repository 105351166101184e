#include "sim/story.hpp"

#include <array>
#include <chrono>

#include <heeler/settings/presets.hpp>

#include "sim/lot.hpp"

namespace sim {

using namespace heeler;
using namespace std::chrono_literals;

namespace {

constexpr std::array<std::string_view, kinds_of_happening> names{"time",    "mood",    "late",    "finish", "operate",
                                                                 "control", "channel", "store",   "crash",  "restart",
                                                                 "pause",   "wall",    "suspend", "stall"};
constexpr std::array<unsigned, kinds_of_happening> weights{36, 16, 3, 2, 4, 5, 4, 4, 4, 2, 4, 2, 2, 4};

/// Time passes and agents change in every story.
constexpr bool is_fault(What what) { return what > What::mood; }

[[nodiscard]] std::string_view choose_preset(Lot& lot) {
    constexpr std::string_view presets[] = {"recommended", "checkpoint_continuation", "session_monitor"};
    const unsigned place = lot.below(5);
    return place < std::size(presets) ? presets[place] : "long_run";
}

/// For worlds of some hours.
void hasten(RunClass& rules, std::string_view preset) {
    if (preset == "recommended") {
        rules.schedule.period = 15s;
        return;
    }
    if (preset == "checkpoint_continuation") {
        rules.schedule = {60s, false, false};
        rules.detectors.turn_on<HeartbeatContract<CheckpointAge>>({.act_after = 300s});
    } else if (preset == "session_monitor") {
        rules.schedule.period = 60s;
        rules.detectors.turn_off<RunTimeout>();
    }
    rules.interval.fixed = 60s;
}

void choose_rules(Story& story, Lot& lot) {
    RunClass& rules = story.rules;
    story.preset = choose_preset(lot);
    rules = preset_named(story.preset);
    hasten(rules, story.preset);
    rules.name = "watched";
    if (auto* ladder = rules.ladder.as<RecoveryLadder>(); ladder != nullptr && lot.one_in(3)) {
        ladder->retry = Backoff{1 + lot.below(3), lot.one_in(2) ? 10s : 120s, 4, 1800s};
        rules.stop_proof = lot.one_in(2) ? StopProofNeeded::proved : StopProofNeeded::fenced;
    }
    if (lot.one_in(4)) rules.limits.debounce = 1 + lot.below(3);
    if (lot.one_in(4)) rules.alerts.cooldown = 30min;
    if (lot.one_in(4)) rules.alerts.outbox.group_interval = rules.alerts.outbox.group_wait = {};
}

}  // namespace

RunClass preset_named(std::string_view preset) {
    if (preset == "recommended") return presets::recommended();
    if (preset == "checkpoint_continuation") return presets::checkpoint_continuation();
    if (preset == "session_monitor") return presets::session_monitor();
    return presets::long_run();
}

std::string_view name_of(What what) noexcept { return names[static_cast<std::size_t>(what)]; }

bool Story::has(What what) const noexcept {
    for (const Happening& each : happenings)
        if (each.what == what) return true;
    return false;
}

Story story_of(std::uint64_t seed, unsigned length) {
    Lot lot{seed};
    Story story;
    story.seed = seed;
    choose_rules(story, lot);
    story.dogs = lot.one_in(3) ? 2 + lot.below(2) : 1;
    story.runs = 1 + lot.below(3);
    story.steady = lot.one_in(2);
    story.honesty = static_cast<Honesty>(lot.below(3));
    story.proves = lot.one_in(2);
    std::array<unsigned, kinds_of_happening> swarm = weights;
    for (std::size_t i = 0; i < swarm.size(); ++i)
        if (is_fault(static_cast<What>(i)) && lot.one_in(2)) swarm[i] = 0;
    unsigned all = 0;
    for (const unsigned weight : swarm) all += weight;
    for (unsigned i = 0; i < length; ++i) {
        unsigned at = lot.below(all);
        std::size_t what = 0;
        while (at >= swarm[what]) at -= swarm[what++];
        story.happenings.push_back({static_cast<What>(what), lot.below(1u << 16), lot.below(1u << 16)});
    }
    // Of the seed alone, so that the other worlds stay as they are.
    if (seed % 4 == 3) story.rules.limits.nudges = {1 + static_cast<std::uint32_t>(seed / 4 % 2), 2, 120s, 3600s};
    if (seed % 8 == 5) {
        story.rules.limits.per_minute = 1 + static_cast<std::uint32_t>(seed / 8 % 2);
        story.rules.limits.endings_apart = 90s;
    }
    story.flaps = seed % 8 == 1;
    story.hands_on = seed % 8 == 2;
    if (story.hands_on)
        for (std::size_t i = 2; i < story.happenings.size(); i += 3) story.happenings[i].what = What::operate;
    // What an agent writes to a store that nobody holds open is lost in these worlds, and checkpoints count by
    // themselves.
    for (const What away : {What::store, What::crash, What::restart, What::pause, What::stall})
        if (story.rules.detectors.find<HeartbeatContract<CheckpointAge>>() != nullptr && story.has(away))
            story.steady = false;
    // A watchdog that was away, and dies before it has seen that runs go on, counts the time as seen.
    if ((story.has(What::pause) || story.has(What::stall)) && (story.has(What::crash) || story.has(What::restart)))
        story.steady = false;
    // Drawn last: it changes nothing else of a world.
    if (lot.one_in(2)) story.rules.limits.restarts = {1 + lot.below(2), 24h};
    return story;
}

std::string told(const Story& story) {
    std::string text = std::to_string(story.dogs) + " watchdogs, " + std::to_string(story.runs) + " runs" +
                       (story.steady ? ", the first of which always works" : "") +
                       (story.family ? ", each above the one before it" : "") +
                       (story.flaps ? ", agents come and go" : "") +
                       (story.hands_on ? ", people take steps themselves" : "") + "; the control " +
                       (story.honesty == Honesty::finds     ? "can be asked what it did"
                        : story.honesty == Honesty::repeats ? "knows repeated keys"
                                                            : "cannot tell what it did") +
                       (story.proves ? " and proves stops" : "") + "\n" + story.rules.ladder.describe();
    for (const Happening& each : story.happenings)
        text += "\n  " + std::string{name_of(each.what)} + " " + std::to_string(each.who) + " " +
                std::to_string(each.value);
    return text;
}

}  // namespace sim
