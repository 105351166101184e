// A detector's verdict: which condition, how much it warrants, and the evidence.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heeler::inline v0 {

/// What the host sees of a run.
enum class Status : std::uint8_t { healthy, stalled, runaway, loop_detected, timeout, recovered };

[[nodiscard]] constexpr std::string_view name_of(Status status) noexcept {
    constexpr std::string_view names[] = {"HEALTHY", "STALLED", "RUNAWAY", "LOOP_DETECTED", "TIMEOUT", "RECOVERED"};
    return names[static_cast<std::size_t>(status)];
}

/// The kinds of finding, worst first: a lower value outranks a higher one.
enum class Condition : std::uint8_t {
    timeout,
    runaway,
    no_output_access,  ///< a stall that no message can reach
    loop_detected,
    error_cascade,
    stalled,
    token_budget,   ///< consumed more than an absolute number
    not_evaluable,  ///< a rule has nothing to judge by: said once, never unhealth
};

[[nodiscard]] constexpr std::string_view name_of(Condition condition) noexcept {
    constexpr std::string_view names[] = {"TIMEOUT",       "RUNAWAY", "STALLED",      "LOOP_DETECTED",
                                          "ERROR_CASCADE", "STALLED", "TOKEN_BUDGET", "NOT_EVALUABLE"};
    return names[static_cast<std::size_t>(condition)];
}

[[nodiscard]] constexpr Status status_of(Condition condition) noexcept {
    switch (condition) {
        case Condition::timeout:
            return Status::timeout;
        case Condition::runaway:
            return Status::runaway;
        case Condition::loop_detected:
            return Status::loop_detected;
        case Condition::no_output_access:
        case Condition::stalled:
            return Status::stalled;
        case Condition::error_cascade:
        case Condition::token_budget:
        case Condition::not_evaluable:
            break;
    }
    return Status::healthy;
}

/// What the evidence warrants by itself, whatever the ladder then does.
enum class Level : std::uint8_t {
    none,
    watch,  ///< worth showing
    nudge,  ///< worth interrupting the run
    stop,   ///< worth stopping it
};

[[nodiscard]] constexpr std::string_view name_of(Level level) noexcept {
    constexpr std::string_view names[] = {"none", "watch", "nudge", "stop"};
    return names[static_cast<std::size_t>(level)];
}

enum class Severity : std::uint8_t { none, warning, critical };

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
    [[nodiscard]] constexpr std::string_view view() const noexcept { return {bytes_.data(), size_}; }

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
};

}  // namespace heeler::inline v0
