// The course of things.
#include "sim/world.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sim {

using namespace heeler;
using namespace std::chrono_literals;

namespace {

constexpr Duration usual_step = 30s, calm_step = 60s;

}  // namespace

World::World(const Story& story)
    : story_{story},
      truth_{Instant{beginning.elapsed, beginning.wall + story.later}},
      answers_(control_verb_names.size(), 0) {
    for (unsigned i = 0; i < story.dogs; ++i)
        dogs_.push_back({"dog-" + std::to_string(i), ManualClock{truth_.now()}, Store{memory_}, {}, {}});
    for (unsigned i = 0; i < story.dogs; ++i) boot(i);
    for (unsigned i = 0; i < story.runs; ++i) {
        RunSpec spec;
        spec.id = "run-" + std::to_string(i);
        spec.task = "Port the parser";
        spec.metric = MetricKind::reported;
        spec.plan = {1, 2, 3};
        bodies_.emplace_back().id = spec.id;
        const auto started = dogs_[i % story.dogs].watch->start(std::move(spec), std::string_view{story.rules.name});
        if (!started) wrong("start", started.error().message);
    }
}

World::~World() = default;

void World::live() {
    step(usual_step);  // whoever never did anything is no session that fell silent
    for (std::size_t i = 0; i < story_.happenings.size(); ++i) {
        if (story_.rests && i == story_.happenings.size() / 2) rest();
        happen(story_.happenings[i]);
        if (!fault_.empty()) return;
    }
    calm_down();
    pass(2h, calm_step);
    for (const Body& body : bodies_) judge(body);
}

/// Nobody works, and nobody is expected to.
void World::rest() {
    std::vector<const Body*> resting;
    for (std::size_t i = 0; i < bodies_.size(); ++i)
        if (rows_[i].state == RunState::running) resting.push_back(&bodies_[i]);
    for (const Body* body : resting) report(*body, StateChange{RunState::paused});
    for (int i = 0; i < 360; ++i) {
        truth_.advance(usual_step);
        memory_.let_pass(usual_step);
        for (Dog& dog : dogs_) {
            dog.clock.advance(usual_step);
            cycle(dog);
        }
    }
    for (const Body* body : resting) report(*body, StateChange{});
}

void World::happen(const Happening& each) {
    Body& body = bodies_[each.who % bodies_.size()];
    Dog& dog = dogs_[each.who % dogs_.size()];
    switch (each.what) {
        case What::time: {
            constexpr Duration lengths[] = {30s, 60s, 2min, 2min, 5min, 5min, 10min, 25min};
            return pass(lengths[each.value % std::size(lengths)], usual_step);
        }
        case What::mood:
            return set_mood(body, each.value);
        case What::late:
            if (body.agents > 1)
                for (Dog& each_dog : dogs_)
                    if (each_dog.watch != nullptr && each_dog.paused == 0)
                        if (const auto run = each_dog.watch->find(body.id))
                            (void)each_dog.watch->observe_as(*run, body.agents - 1, Progress{body.worked + 1000},
                                                             each_dog.clock.now());
            return;
        case What::finish:
            if (story_.steady && &body == &bodies_[0]) return;
            for (Dog& each_dog : dogs_)
                if (each_dog.watch != nullptr && each_dog.paused == 0)
                    if (const auto run = each_dog.watch->find(body.id))
                        if (each_dog.watch->finish(*run)) body.over = true;
            return;
        case What::operate:
            return operate(each, body);
        case What::control:
            answers_[each.who % answers_.size()] = each.value % 2 == 0 ? 0 : each.value / 2 % ways_of_answering;
            return;
        case What::channel:
            channel_ = each.value % 2 == 0 ? 0 : each.value / 2 % 5;
            may_repeat_ |= channel_ == 4;
            return;
        case What::store:
            return break_store(each, dog);
        case What::crash:
            return crash(each, dog);
        case What::restart:
            if (dog.watch == nullptr || dog.paused > 0) return;
            if (dogs_.size() > 1) static_cast<void>(dog.watch->leave());
            dog.watch.reset();
            dog.down = each.value % 3;
            return;
        case What::pause:
            dog.paused = dog.paused > 0 ? 0 : 1 + each.value % 20;
            may_repeat_ = true;
            return;
        case What::wall: {
            constexpr Duration jumps[] = {10min, -10min, 1h, -1h, 24h, 5s};
            return dog.clock.step_wall(jumps[each.value % std::size(jumps)]);
        }
        case What::suspend:
            for (Dog& each_dog : dogs_) each_dog.clock.suspend(std::chrono::minutes{1 + each.value % 480});
            return;
    }
}

