// A notifier that delivers nowhere, keeps what it was given and answers as told: for tests, replays and dry runs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI {

/// How a delivery is to end.
enum class Delivery : std::uint8_t {
    ok,
    fail,          ///< `delivery_failed`: trying again may help
    raise,         ///< an exception leaves the notifier
    no_recipient,  ///< nobody listens on the route
    permanent,     ///< the alert can never go out this way
};

/// A handle on a shared record: copies see the same alerts, so a test keeps one and gives the other to the `Watchdog`.
/// May be used from any thread.
class RecordingNotifier {
public:
    static constexpr std::string_view name = "recording";

    /// One delivery that was asked for, whatever was answered.
    struct Sent {
        Alert alert;
        Delivery answer = Delivery::ok;
    };

    RecordingNotifier() : state_{std::make_shared<State>()} {}

    /// The answers from now on, in order; the last one is repeated. Empty: always `ok`.
    void answer_with(std::vector<Delivery> answers) {
        const std::lock_guard lock{state_->mutex};
        state_->answers = std::move(answers);
        state_->next = 0;
    }

    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        switch (record(alert)) {
            case Delivery::ok:
                return Receipt{};
            case Delivery::raise:
                detail::raise("the recording notifier was told to throw");
                break;
            case Delivery::no_recipient:
                return heeler::fail(ErrorCode::no_recipient, "nobody listens on route '" + alert.to + "'");
            case Delivery::permanent:
                return heeler::fail(ErrorCode::permanent, "the recording notifier was told to refuse for good");
            case Delivery::fail:
                break;
        }
        return heeler::fail(ErrorCode::delivery_failed, "the recording notifier was told to fail");
    }

    /// Every delivery asked for, oldest first.
    [[nodiscard]] std::vector<Sent> sent() const {
        const std::lock_guard lock{state_->mutex};
        return state_->sent;
    }

    /// The alerts that got a receipt, oldest first.
    [[nodiscard]] std::vector<Alert> delivered() const {
        std::vector<Alert> alerts;
        for (const Sent& each : sent())
            if (each.answer == Delivery::ok) alerts.push_back(each.alert);
        return alerts;
    }

    void clear() {
        const std::lock_guard lock{state_->mutex};
        state_->sent.clear();
    }

private:
    struct State {
        std::mutex mutex;
        std::vector<Delivery> answers;
        std::size_t next = 0;
        std::vector<Sent> sent;
    };

    Delivery record(const Alert& alert) {
        const std::lock_guard lock{state_->mutex};
        const auto& answers = state_->answers;
        const Delivery answer =
            answers.empty() ? Delivery::ok : answers[detail::min_of(state_->next, answers.size() - 1)];
        ++state_->next;
        state_->sent.push_back({alert, answer});
        return answer;
    }

    std::shared_ptr<State> state_;
};

}  // namespace heeler::inline HEELER_ABI
