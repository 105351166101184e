#include "crash/worker.hpp"

namespace crash {

using namespace std::chrono_literals;

namespace {

[[nodiscard]] int last_step(const Outside& outside) {
    int step = 0;
    for (const Line& line : outside.lines())
        if (line.is("step")) step = std::max(step, std::stoi(line.word(1)));
    return step;
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
void play_with(const Scene& scene, const OpenStore& open, Outside& outside, Fuse& fuse) {
    const Story& story = *scene.story;
    int births = 0;
    for (const Line& line : outside.lines()) births += line.is("born");
    outside.note("born " + std::to_string(births));
    Witness witness{outside, open, scene.alone};
    const Surroundings around{outside, fuse, witness};
    CrashingControl<honesty> control{around};
    CrashingSink<honesty> sink{around};
    int step = last_step(outside);
    // Every process has a monotonic clock of its own, as after a restart of the machine.
    ManualClock clock{Instant{Elapsed{1000s + 977s * births}, WallTime{1'800'000'000s + step * story.seconds * 1s}}};
    Dog dog{clock, CrashingStore{open(), fuse}, CrashingNotifier{around}};
    dog.control(control);
    dog.issues(sink);
    RunClass rules = story.rules();
    rules.name = "crashing";
    if (const auto defined = dog.define(std::move(rules)); !defined) witness.wrong("story", defined.error().message);
    for (bool again = births > 0;; again = !scene.alone) {
        const std::int64_t second = step * story.seconds;
        outside.at(second);
        outside.note("step " + std::to_string(step));
        Stage stage{dog, around, scene.runs, step, again};
        story.play(stage);
        if (step >= story.most_steps * (scene.alone ? 1 : 3) || is_over(scene, outside, second)) return;
        // Somebody else may have played on while this process stood still.
        const int next = std::max(step, last_step(outside)) + 1;
        clock.advance((next - step) * story.seconds * 1s);
        step = next;
    }
}

}  // namespace

void play(const Scene& scene, const OpenStore& open, const std::string& log, Fate fate) {
    Outside outside{log};
    Fuse fuse{outside, fate};
    switch (scene.honesty) {
        case Honesty::finds:
            return play_with<Honesty::finds>(scene, open, outside, fuse);
        case Honesty::repeats:
            return play_with<Honesty::repeats>(scene, open, outside, fuse);
        case Honesty::neither:
            return play_with<Honesty::neither>(scene, open, outside, fuse);
    }
}

}  // namespace crash
