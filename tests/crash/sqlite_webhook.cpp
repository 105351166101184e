// A watchdog that tells a web server of its runs is killed again and again: who listens is told of everything, once.
#include <heeler/notify/webhook_notifier.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heeler/alert/group.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/store/sqlite_store.hpp>

#include "crash/player.hpp"
#include "crash/scratch_file.hpp"
#include "support/catch.hpp"
#include "support/loopback.hpp"

using namespace crash;
using namespace std::chrono_literals;
using heeler_test::HttpSeen;

namespace {

/// One line for all processes. It goes on by a tenth of a second with each look, so that on a busy machine nobody is
/// late.
struct HastyClock {
    [[nodiscard]] Instant now() const { return at(passed().fetch_add(100'000) + 100'000); }
    /// While nobody looks.
    static void pass(std::chrono::microseconds time) { passed().fetch_add(time.count()); }

private:
    [[nodiscard]] static Instant at(std::int64_t passed) {
        const auto since = std::chrono::microseconds{passed};
        return {Elapsed{1000s + since}, WallTime{1'800'000'000s + since}};
    }
    [[nodiscard]] static std::atomic<std::int64_t>& passed() {
        static const auto shared = [] {
            void* const page = ::mmap(nullptr, sizeof(std::atomic<std::int64_t>), PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
            REQUIRE(page != MAP_FAILED);
            return new (page) std::atomic<std::int64_t>{0};
        }();
        return *shared;
    }
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// Stalls are noticed and told after some seconds of that clock. There is no agent control.
RunClass hasty_class(bool together) {
    RunClass rules = presets::recommended();
    rules.name = "hasty";
    rules.interval.fixed = 5s;
    rules.grace = 2s;
    rules.verify_after = 5s;
    rules.applicability.shortest = Duration{};
    rules.detectors.turn_on<HeartbeatContract<ProgressAge>>({.act_after = 15s});
    rules.limits.mass_stall.runs = 0;  // each run is told of by itself
    rules.alerts.escalation = {};      // a round may last longer than from one level to the next
    rules.alerts.outbox.longest_retry = 20s;
    rules.alerts.outbox.group_wait = together ? 10s : 0s;
    rules.alerts.outbox.group_interval = together ? 20s : 0s;
    return rules;
}

constexpr std::size_t runs_in_a_round = 24;
constexpr std::size_t runs_at_once = 8;

[[nodiscard]] std::string id_of(std::size_t number) { return "w" + std::to_string(number); }

[[nodiscard]] bool was_told(const History& history, std::string_view kind) {
    return std::any_of(history.alerts.begin(), history.alerts.end(),
                       [&](const AlertRow& row) { return row.alert.kind == kind; });
}

[[nodiscard]] bool owes(const History& history) {
    return std::any_of(history.alerts.begin(), history.alerts.end(),
                       [](const AlertRow& row) { return row.state == AlertRow::State::pending; });
}

/// Lives through what all runs do: one sign of progress, no other until people are to be told of it, then progress
/// until they are to be told that it is over, and then the end. What a run has come to is read from the store, so that
/// whoever comes after a kill goes on.
class Watch {
public:
    Watch(const std::string& file, const std::string& url)
        : books_{file}, dog_{HastyClock{}, SqliteStore{file}, WebhookNotifier{{.url = url}}} {}

    /// Until no run is left and nobody is owed anything; false: it cannot begin.
    [[nodiscard]] bool run(bool together) {
        if (!dog_.define(hasty_class(together))) return false;
        std::vector<std::size_t> led;
        for (std::size_t next = 0; next < runs_in_a_round || !led.empty(); ::usleep(200)) {
            static_cast<void>(dog_.cycle());
            while (led.size() < runs_at_once && next < runs_in_a_round) {
                if (!start(next)) return false;
                led.push_back(next++);
            }
            led.erase(std::remove_if(led.begin(), led.end(), [this](std::size_t number) { return lead(number); }),
                      led.end());
        }
        return true;
    }

private:
    /// Also if it was begun, or is over already.
    [[nodiscard]] bool start(std::size_t number) {
        const auto known = books_.history(id_of(number));
        if (!known || known->row) return known.has_value();
        RunSpec spec;
        spec.id = id_of(number);
        spec.task = "Port the parser";
        spec.metric = MetricKind::reported;
        const auto run = dog_.start(std::move(spec), std::string_view{"hasty"});
        return run.has_value();
    }

    /// True: it is over, and people know all about it.
    [[nodiscard]] bool lead(std::size_t number) {
        const auto history = books_.history(id_of(number));
        if (!history || !history->row) return false;
        const auto run = dog_.find(id_of(number));
        if (!run) return is_terminal(history->row->state) && !owes(*history);
        if (was_told(*history, "run.recovered")) {
            static_cast<void>(dog_.observe(*run, StateChange{RunState::completed}));
        } else {  // a number that stays the same is no progress; the first one may have died with who heard it
            const bool moves = !history->alerts.empty();
            const std::int64_t now = HastyClock{}.now().elapsed.time_since_epoch().count();
            static_cast<void>(dog_.observe(*run, Progress{moves ? now : 1}));
        }
        return false;
    }

    SqliteStore books_;  ///< as somebody else sees it
    Watchdog<HastyClock, SqliteStore, WebhookNotifier> dog_;
};

/// One that is killed after this time; absent: it comes to its end. What became of it.
[[nodiscard]] std::string live(const std::string& file, const std::string& url, bool together,
                               std::optional<useconds_t> killed) {
    HastyClock::pass(5s);  // from the kill of the one before
    const pid_t process = ::fork();
    REQUIRE(process >= 0);
    if (process == 0) {
        ::alarm(300);  // whatever hangs ends
        ::_exit(Watch{file, url}.run(together) ? 0 : 1);
    }
    if (killed) {
        ::usleep(*killed);
        ::kill(process, SIGKILL);
    }
    int status = 0;
    REQUIRE(::waitpid(process, &status, 0) == process);
    if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGKILL ? "killed" : "hung";
    return WEXITSTATUS(status) == 0 ? "done" : "could not begin";
}

/// A server that often says no, or says nothing that anybody understands, after it has taken an alert.
class MoodyServer {
public:
    explicit MoodyServer(unsigned seed) : random_{seed}, http_{[this](const HttpSeen& seen) { return answer(seen); }} {}

    [[nodiscard]] std::string url() const { return http_.url(); }
    [[nodiscard]] std::vector<HttpSeen> seen() const { return http_.seen(); }
    /// Keys of what it said yes to.
    [[nodiscard]] std::set<std::string> taken() const {
        const std::lock_guard guard{lock_};
        return taken_;
    }

private:
    [[nodiscard]] std::string answer(const HttpSeen& seen) {
        using heeler_test::http_answer;
        switch (random_() % 12) {
            case 0:
                return http_answer(500);
            case 1:
                return http_answer(429, "{}", "Retry-After: 0\r\n");
            case 2:
                return http_answer(429, "{}", "Retry-After: 1\r\n");
            case 3:
            case 4:
                return "HTTP";  // and the connection is gone
            default:
                break;
        }
        const std::lock_guard guard{lock_};
        taken_.insert(seen.header("Idempotency-Key"));
        return http_answer(200);
    }

    std::mt19937 random_;
    mutable std::mutex lock_;
    std::set<std::string> taken_;
    heeler_test::LoopbackHttp http_;
};

/// The text of a member of an alert as it was posted; all that is looked for here needs no escapes.
[[nodiscard]] std::string posted(const HttpSeen& seen, const std::string& member) {
    const std::string name = "\"" + member + "\":\"";
    const std::size_t at = seen.body.find(name);
    if (at == std::string::npos) return {};
    return seen.body.substr(at + name.size(), seen.body.find('"', at + name.size()) - at - name.size());
}

/// Whether a message names a run: its number is not the beginning of another one.
[[nodiscard]] bool names(const std::string& body, const std::string& run) {
    for (std::size_t at = body.find(run); at != std::string::npos; at = body.find(run, at + 1)) {
        const char behind = at + run.size() < body.size() ? body[at + run.size()] : ' ';
        if (behind < '0' || behind > '9') return true;
    }
    return false;
}

/// What an alert is about, but for its kind: the rung that it was to carry out, or the incident, as the verdict that
/// was put on record with it has it.
[[nodiscard]] std::string step_of(const AlertRow& row, const History& history) {
    for (const Action& action : history.actions)
        if (action.key == row.action_key)
            return std::to_string(action.incident) + "." + std::to_string(action.intervention);
    std::string found = "none";
    for (const AuditRow& record : history.audit) {
        const std::string_view name = "\"incident\":";
        const std::size_t at = record.kind == "verdict" ? record.body.find(name) : std::string::npos;
        if (at == std::string::npos || record.at > row.created_at) continue;
        found = record.body.substr(at + name.size(), record.body.find(',', at) - at - name.size());
    }
    return found;
}

/// What one round must have come to.
struct Reckoning {
    std::vector<HttpSeen> seen;
    std::set<std::string> taken;
    std::vector<std::string> problems{};
    std::size_t committed = 0;
    std::map<std::string, std::string> owners{};  ///< run and kind of each committed key
    struct Together {
        std::string run, lead;
    };
    std::map<std::string, Together> told_with{};  ///< of those that others speak for

    void wrong(const std::string& text) { problems.push_back(text); }

    void add(const std::string& run, const History& history) {
        if (!history.row || !is_terminal(history.row->state)) return wrong(run + " never ended");
        std::map<std::string, int> told;
        for (const AlertRow& row : history.alerts) {
            ++committed;
            owners[row.alert.key] = run + " " + row.alert.kind;
            if (++told[row.alert.kind + " of " + step_of(row, history)] > 1)
                wrong(run + " " + row.alert.kind + " of " + step_of(row, history) + " is committed under two keys");
            if (row.state == AlertRow::State::skipped && row.how == AlertRow::How::together)
                told_with[row.alert.key] = {run, row.with_key};
            else if (row.state != AlertRow::State::delivered)
                wrong(run + " " + row.alert.kind + " was not delivered: " + reason_of(row));
        }
        for (const Action& action : history.actions)
            if (action.outcome == ActionOutcome::intended) wrong(run + " has an action that was never settled");
        if (!was_told(history, "run.recovered")) wrong(run + " recovered and nobody was to be told");
    }

    void settle() {
        for (const HttpSeen& each : seen) {
            const std::string key = each.header("Idempotency-Key");
            const auto known = owners.find(key);
            if (known == owners.end())
                wrong("delivered and not committed: " + each.body);
            else if (known->second != posted(each, "id") + " " + posted(each, "kind"))
                wrong("another one's key: " + each.body);
        }
        for (const auto& [key, owner] : owners)
            if (told_with.count(key) == 0 && taken.count(key) == 0) wrong("never taken: " + owner);
        for (const auto& [key, with] : told_with) {
            if (taken.count(with.lead) == 0) wrong("never taken: " + owners[key] + ", told with " + with.lead);
            for (const HttpSeen& each : seen) {
                const std::string as = each.header("Idempotency-Key");
                if (as == key) wrong("told by itself and with " + with.lead + ": " + owners[key]);
                if (as == with.lead && !names(each.body, with.run))
                    wrong("told with " + with.lead + ", which does not name it: " + owners[key] + ": " + each.body);
            }
        }
    }
};

void kill_and_reckon(bool together) {
    const int kills = all_of_them() ? 1000 : HEELER_SLOWED ? 20 : 200;
    const unsigned seed = std::random_device{}();
    std::mt19937 random{seed};
    const auto began = std::chrono::steady_clock::now();
    std::size_t alerts = 0, posts = 0, joined = 0;
    int killed = 0, rounds = 0;
    for (; killed < kills; ++rounds) {
        const ScratchFile scratch;
        const MoodyServer server{static_cast<unsigned>(random())};
        std::string became = "killed";
        std::string about = "seed " + std::to_string(seed) + ", round " + std::to_string(rounds) + ", killed after us:";
        for (int times = 0; times < 40 && killed < kills && became == "killed"; ++times) {
            const auto wait = static_cast<useconds_t>(random() % 50000);
            about += " " + std::to_string(wait);
            became = live(scratch.file(), server.url(), together, wait);
            killed += became == "killed";
        }
        INFO(about);
        if (became == "killed") became = live(scratch.file(), server.url(), together, {});
        REQUIRE(became == "done");
        Reckoning reckoning{server.seen(), server.taken()};
        SqliteStore store{scratch.file()};
        for (std::size_t number = 0; number < runs_in_a_round; ++number) {
            auto history = store.history(id_of(number));
            REQUIRE(history);
            reckoning.add(id_of(number), *history);
        }
        reckoning.settle();
        alerts += reckoning.committed;
        posts += reckoning.seen.size();
        joined += reckoning.told_with.size();
        std::string problems;
        for (const std::string& problem : reckoning.problems) problems += "\n  " + problem;
        INFO(problems);
        REQUIRE(reckoning.problems.empty());
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
    std::printf("%d kills in %d rounds, %zu alerts (%zu told with others) in %zu messages, %.1f s\n", killed, rounds,
                alerts, joined, posts, spent.count());
    CHECK(alerts > static_cast<std::size_t>(kills) / 2);
    CHECK((joined > 0) == together);
}

}  // namespace

TEST_CASE("SQLite: killed at any moment, a web server is told of everything, under one key each I6 I7 [M-101]") {
    kill_and_reckon(false);
}

TEST_CASE("SQLite: killed at any moment, alerts that are told together are told once I6 I7 [M-101]") {
    kill_and_reckon(true);
}
