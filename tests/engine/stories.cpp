// Stories made up at random, told to a whole watchdog: whatever happens, what people read fits together and is true.
//
// HEELER_STORIES=N tells so many of them, HEELER_STORY_SEED=N this one alone.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <utility>

#include <heeler/alert/group.hpp>
#include <heeler/alert/silence.hpp>
#include <heeler/run/watched_run.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/slowed.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace stories_test {

namespace {

/// One thing that happens. `run` and `value` are any numbers: what they mean depends on the story so far.
struct Happening {
    enum class What : std::uint8_t {
        time,
        works,
        asks,
        fails,
        silence,
        unsilence,
        snooze,
        freeze,
        unfreeze,
        ack,
        dismiss,
        mark_wrong,
        resume,
        finish,
        channel,
        control,
        store,
        crash,
        restart,
        clock,
    };
    What what = What::time;
    unsigned run = 0;
    unsigned value = 0;
};
using What = Happening::What;

constexpr const char* names[] = {"time",    "works",    "asks",  "fails",   "silence",    "unsilence", "snooze",
                                 "freeze",  "unfreeze", "ack",   "dismiss", "mark_wrong", "resume",    "finish",
                                 "channel", "control",  "store", "crash",   "restart",    "clock"};

/// How often each of them is.
constexpr unsigned weights[] = {40, 14, 4, 3, 4, 4, 2, 2, 3, 3, 1, 1, 2, 1, 7, 3, 2, 2, 2, 1};
static_assert(std::size(names) == std::size(weights));

std::vector<Happening> happenings(std::uint32_t seed) {
    std::mt19937 random{seed};
    unsigned all = 0;
    for (const unsigned weight : weights) all += weight;
    std::vector<Happening> made(30 + random() % 30);
    for (Happening& each : made) {
        auto lot = static_cast<unsigned>(random() % all);
        std::size_t what = 0;
        while (lot >= weights[what]) lot -= weights[what++];
        each = {static_cast<What>(what), static_cast<unsigned>(random()), static_cast<unsigned>(random())};
    }
    return made;
}

/// The classes that are told of; what is set at random in them is decided by the seed.
RunClass class_of(std::uint32_t seed) {
    std::mt19937 random{seed ^ 0x5EEDu};
    const auto one_of = [&](unsigned count) { return random() % count == 0; };
    RunClass rules;
    switch (random() % 4) {
        case 0:
            rules = presets::long_run();
            rules.interval.fixed = 60s;
            break;
        case 1:
            rules = presets::recommended();
            rules.schedule.period = 30s;
            break;
        case 2:
            rules = presets::session_monitor();
            break;
        default:
            rules = bench::all_workers();
            rules.alerts.tell_people = one_of(2);
            break;
    }
    rules.name = "told";
    rules.alerts.to.clear();
    AlertSettings& alerts = rules.alerts;
    if (one_of(3)) alerts.cooldown = one_of(2) ? Duration{30min} : Duration{2h};
    if (one_of(4)) alerts.renotify_every = 1h;
    if (one_of(3)) alerts.escalation = {three_levels(), one_of(2) ? Duration{2h} : Duration{}, one_of(2)};
    if (one_of(4)) alerts.outbox.inhibit = !alerts.outbox.inhibit;
    if (one_of(4)) alerts.outbox.retry = false;
    if (one_of(6)) alerts.outbox.at_once = 2;
    if (one_of(2) || alerts.outbox.at_once) alerts.outbox.group_interval = alerts.outbox.group_wait = {};
    if (one_of(6)) rules.ladder = presets::session_monitor().ladder;
    alerts.outbox.give_up_after = std::max<Duration>(alerts.outbox.longest_retry, 2h);
    if (seed % 3 == 0) alerts.flapping_every = one_of(2) ? Duration{1min} : Duration{10min};  // drawn last
    return rules;
}

using IncidentId = std::pair<std::uint32_t, Duration>;  ///< its number, and when it was opened last

/// What people know of a run, by what they have read.
struct Known {
    bool believes = false;               ///< that it is in trouble
    std::set<std::string> edges;         ///< what has alerts of its own, and goes on
    bool is_over = false;                ///< and that it is over
    std::optional<WallTime> last_end;    ///< when the newest word that its trouble is over was made
    std::optional<WallTime> worried_at;  ///< when they read last that it is in trouble
    std::set<std::uint32_t> escalated;   ///< incidents for which somebody was asked
    std::optional<IncidentId> began;     ///< what they read the beginning of, and not the end
    std::uint32_t wrong = 0;             ///< the newest incident that a person said was none
    bool is_given_up = false;
    [[nodiscard]] bool worries() const { return believes || !edges.empty(); }
};

struct Story;

/// People, and the way to them: they read each message once, as whoever honours keys does.
class People {
public:
    static constexpr std::string_view name = "people";
    explicit People(Story& story) : story_{&story} {}
    [[nodiscard]] Result<Receipt> send(const Alert& alert);

private:
    Story* story_;
};

using Memory = detail::RunMemory;

struct Story {
    using Store = FaultStore<MemoryStore>;
    using Dog = Watchdog<ManualClock, Store, People>;

