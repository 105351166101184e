#include "story.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>

#include "children.hpp"
#include "database.hpp"
#include "holders.hpp"
#include "prepare.hpp"

namespace fleet {

namespace {

class Story {
public:
    explicit Story(const Options& options)
        : options_{options}, times_{options.pace}, database_{options}, holders_{database_}, children_{options} {}

    Figures play() {
        say("registering " + std::to_string(options_.runs) + " runs");
        prepare(options_);
        say("starting their agents");
        children_.start("agents", {"agents"});
        wait_for_agents();
        holders_.look();
        for (int number = 1; number <= options_.watchdogs; ++number)
            children_.start(name(number), {"watchdog", name(number)});
        begun_ = Clock::now();
        while (holders_.look() || step_ == 2) {
            children_.check();
            meddle();
            tell();
            if (seconds() > 200 * times_.scale + 60) break;
            std::this_thread::sleep_for(std::chrono::milliseconds{150});
        }
        if (step_ < 3) throw std::runtime_error{"all runs ended before a watchdog was killed and another one paused"};
        children_.end();
        for (int number = 1; number <= options_.watchdogs; ++number) repeat(name(number));
        holders_.close();
        return reckon(options_, database_, holders_, under_way_);
    }

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] static std::string name(int number) { return "w" + std::to_string(number); }
    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

    void say(const std::string& what) const { std::fprintf(stderr, "%6.1f s  %s\n", seconds(), what.c_str()); }

    void wait_for_agents() {
        const std::string silent = "SELECT 1 FROM agent_progress WHERE last_checkpoint IS NULL LIMIT 1";
        while (!database_.ask(silent).empty()) {
            children_.check();
            if (seconds() > 60 + 10 * times_.every) throw std::runtime_error{"the agents are too slow"};
            std::this_thread::sleep_for(std::chrono::milliseconds{200});
        }
    }

    /// Kills w2; later it pauses w3, and lets it go on.
    void meddle() {
        if (step_ == 0 && seconds() > 20 * times_.scale) {
            strike("w2", SIGKILL);
            step_ = 1;
        } else if (step_ == 1 && seconds() > 38 * times_.scale) {
            strike("w3", SIGSTOP);
            wake_at_ = seconds() + times_.paused;
            step_ = 2;
        } else if (step_ == 2 && seconds() > wake_at_) {
            children_.signal("w3", SIGCONT);
            say("w3 goes on");
            step_ = 3;
        }
    }

    /// If possible in the middle of an action: these are the dangerous moments.
    void strike(const std::string& who, int signal) {
        const double patience = seconds() + 3 * times_.scale;
        Holders::Moment then = holders_.moment(who);
        while (then.acting == 0 && seconds() < patience) {
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
            then = holders_.moment(who);
        }
        if (signal == SIGKILL)
            children_.kill(who);
        else
            children_.signal(who, signal);
        holders_.gone(who, then);
        under_way_ += then.acting;
        say(who + (signal == SIGKILL ? " is killed" : " is paused") + " with " + std::to_string(then.acting) +
            " continuations under way");
    }

    void tell() {
        if (seconds() < tell_at_) return;
        tell_at_ = seconds() + 5;
        std::string line = std::to_string(holders_.alive()) + " runs alive, " +
                           database_.value("SELECT count(*) FROM fleet_stalls") + " stalls, " +
                           database_.value("SELECT count(*) FROM fleet_spawns") + " continued; held by";
        for (const auto& [holder, runs] : holders_.held())
            line += " " + (holder.empty() ? "nobody" : holder) + " " + std::to_string(runs);
        say(line);
    }

    /// What went wrong there, for people.
    void repeat(const std::string& child) const {
        const std::string said = children_.said(child);
        if (!said.empty()) std::fprintf(stderr, "-- %s said:\n%s\n", child.c_str(), said.c_str());
    }

    const Options& options_;
    Times times_;
    Database database_;
    Holders holders_;
    Children children_;
    Clock::time_point begun_ = Clock::now();
    int step_ = 0;
    double wake_at_ = 0;
    long under_way_ = 0;
    double tell_at_ = 0;
};

}  // namespace

Figures play(const Options& options) { return Story{options}.play(); }

}  // namespace fleet
