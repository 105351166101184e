// What agents do, and what becomes of what they and people are asked.
#include "sim/world.hpp"

#include <chrono>
#include <stdexcept>

#include "sim/lot.hpp"

namespace sim {

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// How the agent control answers, beside what it does.
enum class Way : unsigned {
    ok,
    failed,
    rejected,
    unsupported,
    done_untold,
    not_done_untold,
    throws,
    throws_done,
    busy
};
static_assert(static_cast<unsigned>(Way::busy) + 1 == ways_of_answering);

[[nodiscard]] bool takes_effect(Way way) {
    return way == Way::ok || way == Way::done_untold || way == Way::throws_done;
}

[[nodiscard]] Result<ActionDone> answer_of(Way way) {
    switch (way) {
        case Way::ok:
            return ActionDone{};
        case Way::failed:
            return fail(ErrorCode::failed, "cannot");
        case Way::rejected:
            return fail(ErrorCode::rejected, "will not");
        case Way::unsupported:
            return fail(ErrorCode::unsupported, "no such verb");
        case Way::done_untold:
        case Way::not_done_untold:
            return fail(ErrorCode::timed_out, "no answer");
        case Way::throws:
        case Way::throws_done:
            throw std::runtime_error{"the control fell over"};
        case Way::busy:
            break;
    }
    return fail(ErrorCode::busy, "later");
}

}  // namespace

// --- the ways to them ---
Result<Receipt> People::send(const Alert& alert) { return world_->send(dog_, alert); }

bool Control::idempotent() const { return world_->story_.honesty == Honesty::repeats; }
Control::Done Control::inject(const ActionRequest& asked) { return world_->ask(dog_, ControlVerb::inject, asked); }
Control::Done Control::pause(const ActionRequest& asked) { return world_->ask(dog_, ControlVerb::pause, asked); }
Control::Done Control::resume(const ActionRequest& asked) { return world_->ask(dog_, ControlVerb::resume, asked); }
Control::Done Control::snapshot(const ActionRequest& asked) { return world_->ask(dog_, ControlVerb::snapshot, asked); }
Control::Done Control::terminate(const ActionRequest& asked) {
    return world_->ask(dog_, ControlVerb::terminate, asked);
}
Control::Done Control::spawn(const ActionRequest& asked) { return world_->ask(dog_, ControlVerb::spawn, asked); }
Result<Found> Control::find(std::string_view key) {
    if (world_->story_.honesty != Honesty::finds) return fail(ErrorCode::unsupported, "nothing is kept");
    if (world_->dogs_[dog_].store.dead()) return fail(ErrorCode::lost, "the process is gone");
    const bool is_done = world_->done_.contains(key);
    world_->answered("find", is_done ? "found" : "absent");
    return is_done ? Found::found : Found::absent;
}
Result<StopProof> Control::prove_stopped(std::string_view run) {
    if (!world_->story_.proves) return fail(ErrorCode::unsupported, "nobody sees it");
    const Body* body = world_->body_of(run);
    const bool is_dead = body != nullptr && body->mood == Mood::dead;
    world_->answered("prove_stopped", is_dead ? "stopped" : "running");
    return is_dead ? StopProof::stopped : StopProof::running;
}

// --- agents ---
Body* World::body_of(std::string_view id) {
    for (Body& body : bodies_)
        if (body.id == id) return &body;
    return nullptr;
}

/// Every host hears it, and tells its watchdog.
template <class Seen>
bool World::report(const Body& body, const Seen& seen) {
    bool heard = false;
    for (Dog& dog : dogs_) {
        if (!dog.up()) continue;
        if (story_.told) tell(body, seen);
        heard |= dog.watch->observe(body.id, seen) == Observed::ok;
        if (story_.echoes) echo(dog, body, seen);
    }
    return heard;
}

/// It arrives again, and so does what was said of agents that were replaced. What counts each time is not repeated.
template <class Seen>
void World::echo(Dog& dog, const Body& body, const Seen& seen) {
    if constexpr (std::is_same_v<Seen, Heartbeat> || std::is_same_v<Seen, Progress> ||
                  std::is_same_v<Seen, StateChange>) {
        (void)dog.watch->observe(body.id, seen);
        if (body.agents == 1) return;
        if (const auto run = dog.watch->find(body.id))
            (void)dog.watch->observe_as(*run, body.agents - 1, seen, dog.clock.now());
    }
}

void World::say_state(Body& body) {
    const bool heard = body.mood == Mood::waits
                           ? report(body, StateChange{RunState::waiting_human, {}, {}, wicked_text, {}})
                           : report(body, StateChange{});
    if (heard) body.unsaid = false;
}