/// What persons decide. They tell the truth.
void World::operate(const Happening& each, Body& body) {
    if (story_.steady && &body == &bodies_[0]) return;
    constexpr Verb verbs[] = {Verb::ack,      Verb::ack,     Verb::resume,       Verb::snooze, Verb::freeze,
                              Verb::unfreeze, Verb::dismiss, Verb::mark_stopped, Verb::silence};
    DecisionRow row;
    row.verb = verbs[each.value % std::size(verbs)];
    row.run = body.id;
    row.by = "ana";
    if (row.verb == Verb::mark_stopped && body.mood != Mood::dead) return;
    for (Dog& dog : dogs_) {
        if (dog.watch == nullptr || dog.paused > 0) continue;
        if (row.verb == Verb::snooze || row.verb == Verb::freeze || row.verb == Verb::silence)
            row.until = dog.clock.now().wall + 20min;
        if (row.verb == Verb::silence) row.about.run = std::exchange(row.run, {});
        if (dog.watch->decide(row)) body.dismissed |= row.verb == Verb::dismiss;
        return;
    }
}

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
    dog.down = 1 + each.value / 8 % 10;
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

/// All that goes wrong is over.
void World::calm_down() {
    calm_ = true;
    channel_ = 0;
    std::fill(answers_.begin(), answers_.end(), 0u);
    for (unsigned i = 0; i < dogs_.size(); ++i) {
        Dog& dog = dogs_[i];
        dog.paused = dog.dies_in = 0;
        dog.store.heal();
        if (dog.watch == nullptr || dog.store.dead()) boot(i);
    }
    step(calm_step);
    for (Body& body : bodies_) {
        if (body.mood == Mood::waits || body.mood == Mood::in_tool) set_mood(body, 0);
        if (body.paused) body.mood = Mood::works;
        body.paused = false;
        body.unsaid = true;
        DecisionRow row;
        row.verb = Verb::unfreeze;
        row.run = body.id;
        row.by = "ana";
        (void)dogs_[0].watch->decide(row);
    }
}

void World::boot(unsigned number) {
    Dog& dog = dogs_[number];
    dog.watch.reset();
    dog.store = Store{memory_};
    dog.dies_in = dog.down = 0;
    EngineSettings settings;
    if (story_.dogs > 1) settings.holder = dog.name;
    settings.lease = 150s;
    settings.renew_every = 30s;
    settings.lease_margin = 10s;
    dog.control = std::make_unique<Control>(*this, number);
    dog.watch = std::make_unique<Watch>(dog.clock, dog.store, People{*this, number}, settings);
    (void)dog.watch->attach(*dog.control);
    if (const auto defined = dog.watch->define(story_.rules); !defined) wrong("define", defined.error().message);
    for (Body& body : bodies_) body.unsaid = true;
}

void World::pass(Duration length, Duration at_once) {
    for (Duration gone{}; gone < length && fault_.empty(); gone += at_once) step(at_once);
}

void World::step(Duration length) {
    truth_.advance(length);
    memory_.let_pass(length);
    for (unsigned i = 0; i < dogs_.size(); ++i) {
        Dog& dog = dogs_[i];
        dog.clock.advance(length);
        if (dog.paused > 0) --dog.paused;
        if (dog.watch == nullptr && (dog.down == 0 || --dog.down == 0)) boot(i);
    }
    for (Body& body : bodies_) work(body);
    read_rows();
    for (Dog& dog : dogs_)
        if (dog.watch != nullptr && dog.paused == 0) cycle(dog);
}

void World::cycle(Dog& dog) {
    const std::uint64_t commits = commits_so_far();
    const std::vector<RunRow> before = rows_;
    const CycleReport report = dog.watch->cycle();
    if (calm_ && !report.ok() && !dog.store.dead() && dogs_.size() == 1)
        for (const Event& event : report.events)
            if (const auto* error = std::get_if<ErrorEvent>(&event))
                note("error " + error->where + " " + error->run + " " + error->error.message);
    if (commits != commits_so_far()) look(dog, before);
    if (!dog.store.dead()) return;
    note("dead " + dog.name);
    dog.watch.reset();
    dog.down = std::max(dog.down, 1u);
}

std::uint64_t hash_of(const std::vector<std::string>& trace) {
    std::uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
    for (const std::string& line : trace)
        for (const char c : line + "\n") hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    return hash;
}

}  // namespace sim
