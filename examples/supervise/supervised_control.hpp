// The agent control of the one supervised run: requests that are about another run find it over.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include <heeler/agent/process_control.hpp>
#include <heeler/core/action.hpp>

#include "../common/words.hpp"

namespace supervise {

/// What the watchdog does to the command goes through here. Thread-safe.
class SupervisedControl {
public:
    /// While nobody calls any of the others.
    void attach(heeler::ProcessControl& process, std::string run) {
        process_ = &process;
        run_ = std::move(run);
    }

    /// From now on what is to be said is left there for the agent.
    void leave_words(common::Words& words) { words_ = &words; }

    heeler::Result<heeler::ActionDone> inject(const heeler::ActionRequest& request) {
        return guard(request, [&] { return words_ != nullptr ? words_->inject(request) : process_->inject(request); });
    }
    heeler::Result<heeler::ActionDone> pause(const heeler::ActionRequest& request) {
        return guard(request, [&] { return note(process_->pause(request), true); });
    }
    heeler::Result<heeler::ActionDone> resume(const heeler::ActionRequest& request) {
        return guard(request, [&] { return note(process_->resume(request), false); });
    }
    heeler::Result<heeler::ActionDone> snapshot(const heeler::ActionRequest& request) {
        return guard(request, [&] { return process_->snapshot(request); });
    }
    heeler::Result<heeler::ActionDone> terminate(const heeler::ActionRequest& request) {
        return guard(request, [&] {
            ended_ = true;
            return process_->terminate(request);
        });
    }
    /// Whether the watchdog wants the command to be over.
    [[nodiscard]] bool ended() const noexcept { return ended_; }
    [[nodiscard]] bool paused() const noexcept { return paused_; }

private:
    /// After a crash the database may still hold actions that were meant for an earlier command.
    template <class Act>
    heeler::Result<heeler::ActionDone> guard(const heeler::ActionRequest& request, Act&& act) {
        if (process_ == nullptr || request.run != run_)
            return heeler::fail(heeler::ErrorCode::ended, "that command is over");
        return act();
    }

    heeler::Result<heeler::ActionDone> note(heeler::Result<heeler::ActionDone> answer, bool paused) {
        if (answer) paused_ = paused;
        return answer;
    }

    heeler::ProcessControl* process_ = nullptr;
    common::Words* words_ = nullptr;
    std::string run_;
    std::atomic<bool> paused_{false};
    std::atomic<bool> ended_{false};
};

}  // namespace supervise