    explicit Story(std::uint32_t seed) : rules{class_of(seed)} {
        boot();
        for (const char* id : {"top", "low"}) {
            RunSpec spec = bench::spec_of(id);
            if (ids.size() == 1) spec.parent = "top";
            spec.tags = {"tag-" + std::string{id}};
            if (!dog->start(std::move(spec), std::string_view{rules.name})) fail("the run is not started");
            ids.emplace_back(id);
        }
    }

    void live(const std::vector<Happening>& all) {
        for (const Happening& each : all) {
            happen(each);
            if (!fault.empty()) return;
        }
        calm_down();
        for (int i = 0; i < 40 && fault.empty(); ++i) pass(10min);
        for (int i = 0; i < 10 && fault.empty(); ++i) pass(60s);
        for (const std::string& id : ids) judge(id);
    }

    void happen(const Happening& each) {
        const std::string& id = ids[each.run % ids.size()];
        const bool one = each.value % 2 == 0;
        switch (each.what) {
            case What::time: {
                constexpr Duration lengths[] = {1s, 10s, 60s, 60s, 5min, 10min, 10min, 40min, 3h};
                return pass(lengths[each.value % std::size(lengths)]);
            }
            case What::works:
                idle.contains(id) ? void(idle.erase(id)) : void(idle.insert(id));
                return;
            case What::asks:
                asking.contains(id) ? void(asking.erase(id)) : void(asking.insert(id));
                return report(id, asking.contains(id) ? StateChange{RunState::waiting_human, {}, {}, "Allow?", {}}
                                                      : StateChange{});
            case What::fails:
                for (int i = 0; i < 8; ++i) {
                    report(id, ToolCall{"run", R"({"what":"test"})"});
                    report(id, ToolResult{false, "error: cannot"});
                }
                return;
            case What::finish:
                if (const auto handle = dog->find(id)) (void)dog->finish(*handle);
                return;
            case What::channel:
                channel = each.value % 3 == 0 ? each.value / 3 % 6 : 0;
                return;
            case What::control:
                for (const ControlVerb verb : {ControlVerb::inject, ControlVerb::pause, ControlVerb::snapshot,
                                               ControlVerb::terminate, ControlVerb::resume})
                    control.answer(verb, one ? ControlAnswer::ok : static_cast<ControlAnswer>(each.value / 2 % 4));
                return;
            case What::store:
                store.heal();
                if (one)
                    store.fail(StoreOperation::commit, ErrorCode::io,
                               each.value % 4 == 0 ? FaultEffect::executed : FaultEffect::not_executed);
                return;
            case What::crash:
                store.crash_at_commit(1 + each.value / 2 % 4,
                                      one ? CrashPoint::after_answer : CrashPoint::before_answer);
                pass(60s);
                return boot();
            case What::restart:
                return boot();
            case What::clock:
                is_set_back |= one;
                clock.step_wall(one ? -Duration{10min} : Duration{10min});
                return;
            default:
                return operate(each, id, one);
        }
    }

