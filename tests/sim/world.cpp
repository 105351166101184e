// The course of things.
#include "sim/world.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sim {

using namespace heeler;
using namespace std::chrono_literals;

namespace {

constexpr Duration calm_step = 60s;

[[nodiscard]] RunSpec spec_of(std::string id) {
    RunSpec spec;
    spec.id = std::move(id);
    spec.task = "Port the parser";
    spec.metric = MetricKind::reported;
    spec.plan = {1, 2, 3};
    return spec;
}

/// In one cycle with all that follows from it.
constexpr std::uint64_t most_commits = 200;

/// Of a host that is stopped all the time no more is made than of any other.
constexpr unsigned most_gaps = 2, most_jumps = 4;

}  // namespace

World::World(const Story& story) : World{story, heeler::MemoryStore{}} {}

World::World(const Story& story, heeler::MemoryStore memory)
    : World{story, SharedStore{std::make_unique<heeler::MemoryStore>(memory)}} {
    memory_ = std::move(memory);
}

World::World(const Story& story, SharedStore store)
    : story_{story},
      store_{std::move(store)},
      truth_{Instant{beginning.elapsed, beginning.wall + story.later}},
      answers_(control_verb_names.size(), 0) {
    for (unsigned i = 0; i < story.dogs; ++i)
        dogs_.push_back({"dog-" + std::to_string(i), ManualClock{truth_.now()}, Store{Shelf{*this, i}}, {}, {}, {}});
    for (unsigned i = 0; i < story.dogs; ++i) boot(i);
    for (unsigned i = 0; i < story.runs; ++i) {
        RunSpec spec = spec_of("run-" + std::to_string(i));
        if (story.family && i + 1 < story.runs) spec.parent = "run-" + std::to_string(i + 1);
        bodies_.emplace_back().id = spec.id;
        rows_.emplace_back();
        tell_start(bodies_.back());
        const auto started = dogs_[i % story.dogs].watch->start(std::move(spec), std::string_view{story.rules.name});
        if (!started) wrong("start", started.error().message);
    }
}

World::~World() = default;

void World::live() {
    step(usual_step);  // whoever never did anything is no session that fell silent
    if (story_.trouble == Trouble::refused)
        for (Dog& dog : dogs_) dog.store.fail_run(bodies_.back().id, ErrorCode::unstorable);
    for (std::size_t i = 0; i < story_.happenings.size(); ++i) {
        if (story_.rests && i == story_.seed % story_.happenings.size()) rest();
        next_moment();
        happen(story_.happenings[i]);
        if (!fault_.empty()) return;
    }
    next_moment();
    calm_down();
    pass(2h, calm_step);
    for (Body& body : bodies_) judge(body);
    judge_lost();
}

/// Nobody works, and nobody is expected to.
void World::rest() {
    std::vector<Body*> resting;
    for (std::size_t i = 0; i < bodies_.size(); ++i)
        if (rows_[i].state == RunState::running) resting.push_back(&bodies_[i]);
    for (const Body* body : resting) report(*body, StateChange{*story_.rests});
    for (int i = 0; i < 360; ++i) {
        truth_.advance(usual_step);
        if (memory_) memory_->let_pass(usual_step);
        for (Dog& dog : dogs_) {
            dog.clock.advance(usual_step);
            cycle(dog);
        }
    }
    for (Body* body : resting) body->shown |= report(*body, StateChange{});
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
            if (body.over) {
                report(body, Progress{body.worked + 1000});
                report(body, StateChange{});
            }
            if (body.agents > 1)
                for (Dog& each_dog : dogs_)
                    if (each_dog.up())
                        if (const auto run = each_dog.watch->find(body.id)) {
                            tell(body, Progress{body.worked + 1000}, body.agents - 1);
                            (void)each_dog.watch->observe_as(*run, body.agents - 1, Progress{body.worked + 1000},
                                                             each_dog.clock.now());
                        }
            return;
        case What::finish:
            return end(each, body);
        case What::operate:
            return operate(each, body);
        case What::control:
            answers_[each.who % answers_.size()] = each.value % 2 == 0 ? 0 : each.value / 2 % ways_of_answering;
            return tell_answers();
        case What::channel:
            channel_ = each.value % 2 == 0 ? 0 : each.value / 2 % 5;
            may_repeat_ |= channel_ == 4;
            return;
        case What::store:
            return break_store(each, dog);
        case What::crash:
            return crash(each, dog);
        case What::restart:
            if (!dog.up() || !is_long_up(dog)) return;
            if (story_.told) return begin_anew(dog);
            static_cast<void>(dogs_.size() > 1 ? dog.watch->leave() : dog.watch->flush());
            dog.watch.reset();
            dog.down = each.value % 3;
            return;
        case What::pause:
            if (!is_rhythm_known(dog) || ++dog.gaps > most_gaps) return;
            dog.paused = 1 + each.value % 40;
            may_repeat_ = true;
            return;
        case What::wall: {
            if (++dog.jumps > most_jumps) return;
            // By no whole number of steps: two alerts of one kind at one moment have one key.
            constexpr Duration jumps[] = {10min + 7s, -10min - 7s, 1h + 11s, -1h - 11s, 24h, 5s};
            return dog.clock.step_wall(jumps[each.value % std::size(jumps)]);
        }
        case What::suspend:
            for (Dog& each_dog : dogs_) {
                if (++each_dog.jumps > most_jumps) continue;
                each_dog.clock.suspend(std::chrono::minutes{1 + each.value % 480});
                each_dog.wakes = true;
            }
            return;
        case What::stall:
            if (!is_rhythm_known(dog) || ++dog.gaps > most_gaps) return;
            dog.stalls = static_cast<Moment>(1 + each.value % 3);
            dog.stall = std::chrono::minutes{4 << (each.value / 4 % 3)};
            may_repeat_ = true;
            return;
    }
}

