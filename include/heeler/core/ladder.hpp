// What a ladder is: a pure function from an incident, what a cycle found and time to what is done next. And the holder
// that takes one of any type.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <heeler/core/action.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/incident.hpp>
#include <heeler/core/kept.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// One entry of a rung's plan.
struct Step {
    ActionKind action = ActionKind::nudge;
    std::optional<ActionKind> needs{};  ///< carried out only if this earlier entry is done
    std::optional<Condition> about{};   ///< of a `steer`: the finding that it is about
};

using Plan = List<Step>;

/// When the run was last steered about a condition.
struct SentSteer {
    Condition condition = Condition::loop_detected;
    WallTime at{};

    void archive(auto& a) { a(condition, at); }
};

/// What one cycle found out about a run, as a ladder sees it.
struct Judgement {
    std::optional<Condition> worst{};  ///< of the findings that warrant acting; absent: none does
    bool explicit_limit = false;       ///< a configured limit was exceeded
    bool certain = false;              ///< it is found for certain (`Level::stop`), and the host has a verb to pause it
    bool progressed = false;           ///< since the last rung, and as progress must be for what the incident is about
    bool enough_new = false;           ///< so many new items without a finding that the condition is gone
    bool same_loop = false;            ///< what is found is the loop that was found last
    bool no_output_gone = false;       ///< the output can be read again, or what was exhausted or lost is there again
    bool active = false;               ///< activity since the last rung
    bool acknowledged = false;         ///< somebody is on the incident
    std::uint32_t continuations = 0;   ///< that were started in the run's life, or may have been
    ConditionBits conditions = 0;      ///< of the findings that warrant acting, a bit each
    Severity severity = Severity::none;
    std::optional<Duration> well_for{};        ///< from the end of the last incident to the last progress; absent: none
    std::optional<Duration> silence{};         ///< no activity for so long; absent: not silent
    const List<SentSteer>* steered = nullptr;  ///< what was sent to the run and when; absent: nothing
    WallTime wall{};                           ///< now
};

/// What is done next. `plan` empty: nothing.
struct Decision {
    explicit Decision(const Incident& before) : incident{before}, condition{before.condition} {}

    Incident incident;
    Plan plan;
    Condition condition;                           ///< what the rung is about
    std::optional<InterventionOutcome> last;       ///< verdict on the rung before: recovered or persisted
    std::optional<InterventionOutcome> corrected;  ///< what the rung that was just carried out came to
    std::optional<Duration> retry_after;           ///< a retry was planned in this step
    bool tells = false;                            ///< people learn of an open incident even if nothing is done
    bool is_final = false;                         ///< the last rung
    bool run_ended = false;                        ///< the run is over: terminated, given up, or found over
    std::string_view reason;                       ///< why, for the record; a literal

    [[nodiscard]] bool acts() const noexcept { return !plan.empty(); }
};

/// What a ladder is asked with in each cycle.
struct LadderTurn {
    const Incident& incident;
    const Judgement& seen;
    Duration now;           ///< on the run's working clock, which a wait stops
    Elapsed elapsed;        ///< is not stopped by a wait
    Duration verify_after;  ///< on the working clock: how long a rung takes to show whether it helped
};

/// What a ladder is told when a rung was carried out. The times are those of a turn.
struct LadderOutcomes {
    const Incident& incident;
    const List<Action>& actions;  ///< of the rung, with what came of each
    Duration now;
    Elapsed elapsed;
    Duration verify_after;
};

template <class T>
concept CanClimb = requires(const T& ladder, const LadderTurn& turn) {
    { ladder.climb(turn) } -> std::same_as<Decision>;
};

template <class T>
concept CanAbsorb = requires(const T& ladder, const LadderOutcomes& outcomes) {
    { ladder.absorb(outcomes) } -> std::same_as<Decision>;
};