    /// What operators decide.
    void operate(const Happening& each, const std::string& id, bool one) {
        switch (each.what) {
            case What::silence:
                return silence(id, each.value);
            case What::unsilence:
                return unsilence(each.value);
            case What::snooze:
                return decide(Verb::snooze, id, Duration{one ? 10min : 1h});
            case What::freeze:
                return decide(Verb::freeze, one ? id : "",
                              each.value % 3 == 0 ? std::optional<Duration>{30min} : std::nullopt);
            case What::unfreeze:
                return decide(Verb::unfreeze, one ? id : "");
            case What::ack:
                return decide(Verb::ack, id);
            case What::dismiss:
                if (each.value % 3 == 0) decide(Verb::dismiss, id);
                return;
            case What::mark_wrong:
                return decide(Verb::mark_wrong, id);
            case What::resume:
                return decide(Verb::resume, id);
            default:
                return;
        }
    }

    /// All that keeps anything back is over, and everything works.
    void calm_down() {
        channel = 0;
        store.heal();
        if (store.dead()) boot();
        for (const ControlVerb verb : {ControlVerb::inject, ControlVerb::pause, ControlVerb::snapshot,
                                       ControlVerb::terminate, ControlVerb::resume})
            control.answer(verb, ControlAnswer::ok);
        pass(60s);
        if (const auto standing = dog->silences())
            for (const DecisionRow& row : *standing) (void)dog->unsilence(row.number, "ana");
        silenced.clear();
        decide(Verb::unfreeze, "");
        for (const std::string& id : ids) decide(Verb::unfreeze, id);
        for (const std::string& id : ids)
            if (asking.erase(id) != 0) report(id, StateChange{});
    }

    void boot() {
        store = Store{memory};
        dog = std::make_unique<Dog>(clock, store, People{*this}, settings);
        dog->attach(control);
        if (const auto defined = dog->define(rules); !defined) fail("the class is refused: " + defined.error().message);
        // What was reported last may be lost.
        for (const std::string& id : ids)
            if (!asking.contains(id)) report(id, StateChange{});
    }

    template <class Seen>
    void report(const std::string& id, const Seen& what) {
        if (const auto handle = dog->find(id)) (void)dog->observe(*handle, what);
    }

    void decide(Verb verb, const std::string& id, std::optional<Duration> length = {}) {
        DecisionRow row;
        row.run = id;
        row.verb = verb;
        row.by = "ana";
        if (length) row.until = clock.now().wall + *length;
        (void)dog->decide(std::move(row));
    }

    void silence(const std::string& id, unsigned value) {
        DecisionRow row;
        row.verb = Verb::silence;
        row.by = "ana";
        row.because = "story";
        row.until = clock.now().wall + (value % 5 == 0 ? Duration{20min} : Duration{12h});
        switch (value / 5 % 5) {
            case 0:
            case 1:
                row.about.run = id;
                break;
            case 2:
                row.about.class_name = rules.name;
                break;
            case 3:
                row.about.tag = "tag-" + id;
                break;
            default:
                row.about.run = id;
                row.about.kind = value % 2 == 0 ? "run.unhealthy" : "escalation";
                break;
        }
        (void)dog->decide(std::move(row));
    }
    void unsilence(unsigned value) {
        const auto standing = dog->silences();
        if (!standing || standing->empty()) return;
        const std::uint64_t number = (*standing)[value % standing->size()].number;
        if (!dog->unsilence(number, "ana")) return;
        std::erase_if(silenced, [&](const DecisionRow& row) { return row.number == number; });
    }

    void pass(Duration length) {
        clock.advance(length);
        for (const std::string& id : ids) {
            if (idle.contains(id) || asking.contains(id)) continue;
            report(id, Heartbeat{});
            report(id, Progress{++worked});
            const std::string args = R"({"n":)" + std::to_string(worked) + "}";
            report(id, ToolCall{"edit", args});
            report(id, ToolResult{true, args});
        }
        // What was decided before this cycle is in force with it, if the store can be read.
        const auto standing = dog->silences();
        if (standing && !store.dead()) silenced.assign(standing->begin(), standing->end());
        std::set<std::string> waits;  // for whom it is not known yet what people have read
        for (const std::string& id : ids) {
            const auto history = memory.history(id);
            for (const AlertRow& row : history->alerts)
                if (row.state == AlertRow::State::pending) waits.insert(id);
        }
        (void)dog->cycle();
        for (const std::string& id : ids) look(id, waits.contains(id));
    }

