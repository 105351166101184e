#include "crash/trees.hpp"

#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heeler/tree/watch/tree_watch.hpp>

#include "crash/player.hpp"
#include "support/catch.hpp"

namespace crash {

using namespace std::chrono_literals;

namespace {

constexpr std::string_view tree_run = "tree:co-1/A";
constexpr int tree_steps = 12, first_end = 3, leaf_changes = 5, second_end = 8;

/// "task_watchdog_stop:..." of a key.
std::string fingerprint_in(const std::string& key) {
    const std::size_t begin = key.find("task_watchdog_stop:");
    return key.substr(begin, key.rfind(":attempt:") - begin);
}

/// The tracker: what it shows follows from the log of what was done to it.
template <Honesty honesty>
class CrashingTree {
public:
    static constexpr bool idempotent = honesty == Honesty::repeats;

    explicit CrashingTree(Surroundings around) : around_{around} {}

    Result<TreeChanges> changes(std::string_view) {
        TreeChanges all;
        all.nodes = {shown("A", ""), shown("B", "A")};
        all.nodes[1].status = around_.outside.step() < leaf_changes ? "blocked" : "todo";
        if (auto review = shown_review()) all.nodes.push_back(*std::move(review));
        return all;
    }
    Result<AgentStanding> agent(const NodeRef&) { return AgentStanding::active; }
    Result<ActionDone> review(const ReviewRequest& asked) {
        auto done = act("review", asked.key, asked.watch);
        if (done) done->note = "V";
        return done;
    }
    Result<ActionDone> wake(const WakeRequest& asked) {
        if (asked.task != "V") around_.witness.wrong("tree", "a wake on the task " + std::string{asked.task});
        return act("wake", asked.key, asked.watch);
    }
    Result<Found> find(std::string_view key) requires(honesty == Honesty::finds) {
        around_.fuse.pass("before", "find");
        bool found = false;
        for (const Line& line : around_.outside.lines()) found |= line.is("effect") && line.word(2) == key;
        around_.fuse.pass("after", "find");
        return found ? Found::found : Found::absent;
    }

private:
    static TreeNode shown(std::string id, std::string parent) {
        TreeNode node;
        node.id = std::move(id);
        node.tenant = "co-1";
        node.parent = std::move(parent);
        node.status = "blocked";
        return node;
    }

    [[nodiscard]] std::optional<TreeNode> shown_review() const {
        std::optional<TreeNode> review;
        for (const Line& line : around_.outside.lines()) {
            if (line.is("effect", "review")) {
                if (!review) review = shown("V", "A");
                review->origin = review_origin;
                review->origin_id = "A";
                review->origin_fingerprint = fingerprint_in(line.word(2));
                review->status = "todo";
            } else if (line.is("effect", "wake") && review) {
                review->runs = {{"r-1", "running", "ag-w", fingerprint_in(line.word(2))}};
            } else if (line.is("ended") && review) {
                review->runs.clear();
                review->status = "done";
            }
        }
        return review;
    }

    Result<ActionDone> act(std::string_view verb, std::string_view key, std::string_view run) {
        ActionRequest asked{run, key, {}, 0};
        return take_effect(around_, verb, asked, idempotent);
    }

    Surroundings around_;
};

bool is_woken(const Outside& outside, std::size_t times) {
    std::size_t wakes = 0;
    for (const Line& line : outside.lines()) wakes += line.is("effect", "wake") ? 1 : 0;
    return wakes >= times;
}

/// The reviewer of the first or the second stop is done, if it was ever woken.
void end_review(const Outside& outside, std::size_t number) {
    std::size_t ended = 0;
    for (const Line& line : outside.lines()) ended += line.is("ended") ? 1 : 0;
    if (ended < number && is_woken(outside, number)) outside.note("ended " + std::to_string(number));
}

void play_tree(TreeWatch& watch, Dog& dog, const Surroundings& around, int step) {
    const auto known = watch.status({"co-1", "A"});
    if (!known || !known->active) {
        const auto armed = watch.arm({"co-1", "A", "ag-w", {}}, {"ada", {}});
        if (!armed) around.witness.wrong("tree", armed.error().message);
    }
    if (step >= first_end) end_review(around.outside, 1);
    if (step >= second_end) end_review(around.outside, 2);
    for (const Event& event : dog.cycle().events)
        if (const auto* failed = std::get_if<ErrorEvent>(&event))
            around.outside.note("error " + failed->where + " " + failed->error.message);
    if (step != first_end - 1 || !is_woken(around.outside, 1)) return;
    Mutation asked;
    asked.actor_run = "r-1";
    asked.op = "comment";
    asked.target = "B";
    const ScopeAnswer answer = watch.check(asked);
    if (!answer.allowed) around.witness.wrong("tree", "a reviewer may not comment: " + answer.reason);
}

template <Honesty honesty>
void live_tree(const Place& place, Fate fate) {
    Outside outside{place.log};
    Fuse fuse{outside, fate};
    int births = 0;
    for (const Line& line : outside.lines()) births += line.is("born") ? 1 : 0;
    outside.note("born " + std::to_string(births));
    Witness witness{outside, place.open, true};
    const Surroundings around{outside, fuse, witness};
    CrashingTree<honesty> tree{around};
    int step = outside.step();
    const StoryClock clock{outside, 61, Elapsed{1000s + 977s * births}};
    Dog dog{clock, CrashingStore{place.open(), fuse}, CrashingNotifier{around}};
    TreeWatch watch{dog, tree};
    if (!watch.usable()) witness.wrong("tree", watch.usable().error().message);
    if (births > 0) (void)dog.cycle(TickCause::startup);
    for (; step < tree_steps; ++step) {
        outside.at(step * 61);
        outside.note("step " + std::to_string(step));
        play_tree(watch, dog, around, step);
    }
}

/// "done", or "killed".
std::string one_life(const Place& place, Honesty honesty, Fate fate) {
    const pid_t process = ::fork();
    REQUIRE(process >= 0);
    if (process == 0) {
        ::alarm(60);
        if (honesty == Honesty::finds) live_tree<Honesty::finds>(place, fate);
        if (honesty == Honesty::repeats) live_tree<Honesty::repeats>(place, fate);
        if (honesty == Honesty::neither) live_tree<Honesty::neither>(place, fate);
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(process, &status, 0) == process);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return "killed";
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "done" : "went wrong";
}

/// What is stored of the watch and left to say of it, in short.
struct TreeEnd {
    std::string actions{};
    int triggered = 0, reviewed = 0, allowed = 0, created = 0, escalated = 0;