void World::work(Body& body) {
    const bool lives = body.mood == Mood::beats && story_.preset == "recommended";  // which looks for that, too
    if (body.mood == Mood::in_tool || body.mood == Mood::waits || body.mood == Mood::loops || body.paused ||
        body.unsaid || lives)
        body.shown = true;
    if (body.over || body.paused || body.mood == Mood::silent || body.mood == Mood::dead) return;
    if (body.unsaid) say_state(body);
    if (body.mood == Mood::waits) return;
    report(body, Heartbeat{static_cast<std::uint64_t>(seconds())});
    if (body.mood == Mood::in_tool || body.mood == Mood::beats) return;
    if (body.mood == Mood::loops) {
        body.worked_at = seconds();  // what is done first in a circle is news as well
        for (int i = 0; i < 2; ++i) {
            report(body, ToolCall{"run", R"({"what":"test"})"});
            report(body, ToolResult{false, "error: cannot find the header\n" + std::string{wicked_text}});
        }
        return;
    }
    const unsigned parts = calm_ ? 1 : story_.at_once;
    for (unsigned i = 0; i < parts; ++i) do_part(body);
}

void World::do_part(Body& body) {
    ++body.worked;
    body.worked_at = seconds();
    body.shown = true;
    const std::string number = std::to_string(body.worked);
    report(body, ToolCall{"edit", "{\"file\":\"part_" + number + ".cpp\",\"text\":\"" + number + "\"}"});
    report(body, ToolResult{true, "wrote part_" + number + ".cpp, " + number + " lines"});
    report(body, Progress{body.worked});
    const Usage usage{body.mood == Mood::burns ? 90'000 : 900, 300, 1, 0, 0};
    if (report(body, usage)) body.used += usage.tokens_in + usage.tokens_out;
    if (body.worked % 4 != 0) return;
    const std::string text = "part " + number + "\n" + std::string{wicked_text};
    const CheckpointNote part{body.worked, text};
    for (Dog& dog : dogs_)
        if (dog.up())
            if (const auto run = dog.watch->find(body.id)) {
                if (story_.told) tell(body, part);
                (void)dog.watch->checkpoint(*run, part);
            }
}

void World::set_mood(Body& body, unsigned value) {
    if (story_.steady && &body == &bodies_[0]) return;
    const Mood mood = static_cast<Mood>(value % moods);
    if (body.mood == Mood::dead || body.mood == mood) return;  // nobody rises from the dead but by a spawn
    body.unsaid |= body.mood == Mood::waits || mood == Mood::waits;
    become(body, mood);
    body.flaps = story_.flaps && !calm_ && (mood == Mood::works || mood == Mood::silent) && value / moods % 2 == 0;
    if (mood == Mood::in_tool) body.shown |= report(body, ToolCall{"build", R"({"all":true})"});
}

void World::become(Body& body, Mood mood) {
    body.mood = mood;
    const bool stands = mood == Mood::silent || mood == Mood::dead;
    if (!stands || body.stands_since < 0) body.stands_since = stands ? seconds() : -1;
}

/// A minute and a half of work in seven, of each run at another time.
void World::flap(Body& body) {
    if (!body.flaps || body.over || body.paused) return;
    const auto place = static_cast<std::int64_t>(&body - bodies_.data());
    become(body, (seconds() / 30 + 5 * place) % 14 < 3 ? Mood::works : Mood::silent);
}

/// Whether the process of this watchdog is gone at this point.
bool World::dies(Dog& dog, bool before) {
    if (dog.store.dead()) return true;
    if (dog.dies_in == 0 || dog.dies_before != before || --dog.dies_in > 0) return false;
    dog.store.crash();
    return true;
}

Result<ActionDone> World::ask(unsigned number, ControlVerb verb, const ActionRequest& asked) {
    Dog& dog = dogs_[number];
    Body* body = body_of(asked.run);
    if (body == nullptr) return fail(ErrorCode::rejected, "nobody of this name");
    if (dies(dog, true)) return fail(ErrorCode::lost, "the process is gone");
    const std::string what = std::string{control_verb_names[static_cast<std::size_t>(verb)]} + " " + body->id;
    witness_asker(dog, *body, what);
    if (verb == ControlVerb::terminate || verb == ControlVerb::spawn) {
        witness_outage(what);
        witness_haste(dog, asked, what);
    }
    witness_text(asked.text, what, asked.message == MessageKind::reason);
    const Way way =
        suffers(*body, Trouble::hostile) ? Way::throws : static_cast<Way>(answers_[static_cast<std::size_t>(verb)]);
    if (takes_effect(way) && !is_known(asked.key)) witness(verb, asked, *body);
    stand_still(number, Moment::asked);
    if (asked.fence < body->fence) return fail(ErrorCode::fenced, "somebody else has asked since");
    body->fence = asked.fence;
    if (takes_effect(way) && !is_known(asked.key)) {
        note("effect " + what + " " + std::to_string(asked.attempt));
        if (story_.honesty != Honesty::neither && done_.contains(asked.key))
            wrong("I3", "done twice under one key: " + std::string{asked.key});
        done_.emplace(std::string{asked.key}, seconds());
        take_effect(verb, asked, *body);
    }
    stand_still(number, Moment::done);
    if (dies(dog, false)) return fail(ErrorCode::lost, "the process is gone");
    return answer_of(way);
}

void World::take_effect(ControlVerb verb, const ActionRequest& asked, Body& body) {
    const auto place = static_cast<std::uint64_t>(&body - bodies_.data());
    Lot lot{story_.seed ^ ((story_.own_luck ? ++body.lots * 8 + place : done_.size()) << 32)};
    switch (verb) {
        case ControlVerb::inject:
            if (body.mood != Mood::dead && story_.trouble != Trouble::outage && !lot.one_in(3)) set_mood(body, 0);
            return;
        case ControlVerb::pause:
            body.paused = true;
            return;
        case ControlVerb::resume:
            body.paused = false;
            return;
        case ControlVerb::terminate:
            body.flaps = false;
            become(body, Mood::dead);
            return;
        case ControlVerb::spawn:
            if (++body.spawned[asked.attempt] == 1) body.starts.push_back(seconds());
            body.spawned_at = seconds();
            ++body.agents;
            body.flaps = false;
            become(body, lot.one_in(3) || story_.trouble == Trouble::outage ? Mood::silent : Mood::works);
            body.paused = false;
            body.unsaid = true;
            return;
        default:
            return;
    }
}

// --- people ---
Result<Receipt> World::send(unsigned number, const Alert& alert) {
    Dog& dog = dogs_[number];
    if (dies(dog, true)) return fail(ErrorCode::lost, "the process is gone");
    std::string text = alert.kind + " | " + alert.to + " | " + alert.run.id + " | " + alert.summary;
    for (const std::string& issue : alert.issues) text += " | " + issue;
    for (const Detail& detail : alert.details) text += " | " + detail.name + "=" + detail.value;
    const auto [known, is_new] = texts_.emplace(alert.key, text);
    // What was sent while the store refused its row is, after a kill, told with what waits by then.
    const bool is_on_record = !story_.has(What::store) || !(story_.has(What::crash) || story_.has(What::restart));
    if (!is_new && known->second != text && is_on_record)
        wrong("I7", "one key for two messages:\n    " + known->second + "\n    " + text);
    if (!alert.run.id.empty() && !alert.kind.starts_with("watchdog.")) {
        const auto stored = store_.alert({alert.run.id, alert.key});
        if (!stored || !stored->has_value()) wrong("I6", "sent before it is stored: " + text);
    }
    witness_quiet(alert);
    for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 3) {
        end = text.find(" | ", at);
        witness_text(std::string_view{text}.substr(at, end - at), "alert " + alert.kind, true);
    }
    const std::int64_t asked_at = seconds();
    stand_still(number, Moment::asked);
    // Whoever wakes in the middle of a call ends it, whatever another watchdog has said since: one key, no news.
    const bool is_late = seconds() != asked_at;
    if (story_.told) delivered_.push_back(false);
    if (const Body* body = body_of(alert.run.id); body != nullptr && suffers(*body, Trouble::unheard))
        return fail(ErrorCode::delivery_failed, "nobody is there");
    switch (channel_) {
        case 1:
            return fail(ErrorCode::delivery_failed, "no answer");
        case 2:
            if (++sends_ % 2 == 0) break;
            return fail(ErrorCode::delivery_failed, "flaky");
        case 3: {
            Error later{ErrorCode::delivery_failed, "later"};
            later.retry_after = 30s;
            return tl::unexpected<Error>(later);
        }
        default:
            break;
    }
    note("sent " + alert.kind + " " + alert.run.id + " " + std::to_string(alert.issues.size()));
    const bool again = ++read_[alert.key] > 1;
    if (again && !may_repeat_) wrong("I7", "told twice: " + text);
    if (Body* body = body_of(alert.run.id); body != nullptr && !(again && is_late)) {
        const bool over = alert.is(AlertKind::recovered);
        if (is_of_incident(alert)) {
            body->last_word = alert.kind;
            body->let_go = false;
            body->last_answers = is_answer(alert);
        }
        if (over) body->acked = {};
    }
    stand_still(number, Moment::done);
    if (channel_ == 4) return fail(ErrorCode::timed_out, "it arrived, and nobody said so");
    if (dies(dog, false)) return fail(ErrorCode::lost, "the process is gone");
    if (!delivered_.empty()) delivered_.back() = true;
    return Receipt{};
}

}  // namespace sim
