// A detector's verdict: which condition, how much it warrants, and the evidence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI {

/// What the host sees of a run.
enum class Status : std::uint8_t { healthy, stalled, runaway, loop_detected, timeout, recovered };

[[nodiscard]] constexpr Status last_value(Status) noexcept { return Status::recovered; }

[[nodiscard]] constexpr std::string_view name_of(Status status) noexcept {
    constexpr std::string_view names[] = {"HEALTHY", "STALLED", "RUNAWAY", "LOOP_DETECTED", "TIMEOUT", "RECOVERED"};
    return names[static_cast<std::size_t>(status)];
}

/// A kind of finding: what it is called, which it outranks, what the host sees of a run that has it, and whether it may
/// open an incident. The library's own are below; a detector of yours may have others (`Condition::custom`). A small
/// value that is stored as it is; two are the same if their keys are.
class Condition {
public:
    static constexpr std::size_t longest_key = 19;
    static constexpr std::uint8_t first_custom = 16, last_custom = 30;  ///< ids of hosts; new ones of ours from 32 on
    static constexpr std::uint8_t no_id = 255;                          ///< read from a store that another host wrote

    static const Condition timeout;
    static const Condition runaway;
    static const Condition no_output_access;  ///< a stall that no message can reach
    static const Condition loop_detected;
    static const Condition error_cascade;
    static const Condition stalled;
    static const Condition token_budget;   ///< consumed more than an absolute number
    static const Condition not_evaluable;  ///< a rule has nothing to judge by: said once, never unhealth
    static const Condition failed;         ///< it says that it failed, or its last output does
    static const Condition needs_input;    ///< it waits for a person; no unhealth
    static const Condition complete;       ///< it says that it is done; no unhealth
    static const Condition silent;         ///< a stall that people are told of, and that nothing is done about
    static const Condition exhausted;      ///< nothing is left of something that it needs
    static const Condition overdue;        ///< works for longer than was expected: only shown, no unhealth
    static const Condition unanswered;     ///< it waits for a person who was to be reminded; no unhealth
    static const Condition left_waiting;   ///< and for so long that somebody else is to come; no unhealth
    static const Condition unobservable;   ///< nothing of it can be read, so nothing is known of it; no unhealth
    static const Condition flapping;       ///< its incidents begin and end again and again; no unhealth of its own

    constexpr Condition() noexcept;  ///< stalled

    /// One of your own. `number` is 0 to 14 and names it among yours in one class; `key` is 1 to 19 capitals, digits
    /// and underscores; a lower `rank` outranks a higher one (the library's are 10 to 90).
    [[nodiscard]] static consteval Condition custom(std::uint8_t number, std::string_view key, std::uint8_t rank,
                                                    Status status, bool opens_incident = true);
    /// The library's condition with this key, or else one that only has a name.
    [[nodiscard]] static constexpr Condition named(std::string_view key) noexcept;

    [[nodiscard]] constexpr std::string_view key() const noexcept { return {key_.data(), size_}; }
    [[nodiscard]] constexpr std::uint8_t id() const noexcept { return id_; }
    [[nodiscard]] constexpr std::uint8_t rank() const noexcept { return rank_; }
    [[nodiscard]] constexpr Status status() const noexcept { return status_; }
    [[nodiscard]] constexpr bool opens_incident() const noexcept { return opens_; }

    friend constexpr bool operator==(const Condition& a, const Condition& b) noexcept { return a.key() == b.key(); }

    template <class A>
    void archive(A& a);

    /// Whether it can be the key of a condition.
    [[nodiscard]] static constexpr bool is_key(std::string_view key) noexcept {
        bool good = !key.empty() && key.size() <= longest_key;
        for (const char c : key) good = good && ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_');
        return good;
    }

private:
    constexpr Condition(std::uint8_t id, std::string_view key, std::uint8_t rank, Status status, bool opens) noexcept
        : size_{static_cast<std::uint8_t>(key.size() < longest_key ? key.size() : longest_key)},
          id_{id},
          rank_{rank},
          status_{status},
          opens_{opens} {
        for (std::size_t i = 0; i < size_; ++i) key_[i] = key[i];
    }

    std::array<char, longest_key> key_{};
    std::uint8_t size_ = 0;
    std::uint8_t id_ = no_id;
    std::uint8_t rank_ = 0;
    Status status_ = Status::healthy;
    bool opens_ = true;
};