/// Its host goes to another watchdog, which takes it when the lease of the one that had it has run out. It asks the one
/// that had it, and now and then the others first, about a run that is over as well.
void World::register_again(Body& body) {
    if (body.over || dogs_.size() == 1) return;
    const Row& row = rows_[static_cast<std::size_t>(&body - bodies_.data())];
    const bool asks_all = seconds() / 30 % 8 == 0;
    if (is_terminal(row.state) && !asks_all) return;
    std::size_t first = 0;
    while (!asks_all && first < dogs_.size() && dogs_[first].name != row.holder) ++first;
    for (std::size_t i = 0; i < dogs_.size(); ++i)
        if (Dog& dog = dogs_[(first + i) % dogs_.size()]; dog.up() && dog.watch->find(body.id)) return;
    for (Dog& dog : dogs_) {
        if (!dog.up() || !dog.watch->start(spec_of(body.id), std::string_view{story_.rules.name})) continue;
        body.unsaid = true;
        return;
    }
}

/// What a run does nobody reports while the watchdog is down: one that works may be taken for stalled if it is so again
/// and again.
bool World::is_long_up(Dog& dog) { return seconds() - std::exchange(dog.restarted, seconds()) >= 600; }

/// A gap of minutes between the first calls of all may be how often this host calls.
bool World::is_rhythm_known(const Dog& dog) { return dog.cycles >= 4; }

/// The host ends it, or its agent says that it is done.
void World::end(const Happening& each, Body& body) {
    if (story_.steady && &body == &bodies_[0]) return;
    if (each.value % 2 == 0 && story_.rules.completion_ends) {
        body.over |= report(body, StateChange{RunState::completed});
        return;
    }
    for (Dog& dog : dogs_)
        if (dog.up())
            if (const auto run = dog.watch->find(body.id)) {
                tell_end(body);
                if (dog.watch->finish(*run)) body.over = true;
            }
}

/// What persons decide. They tell the truth.
void World::operate(const Happening& each, Body& body) {
    if (story_.steady && &body == &bodies_[0]) return;
    constexpr Verb verbs[] = {Verb::ack,      Verb::ack,     Verb::resume,       Verb::snooze, Verb::freeze,
                              Verb::unfreeze, Verb::dismiss, Verb::mark_stopped, Verb::silence};
    constexpr Verb by_hand[] = {Verb::pause, Verb::step, Verb::resume, Verb::mark_wrong, Verb::resume_watch};
    DecisionRow row;
    row.verb = story_.hands_on && each.value / 16 % 4 != 0 ? by_hand[each.value % std::size(by_hand)]
                                                           : verbs[each.value % std::size(verbs)];
    row.run = body.id;
    row.by = "ana";
    if (row.verb == Verb::mark_stopped && body.mood != Mood::dead) return;
    if (row.verb == Verb::mark_wrong && body.mood != Mood::works) return;
    for (Dog& dog : dogs_) {
        if (!dog.up()) continue;
        if (row.verb == Verb::snooze || row.verb == Verb::freeze || row.verb == Verb::silence)
            row.until = dog.clock.now().wall + 20min;
        if (row.verb == Verb::silence) row.about.run = std::exchange(row.run, {});
        body.dismissed |= row.verb == Verb::dismiss;  // also if nobody answers: it may be stored
        body.hurried |= row.verb == Verb::step;
        body.excused |= row.verb == Verb::mark_wrong;
        if (row.verb == Verb::unfreeze) body.frozen = {};
        if (row.verb == Verb::resume) {
            ++body.resumed;
            body.acked = {};  // whoever lets it go on is not on it any more
            body.let_go = true;
        }
        if (row.verb == Verb::resume && !body.spawned.empty()) body.forgiven = body.spawned.rbegin()->first;
        tell(row);
        const bool is_known = dog.watch->decide(row).has_value();
        if (!is_known && row.verb == Verb::snooze) body.snoozed = {};  // or for as long as before
        if (!is_known) return;
        const Window window{dog.clock.now().wall, row.until.value_or(WallTime::max())};
        body.stopped |= row.verb == Verb::mark_stopped;
        body.taken_on |= row.verb == Verb::ack;
        if (row.verb == Verb::snooze && !body.stopped) body.snoozed = window;
        if (row.verb == Verb::resume_watch && !body.stopped) body.snoozed = {window.from, window.from + 30min};
        if (row.verb == Verb::freeze) body.frozen = window;
        const bool asks = body.last_word == name_of(AlertKind::escalation) && !body.last_answers && !body.let_go;
        if (row.verb == Verb::ack && asks)
            body.acked = {window.from, window.from + story_.rules.alerts.escalation.ack_lasts};
        return;
    }
}

