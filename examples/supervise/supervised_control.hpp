// The agent control of the one supervised run: requests that are about another run find it over.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include <heeler/agent/process_control.hpp>
#include <heeler/core/action.hpp>

namespace supervise {

/// What the watchdog does to the command goes through here. Thread-safe.
class SupervisedControl {
public:
    /// Before the first cycle.
    void attach(heeler::ProcessControl& process, std::string run) {
        process_ = &process;
        run_ = std::move(run);
    }

    heeler::Result<heeler::ActionDone> inject(const heeler::ActionRequest& request) {
        return guard(request, [&] { return process_->inject(request); });
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
        return guard(request, [&] { return process_->terminate(request); });
    }
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
    std::string run_;
    std::atomic<bool> paused_{false};
};

}  // namespace supervise
