#include "crash/worker.hpp"

#include <chrono>
#include <optional>
#include <thread>

#include <heeler/agent/table_fenced_control.hpp>

namespace crash {

using namespace std::chrono_literals;

namespace {

/// How long others wait for a sign of a watchdog: real time, since the store's clock decides.
constexpr auto lease = 50ms;

[[nodiscard]] EngineSettings settings_of(const Scene& scene, int births) {
    EngineSettings settings;
    if (scene.leases == Leases::none) return settings;
    settings.holder = scene.leases == Leases::same_name ? "watchdog" : "watchdog-" + std::to_string(births);
    settings.lease = lease;
    settings.renew_every = lease / 5;
    settings.lease_margin = lease / 10;
    return settings;
}

/// Some steps after the last run ended.
[[nodiscard]] bool is_over(const Scene& scene, const Outside& outside, std::int64_t second) {
    std::size_t over = 0;
    std::int64_t ended = 0;
    for (const Line& line : outside.lines())
        if (line.is("over")) {
            ++over;
            ended = line.at;
        }
    return over >= scene.runs.size() && second >= ended + scene.story->steps_after * scene.story->seconds;
}

template <Honesty honesty>
void play_with(const Scene& scene, const Place& place, Outside& outside, Fuse& fuse) {
    const Story& story = *scene.story;
    int births = 0;
    for (const Line& line : outside.lines()) births += line.is("born");
    outside.note("born " + std::to_string(births));
    Witness witness{outside, place.open, scene.alone};
    const Surroundings around{outside, fuse, witness, scene.first_rejected, scene.story == &monitor_story()};
    CrashingControl<honesty> control{around};
    CrashingContext context{around, scene.runs};
    CrashingSink<honesty> sink{around};
    int step = outside.step();
    const StoryClock clock{outside, story.seconds, Elapsed{1000s + 977s * births}};
    if (births > 0 && scene.leases != Leases::none) std::this_thread::sleep_for(lease + 5ms);
    const OpenStore& reach = place.reach ? place.reach : place.open;
    Dog dog{clock, CrashingStore{reach(), fuse}, CrashingNotifier{around}, settings_of(scene, births)};
    const std::unique_ptr<AnyTable> table = place.table ? place.table() : nullptr;
    std::optional<TableFencedControl<AnyTable, CrashingControl<honesty>>> fenced;
    if (table) dog.attach(fenced.emplace(*table, control));
    if (!table) dog.attach(control);
    dog.attach(sink);
    dog.attach(context);
    RunClass rules = story.rules();
    rules.name = "crashing";
    if (const auto defined = dog.define(std::move(rules)); !defined) witness.wrong("story", defined.error().message);
    for (bool again = births > 0;; again = !scene.alone) {
        const std::int64_t second = step * story.seconds;
        outside.at(second);
        outside.note("step " + std::to_string(step));
        Stage stage{dog, around, scene.runs, step, scene.alone, again};
        story.play(stage);
        if (step >= story.most_steps * (scene.alone ? 1 : 4) || is_over(scene, outside, second)) break;
        // What somebody else has locked is free when the server says so, which is not a matter of the story's time.
        if (step >= story.most_steps) std::this_thread::sleep_for(10ms);
        // Somebody else may have played on while this process stood still.
        step = std::max(step, outside.step()) + 1;
    }
    if (scene.leases != Leases::none && !scene.alone) (void)dog.leave();
}

}  // namespace

void play(const Scene& scene, const Place& place, Fate fate) {
    Outside outside{place.log};
    Fuse fuse{outside, fate};
    switch (scene.honesty) {
        case Honesty::finds:
            return play_with<Honesty::finds>(scene, place, outside, fuse);
        case Honesty::repeats:
            return play_with<Honesty::repeats>(scene, place, outside, fuse);
        case Honesty::neither:
            return play_with<Honesty::neither>(scene, place, outside, fuse);
    }
}

}  // namespace crash
