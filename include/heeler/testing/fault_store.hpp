// A store that fails on demand, around any other: for tests of a host, and of the watchdog itself.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/spend.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// `claim` stands for everything about leases: `claim`, `release`, `claim_runs` and `holders`; `history` for `alert`,
/// too, and `list` for `spent`.
enum class StoreOperation : std::uint8_t { load, list, commit, history, claim };

/// Whether an operation that answers an error has nevertheless been carried out.
enum class FaultEffect : std::uint8_t { not_executed, executed };

/// Whether the caller still hears that the commit at which the store crashes has worked.
enum class CrashPoint : std::uint8_t { after_answer, before_answer };

/// A handle: copies share the faults and the inner store. Any thread may call it.
template <class Inner>
class FaultStore {
public:
    explicit FaultStore(Inner inner = Inner{}) : shared_{std::make_shared<Shared>(std::move(inner))} {}

    /// From now on every `operation` answers `code`.
    void fail(StoreOperation operation, ErrorCode code, FaultEffect effect = FaultEffect::not_executed) {
        const std::lock_guard lock{shared_->mutex};
        shared_->faults[index_of(operation)] = Fault{code, effect};
    }

    /// From now on commits that hold this run fail as a whole with `code`. With `conflict` only the run is left out,
    /// and named.
    void fail_run(std::string run, ErrorCode code, FaultEffect effect = FaultEffect::not_executed) {
        const std::lock_guard lock{shared_->mutex};
        shared_->run_faults[std::move(run)] = Fault{code, effect};
    }

    /// The crash comes with the `commits`-th commit from now that takes effect (0: at once); every later call answers
    /// `lost`. A claim that takes runs is a commit.
    void crash_at_commit(std::uint64_t commits, CrashPoint point = CrashPoint::after_answer) {
        const std::lock_guard lock{shared_->mutex};
        shared_->dead = commits == 0;
        shared_->commits_left = commits;
        shared_->crash_point = point;
    }

    /// No call works until `revive`.
    void crash() {
        const std::lock_guard lock{shared_->mutex};
        shared_->dead = true;
    }

    void revive() {
        const std::lock_guard lock{shared_->mutex};
        shared_->dead = false;
    }

    [[nodiscard]] bool dead() const {
        const std::lock_guard lock{shared_->mutex};
        return shared_->dead;
    }

    /// Takes every fault away, also a crash that is still to come. A dead store stays dead.
    void heal() {
        const std::lock_guard lock{shared_->mutex};
        shared_->faults = {};
        shared_->run_faults.clear();
        shared_->commits_left = 0;
    }

    /// Calls so far, failed ones and those of a dead store included.
    [[nodiscard]] std::uint64_t calls(StoreOperation operation) const {
        const std::lock_guard lock{shared_->mutex};
        return shared_->calls[index_of(operation)];
    }

    /// The store inside, as it is without faults.
    [[nodiscard]] Inner& inner() noexcept { return shared_->inner; }

    [[nodiscard]] Result<Snapshot> load() {
        return attempt(StoreOperation::load, [](Inner& inner) { return inner.load(); });
    }

    [[nodiscard]] Result<List<DecisionRow>> list() {
        return attempt(StoreOperation::list, [](Inner& inner) { return inner.list(); });
    }

    [[nodiscard]] Result<Conflicts> commit(const Batch& batch) {
        return attempt(StoreOperation::commit, [&](Inner& inner) { return commit_to(inner, batch); });
    }

    [[nodiscard]] Result<History> history(std::string_view run) {
        return attempt(StoreOperation::history, [&](Inner& inner) { return inner.history(run); });
    }

    [[nodiscard]] Result<std::optional<AlertRow>> alert(AlertKey which) requires CanFindAlert<Inner> {
        return attempt(StoreOperation::history, [&](Inner& inner) { return inner.alert(which); });
    }

    [[nodiscard]] Result<List<SpendRow>> spent(std::int64_t day,
                                               const std::vector<std::string>& lineages) requires CountsSpend<Inner> {
        return attempt(StoreOperation::list, [&](Inner& inner) { return inner.spent(day, lineages); });
    }

    [[nodiscard]] Result<Lease> claim(Claimant who, Duration length) requires CanLease<Inner> {
        return attempt(StoreOperation::claim, [&](Inner& inner) { return inner.claim(who, length); });
    }

    [[nodiscard]] Result<void> release(const Lease& lease) requires CanLease<Inner> {
        return attempt(StoreOperation::claim, [&](Inner& inner) { return inner.release(lease); });
    }

