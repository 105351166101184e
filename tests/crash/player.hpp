// Processes that play a story, and what is looked at in the end.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crash/invariants.hpp"
#include "support/catch.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEELER_SLOWED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEELER_SLOWED true
#endif
#endif
#ifndef HEELER_SLOWED
#define HEELER_SLOWED false
#endif

namespace crash {

/// Whether everything is tried.
[[nodiscard]] inline bool all_of_them() {
    const char* const set = std::getenv("HEELER_CRASH_ALL");
    return set != nullptr && *set != '\0';
}

/// A process that plays, and is gone with its owner.
class Player {
public:
    Player(const Place& place, const Scene& scene, Fate fate) : outside_{place.log}, process_{::fork()} {
        REQUIRE(process_ >= 0);
        if (process_ > 0) return;
        ::alarm(60);  // whatever hangs ends
        play(scene, place, fate);
        ::_exit(0);
    }
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;
    ~Player() {
        if (process_ <= 0) return;
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }

    void signal(int number) const { ::kill(process_, number); }

    /// Whether there is something to `wait()` for.
    [[nodiscard]] bool changed() const {
        siginfo_t info{};
        return ::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
               info.si_pid != 0;
    }

    /// Until it stands still; false: it is done.
    [[nodiscard]] bool rests() {
        const std::string became = wait();
        INFO(became);
        REQUIRE((became == "stopped" || became == "done"));
        return became == "stopped";
    }
    [[nodiscard]] bool go_on() {
        signal(SIGCONT);
        return rests();
    }

    /// What became of it: "done", "killed", "stopped", or what should not be.
    std::string wait() {
        int status = 0;
        REQUIRE(::waitpid(process_, &status, WUNTRACED) == process_);
        if (WIFSTOPPED(status)) return told("stopped");
        process_ = 0;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return told("killed");
        if (WIFSIGNALED(status)) return told("ended by signal " + std::to_string(WTERMSIG(status)));
        return WEXITSTATUS(status) == 0 ? "done" : told("exit status " + std::to_string(WEXITSTATUS(status)));
    }

private:
    std::string told(const std::string& what) const {
        outside_.note(what);
        return what;
    }

    Outside outside_;
    pid_t process_;
};

/// Looks at what is stored, between two processes.
class Onlooker {
public:
    explicit Onlooker(const Place& place) : place_{place} {}

    [[nodiscard]] History history(const std::string& run) {
        if (!store_) store_ = place_.open();
        auto found = store_->history(run);
        if (!place_.lasts) store_.reset();
        INFO((found ? std::string{} : found.error().message));
        REQUIRE(found);
        return *std::move(found);
    }

private:
    const Place& place_;
    std::unique_ptr<AnyStore> store_;
};

/// How everything stands when the first process has died at one point. Who tries what may come then need not play the
/// first life anew each time, where a place can keep that.
class FirstDeath {
public:
    explicit FirstDeath(const Place& place) : place_{place} {}

    void keep(int at) {
        if (!place_.keep) return;
        place_.keep();
        copy(place_.log, kept_log());
        at_ = at;
    }

    /// Whether everything stands so again.
    [[nodiscard]] bool again(int at) const {
        if (at != at_) return false;
        place_.restore();
        copy(kept_log(), place_.log);
        return true;
    }

private:
    static void copy(const std::string& from, const std::string& to) {
        std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
    }
    [[nodiscard]] std::string kept_log() const { return place_.log + ".kept"; }

