// Cycles of whole classes: when they are due, also while a class has no run, and what follows when one is over.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/effects/context_clearing.hpp>
#include <heeler/run/registry.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// `begin` and `end` from the thread that ticks, the others from any.
class WholeClasses {
public:
    WholeClasses(const Registry& registry, ContextClearing& context) : registry_{registry}, context_{context} {}

    /// Whether a cycle for this cause is one of a whole class.
    [[nodiscard]] bool due(TickCause cause, Instant now) const {
        if (is_of_some(cause) || !registry_.any_together()) return false;
        for (const auto& rules : registry_.classes())
            if (is_due(*rules, cause, now)) return true;
        return false;
    }

    void begin(TickCause cause, Instant now) {
        now_.clear();
        if (!registry_.any_together()) return;
        context_.begin();
        if (is_of_some(cause)) return;
        for (auto& rules : registry_.classes())
            if (is_due(*rules, cause, now)) now_.push_back(std::move(rules));
    }

    /// Whether the cycle that is going on is one of this class.
    [[nodiscard]] bool is_now(std::string_view class_name) const {
        return detail::any_of(now_, [&](const auto& rules) { return rules->rules.name == class_name; });
    }

    [[nodiscard]] bool is_any_now() const noexcept { return !now_.empty(); }

    /// All runs were looked at. `stored`: and what was found is durable.
    void end(bool stored, Instant now) {
        for (const auto& rules : now_) {
            {
                const std::lock_guard guard{lock_};
                next_[rules->rules.name] = rules->together_after(now.elapsed);
            }
            if (stored) context_.end(rules->rules, now);
        }
    }
    /// And everything else that belongs to the cycle was done: from here on the context may be cleared.
    void leave() { context_.leave(); }

    /// Whether what is done once a cycle is to be done now: in those of whole classes, if there are any.
    [[nodiscard]] bool is_round(TickCause cause) const noexcept {
        return !is_of_some(cause) && (!now_.empty() || !registry_.any_together());
    }

    [[nodiscard]] std::optional<Elapsed> next() const {
        std::optional<Elapsed> earliest;
        if (!registry_.any_together()) return earliest;
        for (const auto& rules : registry_.classes())
            if (rules->rules.schedule.together) {
                const Elapsed due = next_of(*rules);
                if (!earliest || due < *earliest) earliest = due;
            }
        return earliest;
    }

private:
    /// Such a cycle looks at single runs only.
    [[nodiscard]] static constexpr bool is_of_some(TickCause cause) noexcept {
        return cause == TickCause::outcome || cause == TickCause::changed;
    }
    [[nodiscard]] Elapsed next_of(const ReadyClass& rules) const {
        const std::lock_guard guard{lock_};
        const auto known = next_.find(rules.rules.name);
        if (known != next_.end()) return known->second;
        return rules.rules.schedule.immediate ? rules.defined : rules.together_after(rules.defined);
    }
    [[nodiscard]] bool is_due(const ReadyClass& rules, TickCause cause, Instant now) const {
        if (!rules.rules.schedule.together) return false;
        return cause != TickCause::period || now.elapsed >= next_of(rules);
    }

    const Registry& registry_;
    ContextClearing& context_;
    mutable std::mutex lock_;
    NameMap<Elapsed> next_;               ///< cycle of each class that had one
    List<Shared<const ReadyClass>> now_;  ///< whose cycle this is
};

}  // namespace heeler::inline HEELER_ABI::detail
