// The store fails at any operation, or the process dies at any commit: nothing is lost, nothing is done twice.
#include <map>
#include <set>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

namespace {

/// A store whose `at`-th operation, and the `length - 1` after it, fail.
struct FailingStore {
    struct State {
        MemoryStore inner;
        std::uint64_t calls = 0;
        std::uint64_t at = 0;
        std::uint64_t length = 1;
        bool executed = false;  ///< it answers an error, but it was done
    };
    std::shared_ptr<State> state = std::make_shared<State>();

    template <class Work>
    auto attempt(Work work) -> decltype(work()) {
        const std::uint64_t call = ++state->calls;
        const bool fails = state->at != 0 && call >= state->at && call < state->at + state->length;
        if (fails && !state->executed) return fail(ErrorCode::io, "scripted");
        auto result = work();
        if (fails) return fail(ErrorCode::io, "scripted, but done");
        return result;
    }
    Result<Snapshot> load() {
        return attempt([&] { return state->inner.load(); });
    }
    Result<List<DecisionRow>> list() {
        return attempt([&] { return state->inner.list(); });
    }
    Result<Conflicts> commit(const Batch& batch) {
        return attempt([&] { return state->inner.commit(batch); });
    }
    Result<History> history(std::string_view run) {
        return attempt([&] { return state->inner.history(run); });
    }
};

/// An agent that notices when it is told the same thing twice.
struct HonestControl {
    std::map<std::string, int> done;
    bool knows_keys = false;
    Result<ActionDone> act(const ActionRequest& asked) {
        if (!knows_keys || done[std::string{asked.key}] == 0) ++done[std::string{asked.key}];
        return ActionDone{};
    }
    Result<ActionDone> inject(const ActionRequest& asked) { return act(asked); }
    Result<ActionDone> pause(const ActionRequest& asked) { return act(asked); }
    Result<ActionDone> snapshot(const ActionRequest& asked) { return act(asked); }
    Result<ActionDone> terminate(const ActionRequest& asked) { return act(asked); }
    [[nodiscard]] bool idempotent() const { return knows_keys; }
    [[nodiscard]] int most() const {
        int most = 0;
        for (const auto& [key, count] : done) most = std::max(most, count);
        return most;
    }
};

struct AskableControl : HonestControl {
    Result<Found> find(std::string_view key) {
        const auto it = done.find(std::string{key});
        return it != done.end() && it->second > 0 ? Found::found : Found::absent;
    }
};

using FailingDog = Watchdog<ManualClock, FailingStore, RecordingNotifier>;

/// Two stalls of one run, a recovery between them, a checkpoint, and the end by the ladder.
void play(FailingDog& dog, ManualClock& clock, int from, int to) {
    for (int minute = from; minute <= to; ++minute) {
        if (minute == 0) {
            auto run = dog.start(bench::spec_of("r"), bench::minute_class());
            if (run) (void)dog.observe(*run, Progress{1});
            continue;
        }
        clock.advance(60s);
        const auto run = dog.find("r");
        if (run && minute == 3) (void)dog.observe(*run, Progress{2});
        if (run && minute == 3) (void)dog.checkpoint(*run, {7, "lexer done"});
        (void)dog.cycle();
    }
}

std::string final_state(const History& history) {
    std::string text = history.row ? std::string{name_of(history.row->state)} : "nothing";
    for (const Action& action : history.actions)
        text += " " + std::string{name_of(action.kind)} + "=" + std::string{name_of(action.outcome)};
    for (const AlertRow& row : history.alerts)
        text += " " + row.alert.kind + "=" + std::to_string(static_cast<int>(row.state));
    return text + " checkpoints=" + std::to_string(history.checkpoints.size());
}

}  // namespace

TEST_CASE("a store operation that fails once costs nothing but time [M-009]") {
    const bool executed = GENERATE(false, true);
    std::uint64_t operations = 0;
    for (std::uint64_t at = 0; at == 0 || at <= operations; ++at) {
        ManualClock clock{bench::start};
        FailingStore store;
        store.state->at = at;
        store.state->executed = executed;
        RecordingNotifier notifier;
        HonestControl control;
        FailingDog dog{clock, store, notifier};
        dog.attach(control);
        play(dog, clock, 0, 14);
        if (at == 0) operations = store.state->calls;
        INFO("operation " << at << " of " << operations << (executed ? ", executed" : ""));
        CHECK(control.most() <= 1);
        const History history = *store.state->inner.history("r");
        INFO(final_state(history));
        REQUIRE(history.row);
        CHECK(history.row->state == RunState::terminated);
        CHECK(history.row->ended_at);
        CHECK(history.checkpoints.size() == 1);
        for (const Action& action : history.actions) {
            CHECK(action.outcome == ActionOutcome::done);
            CHECK((action.kind == ActionKind::escalate || control.done.count(action.key) == 1));
        }
        for (const auto& [key, count] : control.done)
            CHECK(std::any_of(history.actions.begin(), history.actions.end(),
                              [&, k = key](const Action& action) { return action.key == k; }));
        for (const AlertRow& row : history.alerts) CHECK(row.state == AlertRow::State::delivered);
        for (const Intervention& record : history.interventions) CHECK(record.outcome != InterventionOutcome::pending);
    }
    CHECK(operations > 20);
}