/// `climb(turn)` is asked in each cycle what is done next; `absorb(outcomes)` what the outcomes of a rung change. Both
/// are pure. Optional, each looked up by name:
///
/// | member | what |
/// |---|---|
/// | `validate() -> Result<void>` | asked by `define`; an error refuses the class |
/// | `held_back(incident, decision) -> Decision` | what is left of a step that must not act now; without it: all of it |
/// | `over_budget(incident, decision) -> Decision` | likewise, with the budget for deeds used up: people are told |
/// | `describe() -> string` | its lines in `describe()`, a heading indented by two blanks and entries by four |
/// | `outlook() -> string` | what ends the watch, for alerts; for a ladder that verifies nothing |
/// | `attempts() -> number` | how many a run gets, for the texts that it is sent; without it 2 |
/// | `asks_for(ActionKind) -> bool` | whether a rung of it holds the action: what the agent control lacks is said |
template <class T>
concept LadderLike = std::copyable<T> && CanClimb<T> && CanAbsorb<T>;

template <class T>
consteval bool check_ladder() {
    static_assert(std::copyable<T>, "heeler: a Ladder must be copyable (README: Write a ladder)");
    static_assert(CanClimb<T>,
                  "heeler: a Ladder needs `heeler::Decision climb(const heeler::LadderTurn&) const` (README: Write a "
                  "ladder)");
    static_assert(
        CanAbsorb<T>,
        "heeler: a Ladder needs `heeler::Decision absorb(const heeler::LadderOutcomes&) const` (README: Write "
        "a ladder)");
    return true;
}

namespace detail {

/// A ladder of any type, as the engine calls it. Null: it has no such member.
struct LadderOps {
    Decision (*climb)(const void* ladder, const LadderTurn& turn);
    Decision (*absorb)(const void* ladder, const LadderOutcomes& outcomes);
    Result<void> (*validate)(const void* ladder);
    Decision (*held_back)(const void* ladder, const Incident& incident, Decision decision);
    Decision (*over_budget)(const void* ladder, const Incident& incident, Decision decision);
    std::string (*describe)(const void* ladder);
    std::string (*outlook)(const void* ladder);
    std::uint32_t (*attempts)(const void* ladder);
    bool (*asks_for)(const void* ladder, ActionKind kind);
};

// One of another signature is an error where it is called; one that is overloaded or a template has no address, and is
// asked for by a call.
// clang-format off
template <class L> concept HasLadderValidate = sizeof(&L::validate) > 0 || requires(const L& l) { l.validate(); };
template <class L>
concept HasHeldBack = sizeof(&L::held_back) > 0 || requires(const L& l, Decision d) { l.held_back(d.incident, d); };
template <class L>
concept HasOverBudget = sizeof(&L::over_budget) > 0 ||
    requires(const L& l, Decision d) { l.over_budget(d.incident, d); };
template <class L> concept HasDescribe = sizeof(&L::describe) > 0 || requires(const L& l) { l.describe(); };
template <class L> concept HasOutlook = sizeof(&L::outlook) > 0 || requires(const L& l) { l.outlook(); };
template <class L> concept HasAttempts = sizeof(&L::attempts) > 0 || requires(const L& l) { l.attempts(); };
template <class L> concept HasAsksFor = sizeof(&L::asks_for) > 0 || requires(const L& l) { l.asks_for(ActionKind{}); };
// clang-format on

/// The functions of the table for one type.
template <class L>
struct LadderCalls {
    static const L& in(const void* ladder) { return *static_cast<const L*>(ladder); }

    static Decision climb(const void* ladder, const LadderTurn& turn) { return in(ladder).climb(turn); }
    static Decision absorb(const void* ladder, const LadderOutcomes& outcomes) { return in(ladder).absorb(outcomes); }
    static Result<void> validate(const void* ladder) { return in(ladder).validate(); }
    static Decision held_back(const void* ladder, const Incident& incident, Decision decision) {
        return in(ladder).held_back(incident, std::move(decision));
    }
    static Decision over_budget(const void* ladder, const Incident& incident, Decision decision) {
        return in(ladder).over_budget(incident, std::move(decision));
    }
    static std::string describe(const void* ladder) { return in(ladder).describe(); }
    static std::string outlook(const void* ladder) { return in(ladder).outlook(); }
    static std::uint32_t attempts(const void* ladder) { return in(ladder).attempts(); }

