// Named timers: messages that are sent again and again, such as the "check" that wakes a monitor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/guard.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

/// A message that is sent each time its interval is over.
struct Timer {
    std::string name{};  ///< 1 to 128 bytes of UTF-8 without control characters; empty: "default"
    Duration interval = std::chrono::seconds{90};  ///< 1 s to 24 h
    std::string message{};                         ///< sanitised, at most 4 KiB; empty: "check"
    std::string target{};                          ///< for whom; means what the host's `send` takes it for
};

/// A timer whose time has come, and what became of its message.
struct FiredTimer {
    Timer timer{};
    /// Absent: it was sent. `no_recipient`: the target is missing. Either way the timer goes on.
    std::optional<Error> warning{};
};

/// Timers by name. It holds values only: no thread, no clock, and nothing sleeps. A host asks `next_deadline()`, and
/// calls `fire()` when that has come. The one with the empty name is `default`. One thread at a time.
class TimerSet {
public:
    enum class Outcome : bool { started, replaced };

    /// Starts a timer, or another one in the place of the one with this name. It fires first when one whole interval
    /// is over. Errors: `invalid_argument`, and nothing has changed.
    [[nodiscard]] Result<Outcome> start(Timer timer, Elapsed now) {
        if (timer.name.empty()) timer.name = named({});
        timer.message = text::sanitise(timer.message, longest_message);
        if (timer.message.empty()) timer.message = "check";
        if (auto good = check(timer); !good) return tl::unexpected<Error>(std::move(good.error()));
        std::string name = timer.name;
        const Elapsed first = now + timer.interval;
        const bool is_new = running_.insert_or_assign(std::move(name), Running{std::move(timer), first}).second;
        return is_new ? Outcome::started : Outcome::replaced;
    }

    /// Stops the timer with this name; without one all. Answers whether any was running.
    bool stop(std::optional<std::string_view> name = {}) {
        if (!name) return !std::exchange(running_, {}).empty();
        const auto found = running_.find(named(*name));
        if (found == running_.end()) return false;
        running_.erase(found);
        return true;
    }

    /// The timers that run, by name; with a `name` that one, if it runs.
    [[nodiscard]] std::vector<Timer> status(std::optional<std::string_view> name = {}) const {
        std::vector<Timer> timers;
        for (const auto& [each, running] : running_)
            if (!name || each == named(*name)) timers.push_back(running.timer);
        return timers;
    }

    [[nodiscard]] bool is_running() const noexcept { return !running_.empty(); }
    [[nodiscard]] bool is_running(std::string_view name) const { return running_.contains(named(name)); }
    [[nodiscard]] std::size_t count() const noexcept { return running_.size(); }

    /// When the next timer fires; absent: none runs.
    [[nodiscard]] std::optional<Elapsed> next_deadline() const {
        std::optional<Elapsed> earliest;
        for (const auto& [name, running] : running_) earliest = std::min(earliest.value_or(running.due), running.due);
        return earliest;
    }

    /// Sends the message of each timer whose time has come, the earliest first, and once however late this is called.
    /// Its next interval begins now. `send(const Timer&)` answers a `Result`; what it throws is the error `failed`. It
    /// may start and stop timers: one that is stopped or replaced meanwhile is not sent.
    template <class Send>
    std::vector<FiredTimer> fire(Elapsed now, Send&& send) {
        std::vector<FiredTimer> fired;
        for (const auto& [due, name] : due_by(now)) {
            const auto found = running_.find(name);
            if (found == running_.end() || found->second.due != due) continue;
            found->second.due = now + found->second.timer.interval;
            FiredTimer& each = fired.emplace_back(FiredTimer{found->second.timer, {}});
            const auto sent = detail::guarded(ErrorCode::failed, "the timer's `send`",
                                              [&] { return send(std::as_const(each.timer)); });
            if (!sent) each.warning = sent.error();
        }
        return fired;
    }

private:
    struct Running {
        Timer timer;
        Elapsed due;
    };

    static constexpr std::size_t longest_message = 4096;

    [[nodiscard]] static std::string_view named(std::string_view name) noexcept {
        return name.empty() ? std::string_view{"default"} : name;
    }

    [[nodiscard]] static Result<void> check(const Timer& timer) {
        const std::string shown = "the timer \"" + text::sanitise(timer.name, 96) + "\" ";
        if (!valid_run_id(timer.name))
            return fail(ErrorCode::invalid_argument, shown + "needs a name of 1 to " +
                                                         std::to_string(max_run_id_bytes) +
                                                         " bytes of UTF-8 without control characters");
        const Duration least = std::chrono::seconds{1}, most = std::chrono::hours{24};
        if (timer.interval >= least && timer.interval <= most) return {};
        return fail(ErrorCode::invalid_argument, shown + "has an interval of " +
                                                     std::to_string(in_seconds(timer.interval)) + " s; it must be " +
                                                     text::spoken(least) + " to " + text::spoken(most));
    }

    [[nodiscard]] std::vector<std::pair<Elapsed, std::string>> due_by(Elapsed now) const {
        std::vector<std::pair<Elapsed, std::string>> due;
        for (const auto& [name, running] : running_)
            if (running.due <= now) due.emplace_back(running.due, name);
        std::sort(due.begin(), due.end());
        return due;
    }

    std::map<std::string, Running, std::less<>> running_{};
};

}  // namespace heeler::inline HEELER_ABI
