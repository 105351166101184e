#include "crash/trials.hpp"

#include <random>

#include <unistd.h>

#include "crash/player.hpp"
#include "support/catch.hpp"

namespace crash {

void dies_at_every_point(const Place& place, const Scene& scene, Effort effort) {
    Trials trials{place, scene};
    for (int at = 1; at <= trials.points(); at += stride(static_cast<int>(effort))) {
        trials.begin();
        REQUIRE(trials.life(at) == "killed");
        REQUIRE(trials.life(0) == "done");
        trials.check(trials.deaths());
    }
}

void dies_twice(const Place& place, const Scene& scene, Effort effort) {
    Trials trials{place, scene};
    const int all = static_cast<int>(effort);
    // Another start for each first death: over all of them, every second death comes up.
    const int step = stride(17 * all, all);
    for (int first = 1; first <= trials.points(); first += stride(3 * all, all))
        for (int second = 1 + first % step;; second += step) {
            trials.begin_dead_at(first);
            const std::string became = trials.life(second);
            if (became == "killed") REQUIRE(trials.life(0) == "done");
            trials.check(trials.deaths());
            if (became != "killed") break;
        }
}

void dies_after_each(const Place& place, const Scene& scene, std::string_view call) {
    Trials trials{place, scene};
    trials.begin();
    int deaths = 0;
    while (trials.player({0, SIGKILL, 0, call}).wait() == "killed") REQUIRE(++deaths < 10);
    CHECK(deaths >= 2);
    trials.check(trials.deaths());
}

void stands_still(const Place& place, const Scene& scene, Effort effort) {
    Trials trials{place, scene};
    for (int at = 1; at <= trials.points(); at += stride(static_cast<int>(effort))) {
        trials.begin();
        Player first = trials.player({at, SIGSTOP});
        REQUIRE(first.rests());
        REQUIRE(trials.life(0) == "done");
        const std::string before = trials.summaries();
        REQUIRE_FALSE(first.go_on());
        trials.check(trials.deaths());
        INFO(trials.deaths());
        REQUIRE(trials.summaries() == before);
    }
}

void is_killed_at_any_moment(const Place& place, const Scene& scene) {
    Trials trials{place, scene};
    const unsigned seed = std::random_device{}();
    std::mt19937 random{seed};
    const int count = 500 / stride(20);
    for (int i = 0; i < count; ++i) {
        trials.begin();
        std::string about = "seed " + std::to_string(seed) + ", killed after us:";
        for (int deaths = 0; deaths < 3; ++deaths) {
            const auto wait = static_cast<unsigned>(random() % 60000);
            about += " " + std::to_string(wait);
            Player player = trials.player();
            ::usleep(wait);
            player.signal(SIGKILL);
            const std::string became = player.wait();
            REQUIRE((became == "done" || became == "killed"));
            if (became == "done") break;
        }
        INFO(about);
        REQUIRE(trials.life(0) == "done");
        trials.check(about + ": " + trials.deaths());
    }
}

}  // namespace crash
