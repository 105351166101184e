// What goes wrong: stores that fail, processes that die or stand still.
#include <algorithm>
#include <chrono>

#include "sim/world.hpp"

namespace sim {

using namespace heeler;
using namespace std::chrono_literals;

void World::break_store(const Happening& each, Dog& dog) {
    dog.store.heal();
    may_repeat_ = true;
    constexpr ErrorCode codes[] = {ErrorCode::io, ErrorCode::busy, ErrorCode::timed_out, ErrorCode::lost};
    const ErrorCode code = codes[each.value / 6 % std::size(codes)];
    const FaultEffect effect = each.value / 24 % 2 == 0 ? FaultEffect::not_executed : FaultEffect::executed;
    switch (each.value % 6) {
        case 0:
        case 1:
            return;
        case 2:
            return dog.store.fail(StoreOperation::claim, code);
        case 3:
            return dog.store.fail_run(
                bodies_[each.value / 48 % bodies_.size()].id,
                each.value / 48 % 2 == 0 && !story_.rules.conflict_fails_run ? ErrorCode::conflict : code);
        case 4:
            return dog.store.fail(StoreOperation::history, code);
        default:
            return dog.store.fail(StoreOperation::commit, code, effect);
    }
}

void World::crash(const Happening& each, Dog& dog) {
    if (dog.watch == nullptr) return;
    may_repeat_ = true;
    dog.down = is_long_up(dog) ? 1 + each.value / 8 % 10 : 1;
    switch (each.value % 4) {
        case 0:
            dog.watch.reset();
            dog.paused = 0;
            return;
        case 1:
            dog.dies_in = 1 + each.value / 4 % 2;
            dog.dies_before = each.value / 16 % 2 == 0;
            return;
        default:
            return dog.store.crash_at_commit(1 + each.value / 4 % 4, each.value / 16 % 2 == 0
                                                                         ? CrashPoint::after_answer
                                                                         : CrashPoint::before_answer);
    }
}

/// In the middle of a cycle everything but this watchdog goes on.
void World::stand_still(unsigned number, Moment moment) {
    Dog& dog = dogs_[number];
    if (!dog.cycling || dog.stalls != moment) return;
    dog.stalls = Moment::never;
    look(dog);
    dog.still = true;
    pass(dog.stall, usual_step);
    dog.still = false;
    dog.wakes = true;
    dog.known = rows_;
}

Shelf::Shelf(World& world, unsigned dog) : store_{world.store_}, world_{&world}, dog_{dog} {}

Result<Conflicts> Shelf::commit(const Batch& batch) {
    auto answer = store_.commit(batch);
    for (const RunBatch& run : batch.runs)
        if (answer && std::find(answer->begin(), answer->end(), run.row.id) == answer->end()) world_->stored(dog_, run);
    for (const RunBatch& run : batch.runs)
        for (const Action& action : run.actions)
            if (action.outcome == ActionOutcome::intended) world_->stand_still(dog_, Moment::intended);
    return answer;
}

Result<Claimed> Shelf::claim_runs(const Claim& claim) {
    auto given = store_.claim_runs(claim);
    if (!given) return given;
    for (const StoredRun& run : given->runs) world_->claimed(run.row);
    for (const LostHolder& each : given->lost) world_->lost_.insert(each.name + "." + std::to_string(each.epoch));
    return given;
}

}  // namespace sim
