// A notifier with a thread of its own and a time limit, so that nobody waits for it.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <heeler/core/alert.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/doubts.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>

namespace heeler::inline HEELER_ABI {

struct BackgroundSettings {
    Duration limit = std::chrono::seconds{45};    ///< then it has failed, and is tried again when its thread is free
    Duration patience = std::chrono::seconds{1};  ///< so long `send` waits for one that it began with
    Duration at_end = std::chrono::seconds{2};    ///< its destructor waits so long for what is being sent
};

/// Hands each alert to a notifier in a thread of its own, and answers `under_way` until it is asked for the same alert
/// once more and knows what came of it. What arrives after the time limit is remembered: it is not sent again. The
/// notifier is called by that thread alone, one alert at a time. A send that never ends cannot be ended: its thread,
/// and the notifier with it, outlive this object then, so the notifier must refer to nothing that does not.
template <class Notifier>
class InBackground {
    static_assert(check_notifier<Notifier>());

public:
    static constexpr std::string_view name = Notifier::name;

    explicit InBackground(Notifier notifier, BackgroundSettings settings = {})
        : settings_{settings}, state_{std::make_shared<State>(std::move(notifier))} {}
    InBackground(InBackground&&) noexcept = default;
    InBackground& operator=(InBackground&& other) noexcept {
        std::swap(settings_, other.settings_);
        std::swap(state_, other.state_);
        return *this;
    }
    ~InBackground() {
        if (!state_) return;
        std::unique_lock guard{state_->lock};
        state_->stopped = true;
        state_->changed.notify_all();
        state_->changed.wait_for(guard, settings_.at_end, [this] { return !state_->sending; });
    }

    /// Begins to send it, if it sends nothing now. `AllOf` does so with all before it waits for one.
    void begin(const Alert& alert) {
        const std::lock_guard guard{state_->lock};
        if (!state_->sending && !state_->knows(alert.key)) hand_over(alert);
    }

    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        begin(alert);
        State& state = *state_;
        std::unique_lock guard{state.lock};
        if (state.sending && state.sending->key == alert.key)
            state.changed.wait_until(guard, state.began + settings_.patience, [&] { return state.knows(alert.key); });
        if (auto known = state.take(alert.key)) return *std::move(known);
        const auto spent = std::chrono::steady_clock::now() - state.began;
        if (!state.sending || spent < settings_.limit)
            return fail(ErrorCode::under_way, text::concat(name, ": it is being sent"));
        state.late = true;
        return fail(
            ErrorCode::delivery_failed,
            text::concat(name, state.sending->key == alert.key ? ": no answer for " : ": an earlier alert hangs for ",
                         text::spoken(std::chrono::duration_cast<Duration>(spent))));
    }

    [[nodiscard]] Result<void> serves(std::string_view route) const {
        if constexpr (TellsRoutes<Notifier>) return std::as_const(state_->notifier).serves(route);
        return {};
    }

    /// What is doubtful in the settings of the notifier, and the tags that it asks for (`NotifierLike`).
    [[nodiscard]] std::string doubts() const { return detail::doubts_of(state_->notifier); }
    [[nodiscard]] detail::RouteTags tags() const { return detail::tags_of(state_->notifier); }

    /// Whether its thread is sending now.
    [[nodiscard]] bool busy() const {
        const std::lock_guard guard{state_->lock};
        return state_->sending.has_value();
    }

private:
    struct State {
        explicit State(Notifier made) : notifier{std::move(made)} {}

        [[nodiscard]] bool knows(const std::string& key) const {
            return std::any_of(over.begin(), over.end(), [&](const Over& each) { return each.key == key; });
        }

        /// What came of the alert with this key, if that is known and nobody was told yet.
        [[nodiscard]] std::optional<Result<Receipt>> take(const std::string& key) {
            const auto known =
                std::find_if(over.begin(), over.end(), [&](const auto& each) { return each.key == key; });
            if (known == over.end()) return std::nullopt;
            std::optional<Result<Receipt>> answer{std::move(known->answer)};
            over.erase(known);
            return answer;
        }

        struct Over {
            std::string key;
            Result<Receipt> answer;
        };
        static constexpr std::size_t most_over = 256;

        std::mutex lock;
        std::condition_variable changed;
        Notifier notifier;
        std::optional<Alert> sending{};
        std::chrono::steady_clock::time_point began{};
        bool late = false;  ///< it was said that what is being sent has failed
        bool started = false;
        bool stopped = false;
        std::deque<Over> over{};  ///< oldest first
    };

    void hand_over(const Alert& alert) {
        if (!state_->started) {  // throws where no thread is to be had: nothing is being sent then
            std::thread{[state = state_] { work(*state); }}.detach();
            state_->started = true;
        }
        state_->sending = alert;
        state_->began = std::chrono::steady_clock::now();
        state_->late = false;
        state_->changed.notify_all();
    }

    static void work(State& state) {
        std::unique_lock guard{state.lock};
        for (;;) {
            state.changed.wait(guard, [&] { return state.stopped || state.sending; });
            if (!state.sending) return;
            const Alert alert = *state.sending;
            guard.unlock();
            auto answer = detail::guarded(ErrorCode::delivery_failed, name, [&] { return state.notifier.send(alert); });
            guard.lock();
            // A failure that was taken for one already is tried again, not told twice.
            if (answer || !state.late) {
                if (state.over.size() == State::most_over) state.over.pop_front();
                state.over.push_back({alert.key, std::move(answer)});
            }
            state.sending.reset();
            state.changed.notify_all();
        }
    }

    BackgroundSettings settings_;
    std::shared_ptr<State> state_;
};

}  // namespace heeler::inline HEELER_ABI