    [[nodiscard]] std::optional<Memory> memory_of(const std::string& id) {
        const auto history = memory.history(id);
        if (!history || !history->row) return std::nullopt;
        Memory facts;
        ArchiveReader reader{history->row->facts, clock.now()};
        facts.archive_facts(reader);
        if (!reader.ok()) return std::nullopt;
        return facts;
    }

    /// Who keeps words off a run, or says that nothing was wrong with it, knows how it is.
    void look(const std::string& id, bool waits) {
        const auto facts = memory_of(id);
        if (!facts) return;
        const auto& marks = facts->verdict->marks;
        const bool open = facts->verdict->incident.open() && !is_terminal(facts->run.state);
        const WallTime now = memory.history(id)->row->ended_at.value_or(clock.now().wall);
        Known& of = known[id];
        const bool is_told_wrong = std::exchange(of.wrong, marks.wrong_incident) != marks.wrong_incident;
        if (is_told_wrong && of.worried_at != now) of.believes = false;
        if (!open && marks.snoozed_at(now) && !waits) of.believes = false;
        if (marks.snoozed_at(now)) of.edges.clear();
    }

    [[nodiscard]] static std::string text_of(const Alert& alert) {
        std::string text = alert.kind + " | " + alert.to + " | " + alert.run.id + " | " + alert.summary;
        for (const std::string& issue : alert.issues) text += " | " + issue;
        for (const Detail& detail : alert.details) text += " | " + detail.name + "=" + detail.value;
        return text + " | " + std::to_string(alert.at.time_since_epoch().count());
    }

    Result<Receipt> send(const Alert& alert) {
        if (alert.run.id.empty()) return Receipt{};
        const std::string text = text_of(alert);
        const auto [known_as, is_new] = keys.emplace(alert.key, text);
        if (const auto facts = is_new ? memory_of(alert.run.id) : std::nullopt)
            incident_of[alert.key] = {facts->verdict->incident.number, facts->verdict->incident.opened};
        if (known_as->second != text) fail("one key for two messages:\n    " + known_as->second + "\n    " + text);
        if (store.dead()) return Receipt{};
        for (const DecisionRow& row : silenced)
            if (clock.now().wall < *row.until &&
                is_about(row.about, alert, alert.run.id, rules.name, {"tag-" + alert.run.id}))
                fail("a silenced run is spoken of: " + text);
        switch (channel) {
            case 1:
                return heeler::fail(ErrorCode::delivery_failed, "no answer");
            case 2:
                return heeler::fail(ErrorCode::no_recipient, "nobody");
            case 3:
                return heeler::fail(ErrorCode::permanent, "never");
            case 4:
                if (++sends % 2 == 0) break;
                return heeler::fail(ErrorCode::delivery_failed, "flaky");
            case 5: {
                Error later{ErrorCode::delivery_failed, "later"};
                later.retry_after = 30s;
                return tl::unexpected<Error>(later);
            }
            default:
                break;
        }
        if (read_keys.insert(alert.key).second) read(alert, text);
        return Receipt{};
    }

    [[nodiscard]] static std::string detail_of(const Alert& alert, std::string_view name) {
        for (const Detail& detail : alert.details)
            if (detail.name == name) return detail.value;
        return {};
    }

    /// It is about an incident that is none.
    [[nodiscard]] bool is_wrong(const Alert& alert) {
        const auto facts = memory_of(alert.run.id);
        return facts && facts->verdict->marks.wrong_incident == incident_of[alert.key].first;
    }

