// The process that a scenario may let die: once dead, nothing that its doubles are asked for has any effect.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/issue.hpp>
#include <heeler/core/result.hpp>
#include <heeler/testing/recording_notifier.hpp>
#include <heeler/testing/scripted_control.hpp>
#include <heeler/testing/scripted_tree.hpp>

namespace replay {

enum class CrashPoint : std::uint8_t { after_commit, after_action };

/// Shared by everything that dies with the process.
struct Process {
    struct Armed {
        CrashPoint point;
        std::uint64_t left;
    };

    bool dead = false;
    std::vector<Armed> armed;
    std::set<std::string, std::less<>> confirmed;  // keys of actions and alerts whose end was stored in this cycle

    /// Lets it die at the `count`th such point from now on, from 1.
    void arm(CrashPoint point, std::uint64_t count) { armed.push_back({point, count}); }

    void passed(CrashPoint point) {
        for (Armed& each : armed)
            if (each.point == point && --each.left == 0) dead = true;
        std::erase_if(armed, [](const Armed& each) { return each.left == 0; });
    }

    void start_again() {
        dead = false;
        confirmed.clear();
    }
};

using ProcessHandle = std::shared_ptr<Process>;

[[nodiscard]] inline tl::unexpected<heeler::Error> died() {
    return heeler::fail(heeler::ErrorCode::lost, "the process has died, as the scenario says");
}

/// The scripted control inside the process.
class MortalControl {
public:
    explicit MortalControl(ProcessHandle process) : process_{std::move(process)} {}

    [[nodiscard]] heeler::ScriptedControl& script() { return script_; }

    [[nodiscard]] bool idempotent() const { return script_.idempotent(); }
    [[nodiscard]] auto inject(const heeler::ActionRequest& asked) { return act(&Script::inject, asked); }
    [[nodiscard]] auto pause(const heeler::ActionRequest& asked) { return act(&Script::pause, asked); }
    [[nodiscard]] auto resume(const heeler::ActionRequest& asked) { return act(&Script::resume, asked); }
    [[nodiscard]] auto isolate(const heeler::ActionRequest& asked) { return act(&Script::isolate, asked); }
    [[nodiscard]] auto snapshot(const heeler::ActionRequest& asked) { return act(&Script::snapshot, asked); }
    [[nodiscard]] auto terminate(const heeler::ActionRequest& asked) { return act(&Script::terminate, asked); }
    [[nodiscard]] auto spawn(const heeler::ActionRequest& asked) { return act(&Script::spawn, asked); }
    [[nodiscard]] heeler::Result<heeler::Found> find(std::string_view key) const {
        if (process_->dead) return died();
        return script_.find(key);
    }
    [[nodiscard]] heeler::Result<heeler::StopProof> prove_stopped(std::string_view run) const {
        if (process_->dead) return died();
        return script_.prove_stopped(run);
    }

private:
    using Script = heeler::ScriptedControl;
    using Verb = heeler::Result<heeler::ActionDone> (Script::*)(const heeler::ActionRequest&);

    heeler::Result<heeler::ActionDone> act(Verb verb, const heeler::ActionRequest& asked) {
        if (process_->dead) return died();
        auto answer = (script_.*verb)(asked);
        process_->passed(CrashPoint::after_action);
        return answer;
    }

    Script script_;
    ProcessHandle process_;
};

/// The scripted tree inside the process.
class MortalTree {
public:
    explicit MortalTree(ProcessHandle process) : process_{std::move(process)} {}

    [[nodiscard]] heeler::ScriptedTree& script() { return script_; }

    [[nodiscard]] bool idempotent() const { return script_.idempotent(); }
    [[nodiscard]] auto changes(std::string_view cursor) const { return script_.changes(cursor); }
    [[nodiscard]] auto agent(const heeler::NodeRef& agent) const { return script_.agent(agent); }
    [[nodiscard]] heeler::Result<heeler::Found> find(std::string_view key) const {
        if (process_->dead) return died();
        return script_.find(key);
    }
    [[nodiscard]] auto review(const heeler::ReviewRequest& asked) { return act(&heeler::ScriptedTree::review, asked); }
    [[nodiscard]] auto wake(const heeler::WakeRequest& asked) { return act(&heeler::ScriptedTree::wake, asked); }
    [[nodiscard]] auto block(const heeler::BlockRequest& asked) { return act(&heeler::ScriptedTree::block, asked); }

private:
    template <class Verb, class Asked>
    heeler::Result<heeler::ActionDone> act(Verb verb, const Asked& asked) {
        if (process_->dead) return died();
        auto answer = (script_.*verb)(asked);
        process_->passed(CrashPoint::after_action);
        return answer;
    }

    heeler::ScriptedTree script_;
    ProcessHandle process_;
};

/// The issue tracker inside the process: it takes whatever is filed.
class MortalIssues {
public:
    static constexpr bool idempotent = true;

    explicit MortalIssues(ProcessHandle process) : process_{std::move(process)} {}

    [[nodiscard]] heeler::Result<heeler::ActionDone> file(const heeler::Issue&) {
        if (process_->dead) return died();
        process_->passed(CrashPoint::after_action);
        return heeler::ActionDone{"filed"};
    }

private:
    ProcessHandle process_;
};

/// The scripted notifier inside the process.
class MortalNotifier {
public:
    static constexpr std::string_view name = "replay";

    explicit MortalNotifier(ProcessHandle process) : process_{std::move(process)} {}

    [[nodiscard]] heeler::RecordingNotifier& script() { return script_; }

    [[nodiscard]] heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) {
        if (process_->dead) return died();
        auto answer = script_.send(alert);
        script_.clear();
        return answer;
    }

private:
    heeler::RecordingNotifier script_;
    ProcessHandle process_;
};

/// The monitor's own context inside the process.
class MortalContext {
public:
    explicit MortalContext(ProcessHandle process) : process_{std::move(process)} {}

    std::optional<std::uint64_t> told_size;  ///< absent: it does not tell
    bool fails = false;

    [[nodiscard]] std::optional<std::uint64_t> size() const { return told_size; }
    [[nodiscard]] heeler::Result<void> clear() {
        if (process_->dead) return died();
        if (fails) return heeler::fail(heeler::ErrorCode::failed, "the context could not be cleared, as scripted");
        return {};
    }

private:
    ProcessHandle process_;
};

}  // namespace replay
