#include "lives.hpp"

namespace measure {
namespace {

using heeler::Duration;
using namespace std::chrono_literals;

/// How long a loop goes on when nobody ends it.
constexpr Duration patience = 3h;

Duration length_of_step(Kind kind, bool special, Dice& dice) {
    if (kind == Kind::late) return 20min;
    if (kind == Kind::slow_step && special) return dice.length(900, 1199);
    if (kind == Kind::forgetful && special) return dice.length(1500, 2700);
    return dice.length(480, 660);
}

void add_wait(Life& life, Duration& t, Dice& dice) {
    life.deeds.push_back({t, Act::ask, 0});
    t += dice.length(1200, 7200);
    life.deeds.push_back({t, Act::go_on, 0});
}

/// What a stalled agent still does, for as long as anybody lets it.
void add_loop(Life& life, Kind kind, std::int64_t step, Dice& dice) {
    const Duration began = *life.stalls;
    if (kind == Kind::spins)
        for (Duration t = began + 1min; t < began + patience; t += 1min) life.deeds.push_back({t, Act::heartbeat, 0});
    if (kind != Kind::circles) return;
    Duration t = began;
    for (; t < began + patience; t += dice.length(480, 660)) life.deeds.push_back({t, Act::checkpoint, step});
    life.deeds.push_back({t, Act::cancelled, 0});  // by a person, at last
}

}  // namespace

Life live(Kind kind, std::int64_t first, std::int64_t last, Dice& dice) {
    Life life;
    Duration t{};
    const std::int64_t special = kind == Kind::never_runs ? first : dice.number(first, last);
    for (std::int64_t step = first; step <= last; ++step) {
        const Duration length = length_of_step(kind, step == special, dice);
        if (step == special && !is_healthy(kind)) {
            life.stalls = t + dice.length(0, std::chrono::duration_cast<std::chrono::seconds>(length).count());
            add_loop(life, kind, step - 1, dice);
            return life;
        }
        if (step == special && kind == Kind::asks) add_wait(life, t, dice);
        t += length;
        life.deeds.push_back({t, Act::checkpoint, step});
    }
    life.deeds.push_back({t + dice.length(0, 60), Act::finish, 0});
    return life;
}

}  // namespace measure