    void read(const Alert& alert, const std::string& text) {
        ++messages;
        log.push_back(std::to_string((clock.now().wall - bench::start.wall) / 1s) + " s: " + alert.kind + " to '" +
                      alert.to + "': " + alert.summary + (alert.issues.empty() ? "" : "; " + alert.issues[0]));
        Known& of = known[alert.run.id];
        // Who was told elsewhere reads the same there.
        if (of.is_over && alert.is(AlertKind::ended) && of.last_end == alert.at) return;
        if (of.is_over) fail("something is said of a run that people know to be over: " + text);
        const auto end_of = [&](const std::string& kind) {
            for (const ConditionAlert& edge : rules.alerts.conditions)
                if (edge.over == kind && detail_of(alert, "lasted").empty() &&
                    alert.summary.ends_with("recovered from " + std::string{name_of(edge.condition)}))
                    return std::string{name_of(edge.condition)};
            return std::string{};
        };
        const bool is_edge = !detail_of(alert, "worker_id").empty();
        if (alert.is(AlertKind::ended)) {
            // That a watchdog ended it or gave it up is told, though nobody had read the words before.
            const std::string outcome = detail_of(alert, "outcome");
            const bool by_watchdog = outcome == "abandoned" || outcome == "failed" || outcome == "terminated";
            if (!of.worries() && !of.is_given_up && !by_watchdog)
                fail("the end of a run that nobody worried about: " + text);
            of.believes = false;
            of.edges.clear();
            of.is_over = true;
            of.last_end = alert.at;
        } else if (is_edge) {
            const std::string seen = detail_of(alert, "seen");
            for (const ConditionAlert& edge : rules.alerts.conditions)
                if (edge.kind == alert.kind && !edge.over.empty() && seen.starts_with(name_of(edge.condition)))
                    of.edges.insert(std::string{name_of(edge.condition)});
        } else if (const std::string edge = end_of(alert.kind); !edge.empty()) {
            if (of.edges.erase(edge) == 0) fail("a condition is over that nobody read the beginning of: " + text);
        } else if (alert.is(AlertKind::recovered)) {
            if (!of.believes && of.last_end != alert.at) fail("an end without a beginning: " + text);
            of.believes = false;
            of.last_end = alert.at;
        } else if (alert.is(AlertKind::unhealthy) || alert.is(AlertKind::escalation)) {
            if (of.last_end && alert.at < *of.last_end && !is_set_back) fail("a beginning after its end: " + text);
            if (is_wrong(alert)) return;  // whoever said so knows
            const IncidentId about = incident_of[alert.key];
            if (alert.is(AlertKind::escalation)) {
                of.escalated.insert(about.first);
            } else {
                if (rules.alerts.renotify_every == Duration{} && of.believes && of.began == about &&
                    !says_it_ends(alert))
                    fail("one beginning under two keys: " + text);
                of.began = about;
            }
            of.believes = true;
            of.worried_at = clock.now().wall;
            of.is_given_up |= says_it_ends(alert);
        }
    }

    /// What lasts is known, and what is believed lasts.
    void judge(const std::string& id) {
        const auto facts = memory_of(id);
        if (!facts || !fault.empty()) return;
        const auto& verdict = *facts->verdict;
        if (verdict.marks.dismissed) return;
        const Known& of = known[id];
        const History history = *memory.history(id);
        if (is_terminal(history.row->state)) {
            const bool gave_up = history.row->state != RunState::completed;
            if (gave_up && !of.is_given_up && !of.is_over && !is_lost(history))
                fail("given up, and nobody knows: " + id);
            if (!gave_up && of.worries() && !is_lost(history)) fail("the end of a run is not told: " + id);
            return;
        }
        if (verdict.incident.open() && rules.alerts.tell_people && !of.believes && !verdict.told.acknowledged &&
            !is_kept_back(id))
            fail("trouble that nobody knows of: " + id);
        if (verdict.incident.open() && verdict.incident.escalated && !of.escalated.contains(verdict.incident.number) &&
            !verdict.told.acknowledged)
            fail("somebody is needed, and nobody knows: " + id);
        if (!verdict.incident.open() && of.believes && of.edges.empty())
            fail("trouble that is over and believed to last: " + id);
        if (!idle.contains(id) && !of.edges.empty())
            fail("something is believed to go on: " + id + " " + *of.edges.begin());
    }
    /// What was to say that the run is over has come to nothing, and is nobody's any more.
    [[nodiscard]] static bool is_lost(const History& history) {
        for (const AlertRow& row : history.alerts)
            if ((row.state == AlertRow::State::skipped || row.state == AlertRow::State::dead) &&
                says_it_ends(row.alert))
                return true;
        return false;
    }
    [[nodiscard]] static bool says_it_ends(const Alert& alert) {
        const std::string next = detail_of(alert, "next");
        return alert.is(AlertKind::ended) || next.find("no longer watched") != std::string::npos ||
               next.find("is terminated") != std::string::npos;
    }
    [[nodiscard]] bool is_kept_back(const std::string& id) {
        return rules.alerts.outbox.inhibit && id == "low" && known["top"].believes;
    }