    [[nodiscard]] Result<Claimed> claim_runs(const Claim& claim) requires CanClaimRuns<Inner> {
        return attempt(StoreOperation::claim, [&](Inner& inner) {
            auto given = inner.claim_runs(claim);
            if (given && !given->runs.empty()) crash_after(given);
            return given;
        });
    }

    [[nodiscard]] Duration statement_timeout() const noexcept requires HasStatementTimeout<Inner> {
        return shared_->inner.statement_timeout();
    }

    [[nodiscard]] std::string place() const requires HasPlace<Inner> { return shared_->inner.place(); }

    [[nodiscard]] Result<List<HolderRow>> holders() requires CanListHolders<Inner> {
        return attempt(StoreOperation::claim, [](Inner& inner) { return inner.holders(); });
    }

private:
    struct Fault {
        ErrorCode code = ErrorCode::failed;
        FaultEffect effect = FaultEffect::not_executed;
    };

    struct Shared {
        explicit Shared(Inner store) : inner{std::move(store)} {}

        std::mutex mutex;
        Inner inner;
        std::array<std::optional<Fault>, 5> faults;
        std::map<std::string, Fault, std::less<>> run_faults;
        std::array<std::uint64_t, 5> calls{};
        std::uint64_t commits_left = 0;  // until the crash; 0: none to come
        CrashPoint crash_point = CrashPoint::after_answer;
        bool dead = false;
    };

    [[nodiscard]] static constexpr std::size_t index_of(StoreOperation operation) noexcept {
        return static_cast<std::size_t>(operation);
    }

    [[nodiscard]] static tl::unexpected<Error> injected(ErrorCode code) {
        return heeler::fail(code, "injected fault: " + std::string{name_of(code)});
    }

    template <class Work>
    auto attempt(StoreOperation operation, Work work) -> decltype(work(std::declval<Inner&>())) {
        const std::lock_guard lock{shared_->mutex};
        ++shared_->calls[index_of(operation)];
        if (shared_->dead) return injected(ErrorCode::lost);
        const auto fault = shared_->faults[index_of(operation)];
        if (fault && fault->effect == FaultEffect::not_executed) return injected(fault->code);
        auto result = work(shared_->inner);
        if (fault) return injected(fault->code);
        return result;
    }

    [[nodiscard]] Result<Conflicts> commit_to(Inner& inner, const Batch& batch) {
        std::optional<Fault> fault;
        Conflicts left_out;
        for (const RunBatch& changes : batch.runs) {
            const auto found = shared_->run_faults.find(changes.row.id);
            if (found == shared_->run_faults.end()) continue;
            if (found->second.code == ErrorCode::conflict)
                left_out.push_back(changes.row.id);
            else
                fault = found->second;
        }
        if (fault && fault->effect == FaultEffect::not_executed) return injected(fault->code);

        auto result = left_out.empty() ? inner.commit(batch) : commit_without(inner, batch, left_out);
        if (!result) return result;
        result->insert(result->end(), left_out.begin(), left_out.end());
        if (fault) result = injected(fault->code);
        crash_after(result);
        return result;
    }

    /// Commits the rest of the batch; decisions about the runs that are left out stay open, as in any store.
    [[nodiscard]] static Result<Conflicts> commit_without(Inner& inner, Batch batch, const Conflicts& left_out) {
        const auto is_left_out = [&](const std::string& run) {
            return std::find(left_out.begin(), left_out.end(), run) != left_out.end();
        };
        const auto decisions = inner.list();
        if (!decisions) return tl::unexpected<Error>(decisions.error());
        for (const DecisionRow& decision : *decisions)
            if (is_left_out(decision.run))
                detail::drop_if(batch.applied, [&](std::uint64_t number) { return number == decision.number; });
        detail::drop_if(batch.runs, [&](const RunBatch& changes) { return is_left_out(changes.row.id); });
        return inner.commit(batch);
    }

    template <class Answer>
    void crash_after(Result<Answer>& answer) {
        if (crashes_now() && shared_->crash_point == CrashPoint::before_answer) answer = injected(ErrorCode::lost);
    }

    [[nodiscard]] bool crashes_now() noexcept {
        if (shared_->commits_left == 0 || --shared_->commits_left > 0) return false;
        return shared_->dead = true;
    }

    std::shared_ptr<Shared> shared_;
};

}  // namespace heeler::inline HEELER_ABI
