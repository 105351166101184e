// What a cycle decides about a run: a copy, which takes the run's place once it is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <heeler/core/incident.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/run/fold.hpp>
#include <heeler/run/verdict.hpp>
#include <heeler/run/watched_run.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Of one run in one cycle. What is decided but not stored is dropped with it: the run knows nothing of it. All of it
/// is called under the run's lock.
class Decided {
public:
    /// Begins with what is known, and with what became of the alerts since the last cycle.
    explicit Decided(RunMemory& run)
        : shown_{run.shown},
          verdict_{run.verdict},
          incarnation_{run.run.incarnation},
          incarnation_outside_{incarnation_},
          life_{run.life()},
          life_outside_{life_},
          fates_{run.rare->fates->bytes()},
          basis_{run.rare->basis} {
        if (fates_ == 0) return;
        std::swap(run.verdict, verdict_);
        run.take_in(*run.rare->fates);
        std::swap(run.verdict, verdict_);
    }

    [[nodiscard]] const Verdict& verdict() const noexcept { return *verdict_; }
    /// The run is still what it was decided about.
    [[nodiscard]] bool is_about(const RunMemory& run) const noexcept { return basis_ == run.rare->basis; }

    /// The outcomes of its last rung are taken in.
    [[nodiscard]] List<Action> settle(RunMemory& run) {
        swap_rung(run);
        settles_ = true;
        return *rung_;
    }
    [[nodiscard]] bool settles() const noexcept { return settles_; }

    void add_actions(RunMemory& run, std::size_t count) noexcept {
        actions_ += count;
        run.rung_busy = true;
    }
    void add_alerts(RunMemory& run, std::size_t count) noexcept {
        alerts_ += count;
        run.alerts_pending += static_cast<std::uint32_t>(count);
    }
    [[nodiscard]] std::size_t actions() const noexcept { return actions_; }
    [[nodiscard]] std::size_t alerts() const noexcept { return alerts_; }

    /// It is stored: from now on the run is like this.
    void install(RunMemory& run, Instant now) {
        put_in(run);
        Folder{run, now}.begin_anew();
    }

private:
    friend class Deciding;

    void swap_rung(RunMemory& run) {
        if (rung_ || run.rare->rung) std::swap(run.rare.edit().rung, rung_);
    }

    void put_in(RunMemory& run) {
        std::swap(run.shown, shown_);
        std::swap(run.verdict, verdict_);
        // What a host reported meanwhile is newer, but for the end of a run that goes on.
        const Life outside = run.life();
        if (outside == life_outside_ || (is_terminal(life_.state) && !is_terminal(outside.state))) run.live(life_);
        life_outside_ = outside;
        const std::uint32_t incarnation = run.run.incarnation;
        if (incarnation == incarnation_outside_) run.run.incarnation = incarnation_;
        incarnation_outside_ = incarnation;
        if (settles_) swap_rung(run);
        if (actions_ > 0) run.rung_busy = true;
        run.alerts_pending += static_cast<std::uint32_t>(alerts_);
        if (fates_ == 0) return;
        OnDemand<Fates>& fates = run.rare.edit().fates;
        taken_in_ = fates.edit().take(fates_);
        if (fates->empty()) fates.reset();
    }

    void take_out(RunMemory& run) {
        std::swap(run.shown, shown_);
        std::swap(run.verdict, verdict_);
        life_ = run.life();
        run.live(life_outside_);
        incarnation_ = run.run.incarnation;
        run.run.incarnation = incarnation_outside_;
        if (settles_) swap_rung(run);
        if (actions_ > 0) run.rung_busy = false;
        run.alerts_pending -= static_cast<std::uint32_t>(alerts_);
        if (fates_ == 0) return;
        OnDemand<Fates>& fates = run.rare.edit().fates;
        taken_in_.add(*fates);
        fates.edit() = std::exchange(taken_in_, {});
    }

    Shown shown_;
    OnDemand<Verdict> verdict_;
    std::uint32_t incarnation_, incarnation_outside_;
    Life life_, life_outside_;
    OnDemand<List<Action>> rung_;  ///< the run's, while its outcomes count as taken in
    Fates taken_in_;               ///< likewise
    std::size_t fates_;            ///< bytes of the run's that are taken in: the first ones
    std::size_t actions_ = 0, alerts_ = 0;
    std::uint32_t basis_;
    bool settles_ = false;
};

/// For as long as it lives, the run is as it is decided to be: to go on deciding, or to be written. Under the run's
/// lock.
class Deciding {
public:
    explicit Deciding(RunMemory& run) noexcept : run_{run} {}
    Deciding(RunMemory& run, Decided& decided) : run_{run} { begin(decided); }
    Deciding(const Deciding&) = delete;
    Deciding& operator=(const Deciding&) = delete;
    ~Deciding() {
        if (decided_ != nullptr) decided_->take_out(run_);
    }

    void begin(Decided& decided) {
        if (decided_ == &decided) return;
        decided.put_in(run_);
        decided_ = &decided;
    }

private:
    RunMemory& run_;
    Decided* decided_ = nullptr;
};

}  // namespace heeler::inline HEELER_ABI::detail