    void fail(std::string why) {
        if (fault.empty()) fault = std::move(why);
    }

    ManualClock clock{bench::start};
    MemoryStore memory;
    Store store{memory};
    ScriptedControl control;
    EngineSettings settings;
    RunClass rules;
    std::unique_ptr<Dog> dog;
    std::vector<std::string> ids;
    std::set<std::string> idle, asking;
    std::vector<DecisionRow> silenced;  ///< what is in force
    std::map<std::string, std::string> keys;
    std::map<std::string, IncidentId> incident_of;  ///< by key
    std::set<std::string> read_keys;
    std::map<std::string, Known> known;
    std::vector<std::string> log;
    std::string fault;
    std::int64_t worked = 0;
    unsigned channel = 0, sends = 0;
    std::size_t messages = 0;
    bool is_set_back = false;
};

Result<Receipt> People::send(const Alert& alert) { return story_->send(alert); }

/// The fault of the story that so much happens in, without its words.
std::string fault_of(std::uint32_t seed, const std::vector<Happening>& all, std::size_t* messages = nullptr) {
    Story story{seed};
    story.live(all);
    if (messages != nullptr) *messages += story.messages;
    return story.fault.substr(0, story.fault.find(':'));
}

/// Leaves out what the fault does not need.
std::vector<Happening> shrunk(std::uint32_t seed, std::vector<Happening> all, const std::string& fault) {
    for (std::size_t part = std::max<std::size_t>(all.size() / 2, 1); part > 0; part /= 2)
        for (std::size_t at = 0; at + part <= all.size();) {
            std::vector<Happening> less = all;
            less.erase(less.begin() + static_cast<std::ptrdiff_t>(at),
                       less.begin() + static_cast<std::ptrdiff_t>(at + part));
            if (fault_of(seed, less) == fault)
                all = std::move(less);
            else
                at += part;
        }
    return all;
}

std::string told(std::uint32_t seed, const std::vector<Happening>& all) {
    Story story{seed};
    story.live(all);
    std::string text = "story " + std::to_string(seed) + ": " + story.fault + "\nwhat happened:";
    for (const Happening& each : all)
        text += "\n  " + std::string{names[static_cast<std::size_t>(each.what)]} + " " + std::to_string(each.run % 2) +
                " " + std::to_string(each.value);
    text += "\nwhat people read:";
    for (const std::string& line : story.log) text += "\n  " + line;
    return text;
}

std::uint32_t number_of(const char* variable, std::uint32_t otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

}  // namespace

TEST_CASE("whatever happens to a watchdog, people read what lasts, once, and no end without its beginning [M-125]") {
    const std::uint32_t only = number_of("HEELER_STORY_SEED", 0);
    const std::uint32_t first = only == 0 ? 1 : only;
    const std::uint32_t stories = only == 0 ? number_of("HEELER_STORIES", heeler_test::is_slowed ? 40 : 400) : 1;
    std::size_t messages = 0;
    for (std::uint32_t seed = first; seed < first + stories; ++seed) {
        const std::vector<Happening> all = happenings(seed);
        const std::string fault = fault_of(seed, all, &messages);
        if (!fault.empty()) FAIL(told(seed, shrunk(seed, all, fault)));
    }
    CHECK(messages > stories);
}

}  // namespace stories_test