inline constexpr Condition Condition::timeout{0, "TIMEOUT", 10, Status::timeout, true};
inline constexpr Condition Condition::runaway{1, "RUNAWAY", 20, Status::runaway, true};
inline constexpr Condition Condition::no_output_access{2, "NO_OUTPUT_ACCESS", 58, Status::stalled, true};
inline constexpr Condition Condition::loop_detected{3, "LOOP_DETECTED", 40, Status::loop_detected, true};
inline constexpr Condition Condition::error_cascade{4, "ERROR_CASCADE", 50, Status::healthy, true};
inline constexpr Condition Condition::stalled{5, "STALLED", 60, Status::stalled, true};
inline constexpr Condition Condition::token_budget{6, "TOKEN_BUDGET", 70, Status::healthy, true};
inline constexpr Condition Condition::not_evaluable{7, "NOT_EVALUABLE", 255, Status::healthy, false};

inline constexpr Condition Condition::failed{8, "FAILED", 55, Status::healthy, true};
inline constexpr Condition Condition::needs_input{9, "NEEDS_INPUT", 80, Status::healthy, false};
inline constexpr Condition Condition::complete{10, "COMPLETE", 90, Status::healthy, false};

inline constexpr Condition Condition::silent{14, "SILENT", 65, Status::stalled, false};
inline constexpr Condition Condition::exhausted{15, "RESOURCE_EXHAUSTED", 45, Status::healthy, true};
inline constexpr Condition Condition::overdue{31, "OVERDUE", 85, Status::healthy, false};

inline constexpr Condition Condition::unanswered{32, "UNANSWERED", 79, Status::healthy, false};
inline constexpr Condition Condition::left_waiting{33, "LEFT_WAITING", 78, Status::healthy, false};
inline constexpr Condition Condition::unobservable{34, "UNOBSERVABLE", 77, Status::healthy, false};
inline constexpr Condition Condition::flapping{35, "FLAPPING", 95, Status::healthy, false};

/// The library's own.
inline constexpr std::array<Condition, 18> library_conditions{
    Condition::timeout,       Condition::runaway,     Condition::no_output_access, Condition::loop_detected,
    Condition::error_cascade, Condition::stalled,     Condition::token_budget,     Condition::not_evaluable,
    Condition::failed,        Condition::needs_input, Condition::complete,         Condition::silent,
    Condition::exhausted,     Condition::overdue,     Condition::unanswered,       Condition::left_waiting,
    Condition::unobservable,  Condition::flapping};

constexpr Condition::Condition() noexcept : Condition{stalled} {}

namespace detail {
/// Not constexpr: a call in a constant expression is the compile error.
inline void a_custom_condition_needs_a_number_below_15_and_a_key_of_1_to_19_capitals_digits_or_underscores() {}
}  // namespace detail

consteval Condition Condition::custom(std::uint8_t number, std::string_view key, std::uint8_t rank, Status status,
                                      bool opens_incident) {
    const bool good = number <= last_custom - first_custom && is_key(key);
    if (!good) detail::a_custom_condition_needs_a_number_below_15_and_a_key_of_1_to_19_capitals_digits_or_underscores();
    return Condition{static_cast<std::uint8_t>(first_custom + number), key, rank, status, opens_incident};
}

constexpr Condition Condition::named(std::string_view key) noexcept {
    for (const Condition& each : library_conditions)
        if (each.key() == key) return each;
    return Condition{no_id, key, 200, Status::healthy, true};
}

/// The library's are an id; what a host's own has is saved with it.
template <class A>
void Condition::archive(A& a) {
    a(id_);
    for (const Condition& each : library_conditions)
        if (each.id_ == id_) return static_cast<void>(*this = each);
    a(key_, size_, rank_, status_, opens_);
    if (a.is_loading()) {
        if (id_ >= first_custom && size_ <= longest_key && is_key(this->key())) return;
        *this = Condition{};
        a.refuse();
    }
}

/// What people read. A run whose output cannot be read, or that is silent, is a stalled one to them, and one that waits
/// for a person needs input, for however long.
[[nodiscard]] constexpr std::string_view name_of(const Condition& condition) noexcept {
    if (condition == Condition::no_output_access || condition == Condition::silent) return Condition::stalled.key();
    const bool waits = condition == Condition::unanswered || condition == Condition::left_waiting;
    return waits ? Condition::needs_input.key() : condition.key();
}

[[nodiscard]] constexpr bool outranks(const Condition& one, const Condition& other) noexcept {
    return one.rank() < other.rank();
}

/// A set of conditions, a bit each.
using ConditionBits = std::uint64_t;

/// Those without an id are in no set.
[[nodiscard]] constexpr ConditionBits bit_of(const Condition& condition) noexcept {
    return condition.id() < 64 ? ConditionBits{1} << condition.id() : 0;
}

/// Of what is found of a run: nothing can be judged about it, but by limits that were set absolutely.
[[nodiscard]] constexpr bool is_unobservable(ConditionBits found) noexcept {
    return (found & (bit_of(Condition::unobservable) | bit_of(Condition::no_output_access))) != 0;
}