TEST_CASE("an outage of five minutes at any moment costs nothing but time [M-009]") {
    for (std::uint64_t at = 1; at <= 30; ++at) {
        ManualClock clock{bench::start};
        FailingStore store;
        store.state->at = at;
        store.state->length = 12;
        RecordingNotifier notifier;
        HonestControl control;
        FailingDog dog{clock, store, notifier};
        dog.attach(control);
        play(dog, clock, 0, 30);
        INFO("from operation " << at);
        CHECK(control.most() <= 1);
        const History history = *store.state->inner.history("r");
        INFO(final_state(history));
        REQUIRE(history.row);
        CHECK(history.row->state == RunState::terminated);
        CHECK(history.checkpoints.size() == (history.checkpoints.empty() ? 0 : 1));
        for (const AlertRow& row : history.alerts) CHECK(row.state == AlertRow::State::delivered);
    }
}

namespace {

struct Crash {
    bool executed = false;
    std::uint64_t at = 0;
};

/// Runs the script, dies at an operation, and goes on with a new watchdog over the same store.
template <class Control>
History crash_and_go_on(Control& control, RecordingNotifier& notifier, Crash crash, std::uint64_t& operations) {
    ManualClock clock{bench::start};
    FailingStore store;
    store.state->at = crash.at;
    store.state->length = ~std::uint64_t{0} / 2;  // dead from then on
    store.state->executed = crash.executed;
    int minute = -1;
    {
        // A crash with `executed` loses the answer of one operation only; what follows must not reach the store.
        FailingDog dog{clock, store, notifier};
        dog.attach(control);
        while (minute < 14 && (crash.at == 0 || store.state->calls < crash.at)) {
            ++minute;
            play(dog, clock, minute, minute);
        }
    }
    operations = store.state->calls;
    if (crash.at == 0) return *store.state->inner.history("r");
    FailingStore again;
    again.state->inner = store.state->inner;
    FailingDog dog{clock, again, notifier};
    dog.attach(control);
    (void)dog.define(bench::minute_class());
    if (!again.state->inner.history("r")->row) play(dog, clock, 0, 0);
    play(dog, clock, minute + 1 > 3 ? minute + 1 : minute + 1, minute + 20);
    return *again.state->inner.history("r");
}

}  // namespace

TEMPLATE_TEST_CASE("a crash at any store operation loses nothing and repeats nothing [M-101]", "", AskableControl,
                   HonestControl) {
    std::uint64_t operations = 0;
    const bool knows_keys = GENERATE(true, false);
    {
        TestType control;
        RecordingNotifier notifier;
        (void)crash_and_go_on(control, notifier, {}, operations);
    }
    REQUIRE(operations > 20);
    const std::uint64_t all = operations;
    for (std::uint64_t at = 2; at <= all; ++at) {
        TestType control;
        control.knows_keys = knows_keys;
        RecordingNotifier notifier;
        const History history = crash_and_go_on(control, notifier, {false, at}, operations);
        INFO("dies at operation " << at << " of " << all);
        INFO(final_state(history));
        CHECK(control.most() <= 1);
        REQUIRE(history.row);
        for (const Action& action : history.actions) CHECK(action.outcome != ActionOutcome::intended);
        for (const AlertRow& row : history.alerts) CHECK(row.state != AlertRow::State::pending);
        for (const Intervention& record : history.interventions) CHECK(record.outcome != InterventionOutcome::pending);
        // Never destructive without a nudge that got through; terminated wherever nothing stayed unknown.
        const bool unknown = std::any_of(history.actions.begin(), history.actions.end(),
                                         [](const Action& action) { return action.outcome == ActionOutcome::unknown; });
        const bool nudged = std::any_of(history.actions.begin(), history.actions.end(), [](const Action& action) {
            return is_injection(action.kind) && action.outcome == ActionOutcome::done;
        });
        const bool terminated = std::any_of(history.actions.begin(), history.actions.end(), [](const Action& action) {
            return is_destructive(action.kind) && action.outcome == ActionOutcome::done;
        });
        CHECK((nudged || !terminated));
        if (!unknown) CHECK(history.row->state == RunState::terminated);
        // Every delivery of one alert carries one key; a duplicate only where the crash came before its record.
        std::map<std::string, int> sent;
        for (const auto& each : notifier.sent()) ++sent[each.alert.key];
        for (const auto& each : notifier.sent())
            UNSCOPED_INFO(each.alert.kind << " " << each.alert.key << " " << each.alert.at.time_since_epoch().count());
        for (const auto& [key, count] : sent) CHECK(count <= 2);
        for (const AlertRow& row : history.alerts)
            if (row.state == AlertRow::State::delivered) CHECK(sent.count(row.alert.key) == 1);
    }
}