/// All that goes wrong is over.
void World::calm_down() {
    calm_ = true;
    channel_ = 0;
    std::fill(answers_.begin(), answers_.end(), 0u);
    tell_answers();
    for (unsigned i = 0; i < dogs_.size(); ++i) {
        Dog& dog = dogs_[i];
        dog.paused = dog.dies_in = 0;
        dog.stalls = Moment::never;
        dog.store.heal();
        if (dog.watch == nullptr || dog.store.dead()) boot(i);
    }
    for (Body& body : bodies_) body.flaps = false;
    step(calm_step);
    next_moment();
    for (Body& body : bodies_) {
        if (body.mood == Mood::waits || body.mood == Mood::in_tool) set_mood(body, 0);
        if (body.paused || story_.trouble == Trouble::outage) body.mood = Mood::works;
        body.paused = false;
        body.unsaid = true;
        if (!story_.has(What::operate)) continue;
        DecisionRow row;
        row.verb = Verb::unfreeze;
        row.run = body.id;
        row.by = "ana";
        tell(row);
        (void)dogs_[0].watch->decide(row);
        body.frozen = {};
    }
}

void World::boot(unsigned number) {
    Dog& dog = dogs_[number];
    ++boots_;
    dog.watch.reset();
    dog.store = Store{Shelf{*this, number}};
    dog.dies_in = dog.down = dog.cycles = 0;
    dog.ended = dog.clock.now().elapsed;
    dog.endings.clear();
    if (const bool any_over =
            std::any_of(bodies_.begin(), bodies_.end(), [](const Body& body) { return body.over || body.end; });
        any_over)
        dog.rungs.clear();
    dog.stalls = Moment::never;
    EngineSettings settings;
    if (story_.dogs > 1) settings.holder = dog.name;
    settings.lease = 150s;
    settings.renew_every = 30s;
    settings.lease_margin = 10s;
    dog.control = std::make_unique<Control>(*this, number);
    dog.watch = std::make_unique<Watch>(dog.clock, dog.store, People{*this, number}, settings);
    (void)dog.watch->attach(*dog.control);
    dog.ledger = std::make_unique<SpendLedger>(store_);
    (void)dog.watch->attach(*dog.ledger);
    if (const auto defined = dog.watch->define(story_.rules); !defined) wrong("define", defined.error().message);
    for (Body& body : bodies_) {
        body.unsaid = true;
        if (const auto history = store_.history(body.id)) read_records(body, *history);
    }
}

void World::pass(Duration length, Duration at_once) {
    for (Duration gone{}; gone < length && fault_.empty(); gone += at_once) step(at_once);
}

/// What happens next is later than the last cycle.
void World::next_moment() {
    if (!story_.told) return;
    truth_.advance(1s);
    if (memory_) memory_->let_pass(1s);
    for (Dog& dog : dogs_) dog.clock.advance(1s);
}

/// At once, and in order.
void World::begin_anew(Dog& dog) {
    (void)dog.watch->flush();
    boot(static_cast<unsigned>(&dog - dogs_.data()));
    for (const Body& body : bodies_) (void)dog.watch->find(body.id);
    tell_restart();
}

void World::step(Duration length) {
    truth_.advance(length);
    if (memory_) memory_->let_pass(length);
    for (unsigned i = 0; i < dogs_.size(); ++i) {
        Dog& dog = dogs_[i];
        dog.clock.advance(length);
        if (dog.paused > 0) dog.wakes |= --dog.paused == 0 && !story_.told;
        if (dog.watch == nullptr && (dog.down == 0 || --dog.down == 0)) boot(i);
    }
    for (Dog& dog : dogs_)
        if (std::exchange(dog.wakes, dog.wakes && !dog.up()) && dog.up()) cycle(dog);
    for (Body& body : bodies_) register_again(body);
    for (Body& body : bodies_) {
        flap(body);
        work(body);
    }
    for (Dog& dog : dogs_)
        if (dog.up()) cycle(dog);
}

void World::cycle(Dog& dog) {
    const std::uint64_t commits = commits_of(dog);
    dog.known = rows_;
    dog.cycling = true;
    ++dog.cycles;
    const CycleReport report = dog.watch->cycle(TickCause::period);
    dog.cycling = false;
    tell_cycle();
    if (calm_ && !report.ok() && !dog.store.dead() && dogs_.size() == 1)
        for (const Event& event : report.events)
            if (const auto* error = std::get_if<ErrorEvent>(&event))
                note("error " + error->where + " " + error->run + " " + error->error.message);
    const std::uint64_t asked = commits_of(dog) - commits;
    if (asked > most_commits) wrong("I29", "one cycle asked the store " + std::to_string(asked) + " times");
    if (asked != 0) look(dog);
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
