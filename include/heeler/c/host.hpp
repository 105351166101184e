// The callbacks of a C host, as the clock, the notifier and the agent control of a watchdog.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/alert/json.hpp>
#include <heeler/c/given.hpp>
#include <heeler/clock/system_clock.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/agent_control.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/notify/log_notifier.hpp>

namespace heeler::inline HEELER_ABI::c {

/// What a callback answered that takes a note: the note, or the error that it stands for; of a number that is no code,
/// `otherwise`.
template <class Call>
[[nodiscard]] Result<std::string> noted(ErrorCode otherwise, Call&& call) {
    char note[512] = "";
    const int answer = call(note, sizeof note);
    note[sizeof note - 1] = '\0';
    if (answer == HEELER_OK) return std::string{note};
    const ErrorCode code = code_of(answer).value_or(otherwise);
    return fail(code, *note != '\0' ? std::string{note} : "the callback answered " + std::to_string(answer));
}

/// The host's clock, or the machine's. Copies share the last reading: a clock that goes back stands still.
class HostClock {
public:
    explicit HostClock(const heeler_options& host)
        : now_{host.now}, context_{host.context}, latest_{std::make_shared<std::atomic<std::int64_t>>(0)} {}

    [[nodiscard]] Instant now() const {
        if (now_ == nullptr) return SystemClock{}.now();
        std::int64_t elapsed = 0, wall = 0;
        {
            const StrictCallback strict;
            now_(context_, &elapsed, &wall);
        }
        constexpr std::int64_t longest = 100'000'000'000'000'000;
        std::int64_t latest = latest_->load(std::memory_order_relaxed);
        elapsed = std::clamp(elapsed, latest, longest);
        while (latest < elapsed && !latest_->compare_exchange_weak(latest, elapsed, std::memory_order_relaxed)) {
        }
        wall = std::clamp<std::int64_t>(wall, 0, longest);
        return {Elapsed{Duration{std::max(latest, elapsed)}}, in_calendar(WallTime{Duration{wall}})};
    }

private:
    void (*now_)(void*, std::int64_t*, std::int64_t*);
    void* context_;
    std::shared_ptr<std::atomic<std::int64_t>> latest_;
};

class HostNotifier {
public:
    static constexpr std::string_view name = "host";

    explicit HostNotifier(const heeler_options& host) : notify_{host.notify}, context_{host.context} {}

    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        if (notify_ == nullptr) return log_.send(alert);
        const std::string json = alert_json(alert);
        heeler_alert told{};
        told.size = sizeof told;
        told.key = alert.key.c_str();
        told.kind = alert.kind.c_str();
        told.to = alert.to.c_str();
        told.run = alert.run.id.c_str();
        told.summary = alert.summary.c_str();
        told.json = json.c_str();
        told.severity = static_cast<int>(alert.severity);
        told.attempt = alert.attempt;
        auto answer = noted(ErrorCode::delivery_failed,
                            [&](char* note, std::size_t size) { return notify_(context_, &told, note, size); });
        if (!answer) return tl::unexpected<Error>(std::move(answer.error()));
        Receipt receipt;
        if (!answer->empty()) receipt.names.push_back(*std::move(answer));
        return receipt;
    }

private:
    int (*notify_)(void*, const heeler_alert*, char*, std::size_t);
    void* context_;
    LogNotifier log_;
};

class HostControl {
public:
    explicit HostControl(const heeler_options& host) : host_{host} {}

    using Asked = const ActionRequest&;
    Result<ActionDone> inject(Asked asked) { return act(HEELER_INJECT, asked); }
    Result<ActionDone> pause(Asked asked) { return act(HEELER_PAUSE, asked); }
    Result<ActionDone> resume(Asked asked) { return act(HEELER_RESUME, asked); }
    Result<ActionDone> isolate(Asked asked) { return act(HEELER_ISOLATE, asked); }
    Result<ActionDone> snapshot(Asked asked) { return act(HEELER_SNAPSHOT, asked); }
    Result<ActionDone> terminate(Asked asked) { return act(HEELER_TERMINATE, asked); }
    Result<ActionDone> spawn(Asked asked) { return act(HEELER_SPAWN, asked); }

    Result<Found> find(std::string_view key) {
        if (host_.find == nullptr) return fail(ErrorCode::unsupported, "the host has no `find`");
        const int answer = host_.find(host_.context, std::string{key}.c_str());
        return answer == HEELER_FOUND ? Found::found : answer == HEELER_ABSENT ? Found::absent : Found::unknown;
    }
    Result<StopProof> prove_stopped(std::string_view run) {
        if (host_.prove_stopped == nullptr) return fail(ErrorCode::unsupported, "the host has no `prove_stopped`");
        const int answer = host_.prove_stopped(host_.context, std::string{run}.c_str());
        if (answer == HEELER_STOPPED) return StopProof::stopped;
        return answer == HEELER_RUNNING ? StopProof::running : StopProof::unknown;
    }
    [[nodiscard]] bool idempotent() const noexcept { return host_.idempotent != 0; }

private:
    Result<ActionDone> act(heeler_verb verb, Asked asked) {
        if (host_.act == nullptr || (host_.verbs & verb) == 0)
            return fail(ErrorCode::unsupported, "the host does not do this to agents");
        const std::string run{asked.run}, key{asked.key}, words{asked.text}, asker{asked.asker};
        heeler_action action{};
        action.size = sizeof action;
        action.verb = verb;
        action.attempt = asked.attempt;
        action.run = run.c_str();
        action.key = key.c_str();
        action.text = words.c_str();
        action.message = name_of(asked.message).data();  // of a literal, which ends with 0
        action.boundary = name_of(asked.boundary).data();
        action.asker = asker.c_str();
        action.fence = asked.fence;
        action.silent_us = asked.silent.count();
        action.repeated = asked.repeated ? 1 : 0;
        auto answer = noted(ErrorCode::timed_out, [&](char* note, std::size_t size) {
            return host_.act(host_.context, &action, note, size);
        });
        if (!answer) return tl::unexpected<Error>(std::move(answer.error()));
        return ActionDone{.note = *std::move(answer)};
    }

    heeler_options host_;
};

}  // namespace heeler::inline HEELER_ABI::c