    const Place& place_;
    int at_ = 0;
};

/// One story on one store, told again and again.
class Trials {
public:
    Trials(Place place, Scene scene) : place_{std::move(place)}, scene_{std::move(scene)} {
        begin();
        REQUIRE(life(0) == "done");
        check("nobody dies");
        points_ = points_so_far();
        usual_ = summaries();
        REQUIRE(points_ > 20);
    }
    ~Trials() {
        const auto spent = std::chrono::steady_clock::now() - began_;
        std::printf("%s, %s, control %s: %d points, %d trials, %d processes, %.1f s; usual end: %s\n",
                    place_.name.c_str(), std::string{scene_.story->name}.c_str(),
                    std::string{name_of(scene_.honesty)}.c_str(), points_, trials_, processes_,
                    std::chrono::duration<double>(spent).count(), usual_.c_str());
    }
    Trials(const Trials&) = delete;
    Trials& operator=(const Trials&) = delete;

    [[nodiscard]] int points() const noexcept { return points_; }

    void begin() {
        static_cast<void>(std::remove(place_.log.c_str()));
        place_.clear();
        ++trials_;
    }

    /// One in which a process has died at the point `at`.
    void begin_dead_at(int at) {
        if (first_death_.again(at)) {
            ++trials_;
            return;
        }
        begin();
        REQUIRE(life(at) == "killed");
        first_death_.keep(at);
    }

    /// One process, which dies at the point `at`.
    [[nodiscard]] std::string life(int at) { return player({at}).wait(); }

    [[nodiscard]] Player player(Fate fate = {}) { return player_in(place_, fate); }

    /// One that gets to the store in another way.
    [[nodiscard]] Player player_in(const Place& place, Fate fate = {}) {
        ++processes_;
        return Player{place, scene_, fate};
    }

    void check(const std::string& about) {
        const std::vector<Line> lines = Outside{place_.log}.lines();
        const List<History> stored = histories();
        Problems problems = problems_of(scene_, lines, stored);
        std::string end;
        for (const History& each : stored) end += summary_of(each) + "; ";
        if (scene_.alone && !usual_.empty() && scene_.story->same_end && scene_.honesty != Honesty::neither &&
            end != usual_)
            problems.push_back("the end is not the usual one: " + usual_);
        if (problems.empty()) return;
        std::string text = place_.name + ", story " + std::string{scene_.story->name} + ", control " +
                           std::string{name_of(scene_.honesty)} + ", " + about + ":";
        for (const std::string& problem : problems) text += "\n  " + problem;
        text += "\n  stored in the end: " + end + "\nWhat happened:";
        for (const Line& line : lines) text += "\n  " + line.text;
        FAIL(text);
    }

    /// Where the processes died, in words.
    [[nodiscard]] std::string deaths() const {
        std::string text;
        const Line* last = nullptr;
        const auto lines = Outside{place_.log}.lines();
        for (const Line& line : lines) {
            if (line.is("point")) last = &line;
            if ((!line.is("killed") && !line.is("stopped")) || last == nullptr) continue;
            text += (text.empty() ? "" : ", then ") + line.word(0) + " at point " + last->word(1) + " (" +
                    last->word(2) + " " + last->word(3) + ", second " + std::to_string(last->at) + ")";
        }
        return text;
    }

    [[nodiscard]] std::string summaries() {
        std::string text;
        for (const History& each : histories()) text += summary_of(each) + "; ";
        return text;
    }

private:
    [[nodiscard]] List<History> histories() {
        List<History> stored;
        for (const std::string& run : scene_.runs) stored.push_back(onlooker_.history(run));
        return stored;
    }

    [[nodiscard]] int points_so_far() const {
        int count = 0;
        const Outside outside{place_.log};
        for (const Line& line : outside.lines()) count += line.is("point");
        return count;
    }

    Place place_;
    Scene scene_;
    Onlooker onlooker_{place_};
    FirstDeath first_death_{place_};
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    int points_ = 0;
    int trials_ = 0;
    int processes_ = 0;
    std::string usual_;
};

/// How far it is to the next point that is tried: `usual`, or what all of them means.
[[nodiscard]] inline int stride(int usual, int all = 1) {
    if (all_of_them()) return all;
    return HEELER_SLOWED ? 7 * usual : usual;
}

}  // namespace crash
