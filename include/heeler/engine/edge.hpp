// Where template code ends: a host's clock, store and notifier as the engine's ports.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <heeler/core/concepts.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/core/time.hpp>
#include <heeler/core/vitals.hpp>

namespace heeler::inline HEELER_ABI::detail {

template <class Clock>
class ClockEdge final : public ClockPort {
public:
    explicit ClockEdge(Clock& clock) noexcept : clock_{clock} {}
    [[nodiscard]] Instant now() override { return clock_.now(); }

private:
    Clock& clock_;
};

/// What was asked of a store in one way. Written by one thread at a time, read by any.
class CallCounters {
public:
    void count(Duration spent, const Error* error) noexcept {
        count_.fetch_add(1, std::memory_order_relaxed);
        spent_.fetch_add(spent.count(), std::memory_order_relaxed);
        if (error != nullptr) errors_[static_cast<std::size_t>(error->code)].fetch_add(1, std::memory_order_relaxed);
    }
    [[nodiscard]] StoreCalls read() const noexcept {
        StoreCalls calls{count_.load(std::memory_order_relaxed), Duration{spent_.load(std::memory_order_relaxed)}, {}};
        for (std::size_t i = 0; i < std::size(errors_); ++i)
            calls.errors[i] = errors_[i].load(std::memory_order_relaxed);
        return calls;
    }

private:
    std::atomic<std::uint64_t> count_{0};
    std::atomic<std::int64_t> spent_{0};
    std::atomic<std::uint64_t> errors_[error_code_count]{};
};

template <class Store>
class StoreEdge final : public StorePort {
public:
    explicit StoreEdge(Store& store) : store_{store} {
        leases = LeasingStoreLike<Store>;
        lists_holders = leases && CanListHolders<Store>;
        if constexpr (HasStatementTimeout<Store>) statement_timeout = store.statement_timeout();
        if constexpr (HasPlace<Store>) place = store.place();
    }

    [[nodiscard]] Result<Snapshot> load() override {
        return timed(StoreOp::load, [&] { return store_.load(); });
    }
    [[nodiscard]] Result<List<DecisionRow>> list() override {
        return timed(StoreOp::list, [&] { return store_.list(); });
    }
    [[nodiscard]] Result<Conflicts> commit(const Batch& batch) override {
        return timed(StoreOp::commit, [&] { return store_.commit(batch); });
    }
    [[nodiscard]] Result<History> history(std::string_view run) override {
        return timed(StoreOp::history, [&] { return store_.history(run); });
    }
    [[nodiscard]] Result<std::optional<AlertRow>> alert(AlertKey which) override {
        if constexpr (CanFindAlert<Store>) {
            return timed(StoreOp::history, [&] { return store_.alert(which); });
        } else {
            auto known = history(which.run);
            if (!known) return tl::unexpected<Error>(std::move(known.error()));
            for (AlertRow& row : known->alerts)
                if (row.alert.key == which.key) return std::optional<AlertRow>{std::move(row)};
            return std::optional<AlertRow>{};
        }
    }
    [[nodiscard]] Result<Lease> claim(Claimant claimant, Duration length) override {
        if constexpr (LeasingStoreLike<Store>)
            return timed(StoreOp::claim, [&] { return store_.claim(claimant, length); });
        else
            return fail(ErrorCode::unsupported, "the store knows no leases");
    }
    [[nodiscard]] Result<void> release(const Lease& lease) override {
        if constexpr (LeasingStoreLike<Store>)
            return timed(StoreOp::release, [&] { return store_.release(lease); });
        else
            return {};
    }
    [[nodiscard]] Result<Claimed> claim_runs(const Claim& claim) override {
        if constexpr (LeasingStoreLike<Store>)
            return timed(StoreOp::claim_runs, [&] { return store_.claim_runs(claim); });
        else
            return fail(ErrorCode::unsupported, "the store knows no leases");
    }
    [[nodiscard]] Result<List<HolderRow>> holders() override {
        if constexpr (CanListHolders<Store>)
            return timed(StoreOp::holders, [&] { return store_.holders(); });
        else
            return fail(ErrorCode::unsupported, "the store lists no holders");
    }

    [[nodiscard]] StoreCalls calls(StoreOp op) const noexcept override {
        return counters_[static_cast<std::size_t>(op)].read();
    }

private:
    static constexpr std::string_view who = "the store";

    template <class Call>
    auto timed(StoreOp op, Call&& call) {
        const auto begin = std::chrono::steady_clock::now();
        auto answer = guarded(ErrorCode::io, who, static_cast<Call&&>(call));
        const auto spent = std::chrono::steady_clock::now() - begin;
        counters_[static_cast<std::size_t>(op)].count(std::chrono::duration_cast<Duration>(spent),
                                                      answer ? nullptr : &answer.error());
        return answer;
    }

    Store& store_;
    CallCounters counters_[store_op_names.size()];
};

struct NoTags {};

/// What a notifier's settings ask for of the tags of runs, if they ask for any.
template <class Notifier>
[[nodiscard]] auto tags_asked_by(const Notifier& notifier) {
    if constexpr (requires { notifier.tags(); })
        return notifier.tags();
    else
        return NoTags{};
}

template <class Notifier>
class NotifierEdge final : public NotifierPort {
public:
    explicit NotifierEdge(Notifier& notifier) : notifier_{notifier}, tags_{tags_asked_by(notifier)} {
        if constexpr (requires { notifier.doubts(); }) doubts = notifier.doubts();
    }
    [[nodiscard]] Result<Receipt> send(const Alert& alert) override {
        if constexpr (!std::is_same_v<Tags, NoTags>) news = tags_.hold_against(alert.tags);
        return guarded(ErrorCode::delivery_failed, "the notifier", [&] { return notifier_.send(alert); });
    }
    [[nodiscard]] Result<void> serves([[maybe_unused]] std::string_view route) override {
        if constexpr (TellsRoutes<Notifier>)
            return guarded(ErrorCode::no_recipient, "the notifier",
                           [&] { return std::as_const(notifier_).serves(route); });
        else
            return {};
    }

private:
    using Tags = decltype(tags_asked_by(std::declval<const Notifier&>()));

    Notifier& notifier_;
    [[no_unique_address]] Tags tags_;
};

}  // namespace heeler::inline HEELER_ABI::detail
