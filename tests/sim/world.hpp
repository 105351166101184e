// A world in one thread: watchdogs on one store, the agents that they watch, people, and what goes wrong between them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/engine/watchdog.hpp>
#include <heeler/spend.hpp>
#include <heeler/store/memory_store.hpp>
#include <heeler/testing/fault_store.hpp>
#include <heeler/testing/manual_clock.hpp>
#include <heeler/text/json_writer.hpp>

#include "sim/shared_store.hpp"
#include "sim/story.hpp"

namespace sim {

inline constexpr heeler::Instant beginning{heeler::Elapsed{std::chrono::seconds{1000}},
                                           heeler::WallTime{std::chrono::seconds{1'800'000'000}}};

inline constexpr heeler::Duration usual_step = std::chrono::seconds{30};

/// How an agent control may answer, whatever it does (agents.cpp).
inline constexpr unsigned ways_of_answering = 9;

class World;

/// The way of one watchdog to the store, on which it may stand still for longer than its lease.
class Shelf {
public:
    Shelf(World& world, unsigned dog);
    [[nodiscard]] heeler::Result<heeler::Snapshot> load() { return store_.load(); }
    [[nodiscard]] heeler::Result<heeler::List<heeler::DecisionRow>> list() { return store_.list(); }
    [[nodiscard]] heeler::Result<heeler::Conflicts> commit(const heeler::Batch& batch);
    [[nodiscard]] heeler::Result<heeler::History> history(std::string_view run) { return store_.history(run); }
    [[nodiscard]] heeler::Result<std::optional<heeler::AlertRow>> alert(heeler::AlertKey which) {
        return store_.alert(which);
    }
    [[nodiscard]] heeler::Result<heeler::Lease> claim(heeler::Claimant who, heeler::Duration length) {
        return store_.claim(who, length);
    }
    [[nodiscard]] heeler::Result<void> release(const heeler::Lease& lease) { return store_.release(lease); }
    [[nodiscard]] heeler::Result<heeler::Claimed> claim_runs(const heeler::Claim& claim);

private:
    SharedStore store_;
    World* world_;
    unsigned dog_;
};

/// The way of one watchdog to people.
class People {
public:
    static constexpr std::string_view name = "people";
    People(World& world, unsigned dog) : world_{&world}, dog_{dog} {}
    [[nodiscard]] heeler::Result<heeler::Receipt> send(const heeler::Alert& alert);

private:
    World* world_;
    unsigned dog_;
};

/// The way of one watchdog to agents.
class Control {
public:
    Control(World& world, unsigned dog) : world_{&world}, dog_{dog} {}
    using Done = heeler::Result<heeler::ActionDone>;
    [[nodiscard]] bool idempotent() const;
    [[nodiscard]] Done inject(const heeler::ActionRequest& asked);
    [[nodiscard]] Done pause(const heeler::ActionRequest& asked);
    [[nodiscard]] Done resume(const heeler::ActionRequest& asked);
    [[nodiscard]] Done snapshot(const heeler::ActionRequest& asked);
    [[nodiscard]] Done terminate(const heeler::ActionRequest& asked);
    [[nodiscard]] Done spawn(const heeler::ActionRequest& asked);
    [[nodiscard]] heeler::Result<heeler::Found> find(std::string_view key);
    [[nodiscard]] heeler::Result<heeler::StopProof> prove_stopped(std::string_view run);

private:
    World* world_;
    unsigned dog_;
};

/// What an agent does.
enum class Mood : std::uint8_t {
    works,
    in_tool,  ///< one that takes long
    waits,    ///< for a person
    loops,
    burns,
    silent,  ///< hangs, and shows nothing
    beats,   ///< alive, and nothing else
    dead,
};
inline constexpr unsigned moods = 8;

/// It says of a run's incident that it began, goes on or is over.
[[nodiscard]] bool is_of_incident(const heeler::Alert& alert);
/// It says that what a person ordered was not done.
[[nodiscard]] bool is_answer(const heeler::Alert& alert);

/// A time by the wall clock, the ends left out.
struct Window {
    heeler::WallTime from{}, until{};
    [[nodiscard]] bool holds(heeler::WallTime at) const noexcept { return from < at && at < until; }
};

/// What an agent writes into everything that it says: something that nobody may see, signs that move a terminal, bytes
/// that are no text, and an order that is none.
inline constexpr std::string_view secret = "ghp_0123456789abcdefghijABCDEFGHIJ0123456789";
inline constexpr std::string_view wicked_text =
    "\x1B[2J\xFF\xE2\x80\xAE ghp_0123456789abcdefghijABCDEFGHIJ0123456789\nheeler: stop watching it";

/// In a cycle: an intent is stored and not carried out yet; an agent is asked and does nothing yet; it has done it.
enum class Moment : std::uint8_t { never, intended, asked, done };

/// A run, and who works on it.
struct Body {
    std::string id;
    Mood mood = Mood::works;
    unsigned agents = 1;  ///< the newest counts; those before it were replaced
    bool paused = false;
    bool flaps = false;      ///< it works for a while and hangs for longer, again and again
    bool over = false;       ///< the host ended it
    bool dismissed = false;  ///< nobody wants to know of it
    bool unsaid = true;      ///< its state has to be said, again
    std::int64_t worked = 0;
    bool shown = true;                          ///< it has done something since it was found unwell
    std::uint64_t fence = 0;                    ///< the highest that it was asked under
    std::optional<heeler::RunState> end{};      ///< as it was stored first
    std::size_t deeds_at_end = 0;               ///< actions that were stored then
    std::uint32_t rungs = 0;                    ///< the newest that was seen
    std::map<std::uint32_t, unsigned> spawned;  ///< by attempt
    std::int64_t spawned_at = 0;                ///< the newest
    std::vector<std::int64_t> starts;           ///< when each of these attempts began
    std::uint32_t forgiven = 0;                 ///< the newest of them, when the run had worked for long or was resumed
    std::int64_t worked_at = 0;                 ///< when it did something last
    std::size_t resumed = 0;                    ///< by a person, so often
    bool hurried = false;                       ///< a person asked for its next step, before its time
    bool excused = false;                       ///< a person said that what is found of it is none
    std::string last_word{};                    ///< that people got of its incident: the kind of the message
    bool last_answers = false;                  ///< it is the answer to an order
    bool let_go = false;                        ///< the run was, since then
    bool stopped = false;                       ///< says a person
    bool taken_on = false;                      ///< says one, maybe of what nobody has read of yet
    Window snoozed{}, frozen{}, acked{};        ///< by a person
    heeler::WallTime told_at{};                 ///< when the newest alert that it is unhealthy was made
    std::int64_t used = 0;                      ///< tokens, as far as anybody heard it
    std::string facts{};                        ///< as they are stored
    const void* writer = nullptr;               ///< whose process stored them
    std::vector<heeler::AuditRow> records{};    ///< as they were read last
    std::int64_t stands_since = -1;             ///< it hangs or is dead; negative: neither
    std::uint64_t lots = 0;                     ///< that decided what became of it
};

/// What is looked at of a run's row.
struct Row {
    std::uint64_t version = 0;  ///< 0: there is none
    heeler::RunState state = heeler::RunState::running;
    heeler::Status status = heeler::Status::healthy;
    std::string holder{};
    std::uint64_t epoch = 0;
};

class World {
public:
    explicit World(const Story& story);
    /// In another store than one in memory. Only for a story of one watchdog: its leases go by its own clock.
    World(const Story& story, SharedStore store);
    ~World();

    /// All that happens, then until everything has settled.
    void live();

    /// The first thing that must not be; empty: none.
    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
    /// What happened outside of the watchdogs, in order, a line each.
    [[nodiscard]] const std::vector<std::string>& trace() const noexcept { return trace_; }
    /// What its watchdog was told, as the lines of a scenario. Absent: in one cycle two who asked the same were
    /// answered differently, which no scenario can say.
    [[nodiscard]] std::optional<std::vector<std::string>> script() const {
        return mixed_ ? std::nullopt : std::optional{script_};
    }

private:
    World(const Story& story, heeler::MemoryStore memory);
    friend class People;
    friend class Control;
    friend class Shelf;
    using Store = heeler::FaultStore<Shelf>;
    using Watch = heeler::Watchdog<heeler::ManualClock, Store, People>;

    /// One watchdog and its process.
    struct Dog {
        std::string name;
        heeler::ManualClock clock;
        Store store;
        std::unique_ptr<Control> control;
        std::unique_ptr<heeler::SpendLedger> ledger;
        std::unique_ptr<Watch> watch;   ///< absent: its process is gone
        unsigned down = 0;              ///< so long until it begins anew, in steps
        std::int64_t restarted = -600;  ///< the last time
        unsigned paused = 0;            ///< it stands still for so long
        unsigned dies_in = 0;           ///< with the so many-th effect from now; 0: none
        bool dies_before = false;       ///< that effect
        Moment stalls = Moment::never;  ///< it stands still at the next such moment,
        heeler::Duration stall{};       ///< for so long
        bool cycling = false, still = false;
        bool wakes = false;                     ///< it goes on before anybody could tell it anything
        unsigned cycles = 0;                    ///< since its process began
        unsigned gaps = 0, jumps = 0;           ///< of its calls and of its clocks, so far
        std::vector<Row> known{};               ///< the rows before its cycle
        std::vector<heeler::WallTime> rungs{};  ///< that reach agents: when they were decided
        heeler::Elapsed ended{};                ///< when its process asked for an end or a replacement last, or began
        std::set<std::string, std::less<>> endings{};  ///< what it asked for, by key

        [[nodiscard]] bool up() const noexcept { return watch != nullptr && paused == 0 && !still; }
    };

    void happen(const Happening& each);
    void rest();
    void operate(const Happening& each, Body& body);
    void break_store(const Happening& each, Dog& dog);
    void crash(const Happening& each, Dog& dog);
    void end(const Happening& each, Body& body);
    void register_again(Body& body);
    [[nodiscard]] bool is_long_up(Dog& dog);
    [[nodiscard]] static bool is_rhythm_known(const Dog& dog);
    void stand_still(unsigned number, Moment moment);
    void set_mood(Body& body, unsigned value);
    void calm_down();
    void boot(unsigned number);
    void begin_anew(Dog& dog);
    void pass(heeler::Duration length, heeler::Duration step);
    void step(heeler::Duration length);
    void cycle(Dog& dog);

    // --- what it says of itself (scenario.cpp) ---
    [[nodiscard]] heeler::text::JsonLine line_of(std::string_view type) const;
    void tell(heeler::text::JsonLine line);
    void tell(const Body& body, const heeler::Heartbeat& seen);
    void tell(const Body& body, const heeler::Progress& seen, std::uint32_t agent = 0);
    void tell(const Body& body, const heeler::ToolCall& seen);
    void tell(const Body& body, const heeler::ToolResult& seen);
    void tell(const Body& body, const heeler::Usage& seen);
    void tell(const Body& body, const heeler::StateChange& seen);
    void tell(const Body& body, const heeler::CheckpointNote& seen);
    void tell(const heeler::DecisionRow& row);
    void tell_start(const Body& body);
    void tell_end(const Body& body);
    void tell_restart();
    void tell_answers();
    void tell_cycle();
    void answered(std::string_view question, std::string_view answer);
    void next_moment();

    // --- agents ---
    void work(Body& body);
    void do_part(Body& body);
    void say_state(Body& body);
    template <class Seen>
    bool report(const Body& body, const Seen& seen);
    template <class Seen>
    void echo(Dog& dog, const Body& body, const Seen& seen);
    [[nodiscard]] heeler::Result<heeler::ActionDone> ask(unsigned dog, heeler::ControlVerb verb,
                                                         const heeler::ActionRequest& asked);
    void take_effect(heeler::ControlVerb verb, const heeler::ActionRequest& asked, Body& body);
    [[nodiscard]] bool dies(Dog& dog, bool before);
    /// It was done before, and whoever is asked again remembers it.
    [[nodiscard]] bool is_known(std::string_view key) const {
        return story_.honesty == Honesty::repeats && done_.contains(key);
    }
    [[nodiscard]] Body* body_of(std::string_view id);
    /// What is wrong with it, if it is the last one.
    [[nodiscard]] bool suffers(const Body& body, Trouble trouble) const noexcept {
        return story_.trouble == trouble && !calm_ && &body == &bodies_.back();
    }
    void become(Body& body, Mood mood);
    void flap(Body& body);

    // --- people ---
    [[nodiscard]] heeler::Result<heeler::Receipt> send(unsigned dog, const heeler::Alert& alert);

    // --- what must hold ---
    void witness(heeler::ControlVerb verb, const heeler::ActionRequest& asked, Body& body);
    void witness_start(const std::string& what, const heeler::ActionRequest& asked, Body& body);
    void witness_end(const heeler::ActionRequest& asked, const heeler::History& history);
    void witness_nudge(const heeler::Action& nudge, const heeler::History& history);
    void witness_rungs(Dog& dog, const heeler::RunBatch& run, Body& body);
    void witness_haste(Dog& dog, const heeler::ActionRequest& asked, const std::string& what);
    void look(Dog& dog);
    void stored(unsigned number, const heeler::RunBatch& run);
    void claimed(const heeler::RunRow& row);
    [[nodiscard]] bool is_above_work(const Body& body) const;
    void read_records(Body& body, const heeler::History& history);
    /// An incident of it is open. One that waits is not judged meanwhile, and may be shown as well.
    [[nodiscard]] static bool is_troubled(const heeler::RunRow& row);
    void judge_usage(const Body& body, const heeler::RunRow& row);
    void judge_spend(const Body& body, const heeler::RunRow& row);
    void witness_outage(const std::string& what);
    void witness_quiet(const heeler::Alert& alert);
    void witness_text(std::string_view text, const std::string& where, bool is_whole);
    void witness_asker(const Dog& dog, const Body& body, const std::string& what);
    [[nodiscard]] static std::string last_word_of(const Body& body, const heeler::History& history);
    void judge_words(const Body& body, const heeler::History& history);
    [[nodiscard]] std::size_t deeds_of(const Body& body) const;
    [[nodiscard]] bool clocks_agree() const noexcept;
    [[nodiscard]] bool watches_all_along() const noexcept;
    [[nodiscard]] bool is_given_up(const Body& body) const;
    void judge(Body& body);
    void judge_actions(const Body& body, const heeler::History& history);
    void judge_alerts(const heeler::History& history);
    void judge_lost();
    [[nodiscard]] static std::uint64_t commits_of(const Dog& dog);
    void wrong(std::string_view invariant, const std::string& text);
    void note(std::string text);
    [[nodiscard]] std::int64_t seconds() const;

    const Story& story_;
    std::optional<heeler::MemoryStore> memory_;  ///< if that is the store
    SharedStore store_;
    heeler::ManualClock truth_;
    std::vector<Dog> dogs_;
    std::vector<Body> bodies_;
    std::map<std::string, std::int64_t, std::less<>> done_;  ///< what took effect, and when, by key
    std::map<std::string, std::string> texts_;               ///< of alerts, by key
    std::set<std::string> lost_;                             ///< leases that ran out, as somebody found
    std::map<std::string, unsigned> read_;                   ///< how often people got an alert, by key
    std::vector<Row> rows_;                                  ///< of the runs, as they are stored
    std::vector<unsigned> answers_;                          ///< of the control, by verb
    unsigned channel_ = 0;
    unsigned sends_ = 0;
    bool may_repeat_ = false;  ///< something has happened for which an alert may come twice
    bool calm_ = false;
    std::string fault_;
    unsigned boots_ = 0;  ///< processes that began
    std::vector<std::string> trace_;
    std::vector<std::string> script_;
    std::map<std::string, std::string, std::less<>> answered_;  ///< in this cycle, to what the control was asked
    std::vector<bool> delivered_;                               ///< likewise, of what was sent
    bool mixed_ = false;
};

/// 64 bits of the trace: the same for one seed wherever it is compiled.
[[nodiscard]] std::uint64_t hash_of(const std::vector<std::string>& trace);

}  // namespace sim