namespace detail {

/// Each of the library's conditions has a bit that no other one has, of hosts' neither.
[[nodiscard]] constexpr bool bits_are_apart() noexcept {
    ConditionBits taken = 0;
    for (unsigned id = Condition::first_custom; id <= Condition::last_custom; ++id) taken |= ConditionBits{1} << id;
    for (const Condition& each : library_conditions) {
        if (bit_of(each) == 0 || (taken & bit_of(each)) != 0) return false;
        taken |= bit_of(each);
    }
    return true;
}
static_assert(bits_are_apart());

}  // namespace detail

/// What the evidence warrants by itself, whatever the ladder then does. A scale: more is greater.
enum class Level : std::uint8_t {
    none,
    watch,  ///< worth showing
    nudge,  ///< worth interrupting the run
    stop,   ///< worth stopping it
};

static_assert(Level::none < Level::watch && Level::watch < Level::nudge && Level::nudge < Level::stop);

[[nodiscard]] constexpr Level last_value(Level) noexcept { return Level::stop; }

[[nodiscard]] constexpr std::string_view name_of(Level level) noexcept {
    constexpr std::string_view names[] = {"none", "watch", "nudge", "stop"};
    return names[static_cast<std::size_t>(level)];
}

/// A scale: worse is greater.
enum class Severity : std::uint8_t { none, warning, critical };
static_assert(Severity::none < Severity::warning && Severity::warning < Severity::critical);

[[nodiscard]] constexpr Severity last_value(Severity) noexcept { return Severity::critical; }

[[nodiscard]] constexpr std::string_view name_of(Severity severity) noexcept {
    constexpr std::string_view names[] = {"none", "warning", "critical"};
    return names[static_cast<std::size_t>(severity)];
}

/// One number of the evidence. Names are literals of the detector.
struct Fact {
    std::string_view name{};
    double value = 0;
};

/// Why a detector says so: the rule, its numbers and thresholds, and where. Holds no text of the agent.
struct Evidence {
    static constexpr std::size_t max_facts = 8;

    std::string_view rule{};
    std::array<Fact, max_facts> facts{};
    std::size_t count = 0;
    std::uint64_t first = 0;  ///< observation index of the first event
    std::uint64_t last = 0;   ///< observation index of the last event

    constexpr Evidence& add(std::string_view name, double value) noexcept {
        if (count < max_facts) facts[count++] = {name, value};
        return *this;
    }
    /// The fact of this name; `otherwise` if there is none.
    [[nodiscard]] constexpr double fact(std::string_view name, double otherwise = 0) const noexcept {
        for (std::size_t i = 0; i < count; ++i)
            if (facts[i].name == name) return facts[i].value;
        return otherwise;
    }
};

/// What a finding is about, in the agent's words (the name of a tool), cut to fit. Hostile text: sanitise it on the way
/// out. Never allocates.
class Subject {
public:
    static constexpr std::size_t capacity = 47;

    constexpr Subject() = default;
    explicit constexpr Subject(std::string_view text) noexcept {
        std::size_t size = text.size() < capacity ? text.size() : capacity;
        // A character that would be cut in the middle is left out.
        if (size < text.size())
            while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0u) == 0x80u) --size;
        for (std::size_t i = 0; i < size; ++i) bytes_[i] = text[i];
        size_ = static_cast<std::uint8_t>(size);
    }
    /// Not longer than it can be, whatever a store says.
    [[nodiscard]] constexpr std::string_view view() const noexcept {
        return std::string_view{bytes_.data(), capacity}.substr(0, size_);
    }

private:
    std::array<char, capacity> bytes_{};
    std::uint8_t size_ = 0;
};

/// One detector's verdict about one run at one moment. `kind` must outlive it: use a literal.
struct Finding {
    Condition condition = Condition::stalled;
    Level level = Level::nudge;
    std::string_view kind{};  ///< the detector's name
    Evidence evidence{};
    Subject subject{};           ///< empty: there is nothing to name
    std::uint64_t identity = 0;  ///< what repeats, the same in every run; an operator can mute it. 0: none

    /// By the plain age it would be a stall, but the watchdog was away (`Run::unseen_for`): nothing is said or done
    /// about it, and that nothing is found does not end what was found before.
    [[nodiscard]] static Finding put_off(std::string_view kind) noexcept {
        return {Condition::not_evaluable, Level::watch, kind, {.rule = "watchdog_was_away"}};
    }
    [[nodiscard]] bool is_put_off() const noexcept {
        return condition == Condition::not_evaluable && level == Level::watch;
    }

    /// A stall that it had found is over, though nothing else shows that yet: what was lost is there again.
    static Finding over(std::string_view kind) noexcept { return {Condition::not_evaluable, Level::nudge, kind}; }
    bool is_over() const noexcept { return condition == Condition::not_evaluable && level == Level::nudge; }
};

}  // namespace heeler::inline HEELER_ABI
