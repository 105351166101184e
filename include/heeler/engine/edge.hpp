// Where template code ends: a host's clock, store and notifier as the engine's ports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/concepts.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/ports.hpp>

namespace heeler::inline HEELER_ABI::detail {

template <class Clock>
class ClockEdge final : public ClockPort {
public:
    explicit ClockEdge(Clock& clock) noexcept : clock_{clock} {}
    [[nodiscard]] Instant now() override { return clock_.now(); }

private:
    Clock& clock_;
};

template <class Store>
class StoreEdge final : public StorePort {
public:
    explicit StoreEdge(Store& store) noexcept : store_{store} {}

    [[nodiscard]] Result<Snapshot> load() override {
        return guarded(ErrorCode::io, who, [&] { return store_.load(); });
    }
    [[nodiscard]] Result<std::vector<DecisionRow>> list() override {
        return guarded(ErrorCode::io, who, [&] { return store_.list(); });
    }
    [[nodiscard]] Result<Conflicts> commit(const Batch& batch) override {
        return guarded(ErrorCode::io, who, [&] { return store_.commit(batch); });
    }
    [[nodiscard]] Result<History> history(std::string_view run) override {
        return guarded(ErrorCode::io, who, [&] { return store_.history(run); });
    }
    [[nodiscard]] bool leases() const noexcept override { return LeasingStoreLike<Store>; }
    [[nodiscard]] Result<Lease> claim(std::string_view holder, std::string_view owner, Duration length) override {
        if constexpr (LeasingStoreLike<Store>)
            return guarded(ErrorCode::io, who, [&] { return store_.claim(holder, owner, length); });
        else
            return fail(ErrorCode::unsupported, "the store knows no leases");
    }
    [[nodiscard]] Result<void> release(const Lease& lease) override {
        if constexpr (LeasingStoreLike<Store>)
            return guarded(ErrorCode::io, who, [&] { return store_.release(lease); });
        else
            return {};
    }
    [[nodiscard]] Result<Claimed> claim_runs(const Claim& claim) override {
        if constexpr (LeasingStoreLike<Store>)
            return guarded(ErrorCode::io, who, [&] { return store_.claim_runs(claim); });
        else
            return fail(ErrorCode::unsupported, "the store knows no leases");
    }

    [[nodiscard]] Duration statement_timeout() const noexcept override {
        if constexpr (HasStatementTimeout<Store>)
            return store_.statement_timeout();
        else
            return {};
    }
    [[nodiscard]] bool lists_holders() const noexcept override {
        return LeasingStoreLike<Store> && CanListHolders<Store>;
    }
    [[nodiscard]] Result<std::vector<HolderRow>> holders() override {
        if constexpr (CanListHolders<Store>)
            return guarded(ErrorCode::io, who, [&] { return store_.holders(); });
        else
            return fail(ErrorCode::unsupported, "the store lists no holders");
    }

private:
    static constexpr std::string_view who = "the store";
    Store& store_;
};

template <class Notifier>
class NotifierEdge final : public NotifierPort {
public:
    explicit NotifierEdge(Notifier& notifier) noexcept : notifier_{notifier} {}
    [[nodiscard]] Result<Receipt> send(const Alert& alert) override {
        return guarded(ErrorCode::delivery_failed, "the notifier", [&] { return notifier_.send(alert); });
    }

private:
    Notifier& notifier_;
};

}  // namespace heeler::inline HEELER_ABI::detail