    static bool asks_for(const void* ladder, ActionKind kind) { return in(ladder).asks_for(kind); }

    static constexpr LadderOps table() noexcept {
        LadderOps ops{};
        ops.climb = &climb;
        ops.absorb = &absorb;
        if constexpr (HasLadderValidate<L>) ops.validate = &validate;
        if constexpr (HasHeldBack<L>) ops.held_back = &held_back;
        if constexpr (HasOverBudget<L>) ops.over_budget = &over_budget;
        if constexpr (HasDescribe<L>) ops.describe = &describe;
        if constexpr (HasOutlook<L>) ops.outlook = &outlook;
        if constexpr (HasAttempts<L>) ops.attempts = &attempts;
        if constexpr (HasAsksFor<L>) ops.asks_for = &asks_for;
        return ops;
    }
};

template <class L>
inline constexpr LadderOps ladder_ops = LadderCalls<L>::table();

}  // namespace detail

/// The ladder of a class of runs: a value of any type that is one. `rules.ladder = RecoveryLadder{...}`; what was put
/// in is had again with `as`.
class Ladder {
public:
    Ladder() = default;

    template <class L>
    requires(!std::same_as<std::remove_cvref_t<L>, Ladder>) Ladder(L&& ladder) {  // NOLINT: a ladder goes in as it is
        using Given = std::remove_cvref_t<L>;
        static_assert(check_ladder<Given>());
        if constexpr (LadderLike<Given>) {
            value_ = detail::Kept{Given(std::forward<L>(ladder))};
            ops_ = &detail::ladder_ops<Given>;
        }
    }

    [[nodiscard]] bool present() const noexcept { return ops_ != nullptr; }

    /// Null if the ladder is of another type.
    template <class L>
    [[nodiscard]] L* as() noexcept {
        return value_.as<L>();
    }
    template <class L>
    [[nodiscard]] const L* as() const noexcept {
        return value_.as<L>();
    }

    // --- what the engine asks, where one is present -------------------------------------------------------------
    [[nodiscard]] Decision climb(const LadderTurn& turn) const { return ops_->climb(value_.get(), turn); }
    [[nodiscard]] Decision absorb(const LadderOutcomes& outcomes) const { return ops_->absorb(value_.get(), outcomes); }
    [[nodiscard]] Result<void> validate() const {
        if (ops_->validate == nullptr) return {};
        return ops_->validate(value_.get());
    }
    [[nodiscard]] Decision held_back(const Incident& incident, Decision decision) const {
        return ops_->held_back != nullptr ? ops_->held_back(value_.get(), incident, std::move(decision))
                                          : Decision{incident};
    }
    [[nodiscard]] Decision over_budget(const Incident& incident, Decision decision) const {
        return ops_->over_budget != nullptr ? ops_->over_budget(value_.get(), incident, std::move(decision))
                                            : held_back(incident, std::move(decision));
    }
    [[nodiscard]] std::string describe() const {
        return ops_->describe != nullptr ? ops_->describe(value_.get()) : "  ladder: the host's own\n";
    }
    /// Absent: the ladder verifies what it does.
    [[nodiscard]] std::optional<std::string> outlook() const {
        if (ops_->outlook == nullptr) return std::nullopt;
        return ops_->outlook(value_.get());
    }
    /// It looks whether what was done has helped, so that only what comes after it may count.
    [[nodiscard]] bool verifies() const noexcept { return ops_->outlook == nullptr; }
    [[nodiscard]] std::uint32_t attempts() const {
        return ops_->attempts != nullptr ? ops_->attempts(value_.get()) : 2;
    }
    /// False where it does not say.
    [[nodiscard]] bool asks_for(ActionKind kind) const {
        return ops_ != nullptr && ops_->asks_for != nullptr && ops_->asks_for(value_.get(), kind);
    }

private:
    detail::Kept value_{};
    const detail::LadderOps* ops_ = nullptr;
};

}  // namespace heeler::inline HEELER_ABI