    explicit TreeEnd(const History& known) {
        for (const Action& action : known.actions)
            actions += std::string{name_of(action.kind)} + "=" + std::string{name_of(action.outcome)} + " ";
        for (const AuditRow& row : known.audit) {
            triggered += row.kind == "issue.task_watchdog_triggered";
            reviewed += row.kind == "issue.task_watchdog_fingerprint_reviewed";
            allowed += row.kind == "issue.task_watchdog_mutation";
            created += row.kind == "issue.watchdog_created";
        }
        for (const AlertRow& row : known.alerts) escalated += row.alert.kind == "escalation";
    }
};

class TreeTrials {
public:
    TreeTrials(const Place& place, Honesty honesty) : place_{place}, honesty_{honesty} {
        begin();
        REQUIRE(one_life(place_, honesty_, {}) == "done");
        check("nobody dies");
        const Outside outside{place_.log};
        for (const Line& line : outside.lines()) points_ += line.is("point") ? 1 : 0;
        REQUIRE(points_ > 20);
    }

    [[nodiscard]] int points() const noexcept { return points_; }

    /// And again at `next`, if that is any.
    void dies_at(int at, int next = 0) {
        if (!first_death_.again(at)) {
            begin();
            REQUIRE(one_life(place_, honesty_, {at}) == "killed");
            if (next != 0) first_death_.keep(at);
        }
        std::string about = "killed at " + std::to_string(at);
        if (next != 0) {
            about += " " + std::to_string(next);
            const std::string became = one_life(place_, honesty_, {next});
            REQUIRE((became == "killed" || became == "done"));
        }
        REQUIRE(one_life(place_, honesty_, {}) == "done");
        check(about);
    }

private:
    void begin() {
        static_cast<void>(std::remove(place_.log.c_str()));
        place_.clear();
    }

    void check(const std::string& about) {
        const Outside outside{place_.log};
        std::vector<std::string> problems;
        std::map<std::string, int> wakes, reviews, stops;
        int told = 0;
        for (const Line& line : outside.lines()) {
            if (line.is("wrong") || line.is("error")) problems.push_back(line.text);
            if (line.is("effect", "wake") && ++wakes[line.word(2)] > 1) problems.push_back("twice: " + line.text);
            // That it is to be there can be said twice.
            if (line.is("effect", "review") && ++reviews[line.word(2)] > 1 && honesty_ != Honesty::neither)
                problems.push_back("twice: " + line.text);
            if (line.is("effect", "wake")) ++stops[fingerprint_in(line.word(2))];
            if (line.is("sent") && line.word(3) == "escalation") ++told;
        }
        const History known = onlooker_.history(std::string{tree_run});
        const TreeEnd end{known};
        const auto expect = [&](bool good, const std::string& what) {
            if (!good) problems.push_back(what);
        };
        for (const Action& action : known.actions)
            expect(action.outcome != ActionOutcome::intended, "something is left to be done");
        expect(end.created == 1, "armed " + std::to_string(end.created) + " times");
        expect(end.escalated == told, "told " + std::to_string(told) + " times of " + std::to_string(end.escalated));
        if (honesty_ == Honesty::neither) {
            expect(static_cast<int>(stops.size()) + told >= 2, "nobody minds a stop");
            expect(end.triggered <= static_cast<int>(reviews.size()), "on record as under review, and was not");
        } else {
            expect(stops.size() == 2 && wakes.size() == 2, "not one wake for each stop");
            expect(told == 0, "a person is told");
            expect(end.triggered == 2 && end.reviewed == 2, "the records do not tell both reviews");
            expect(end.allowed >= 1, "what was allowed is not on record");
            expect(end.actions == "review=done wake=done review=done wake=done ", "in the end: " + end.actions);
        }
        if (problems.empty()) return;
        std::string text = place_.name + ", a tree, host " + std::string{name_of(honesty_)} + ", " + about + ":";
        for (const std::string& problem : problems) text += "\n  " + problem;
        text += "\nWhat happened:";
        for (const Line& line : outside.lines()) text += "\n  " + line.text;
        FAIL(text);
    }

    const Place& place_;
    Honesty honesty_;
    Onlooker onlooker_{place_};
    FirstDeath first_death_{place_};
    int points_ = 0;
};

}  // namespace

void tree_dies_at_every_point(const Place& place, Honesty honesty, int every, bool twice) {
    TreeTrials trials{place, honesty};
    const int step = stride(every);
    for (int at = 1; at <= trials.points(); at += step) {
        if (!twice) {
            trials.dies_at(at);
            continue;
        }
        // Another start for each first death: over all of them, every second death comes up.
        const int again = stride(7);
        for (int next = 1 + at % again; next <= trials.points(); next += again) trials.dies_at(at, next);
    }
}

}  // namespace crash
