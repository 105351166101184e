// Finds runs that have used up something that they need: a quota, a disk, the context window.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// The fullest resource of which a host tells (`Resource`): worth showing from one share of its limit on, exhausted
/// from another on (the long-run skill). The newest report of a name counts until the next one of that name; what an
/// agent had used says nothing about the fresh one that took its run up. While something is exhausted nobody calls the
/// run stalled: it stands still because it has nothing to go on with.
struct ResourceLimit {
    static constexpr std::string_view kind = "resource";
    static constexpr EventMask listens = events<Resource, Acted>;
    static constexpr std::size_t most_resources = 16;  ///< of more, those with the most left are forgotten

    struct Settings {
        double watch_at = 0.9;  ///< share of the limit, not above `act_at`
        double act_at = 1.0;
    };

    struct Used {
        std::uint64_t name = 0;  ///< fingerprint of the whole name
        std::uint64_t index = 0;
        std::int64_t used = 0;
        std::int64_t limit = 1;
        Subject subject{};  ///< the name, cut to fit

        [[nodiscard]] double share() const noexcept { return static_cast<double>(used) / static_cast<double>(limit); }
    };

    struct Memory {
        List<Used> resources;

        void archive(auto& a) { a(resources); }
    };

    static void by_name(Settings& settings, NamedSettings& named) {
        named.number("watch_at", settings.watch_at, 0.01, 10);
        named.number("act_at", settings.act_at, 0.01, 10);
    }
    [[nodiscard]] static Result<void> validate(const Settings& settings) {
        if (settings.watch_at <= settings.act_at) return {};
        return fail(ErrorCode::invalid_argument, "resource: watch_at is " + std::to_string(settings.watch_at) +
                                                     " and act_at " + std::to_string(settings.act_at) +
                                                     "; watch_at must not be above act_at");
    }

    void learn(Memory& memory, const Settings&, const Observation& seen) const {
        if (const auto* told = std::get_if<Resource>(&seen.event)) {
            place_of(memory.resources, seen.exact) = {seen.exact, seen.index, told->used, told->limit,
                                                      Subject{told->name}};
        } else if (const auto* acted = std::get_if<Acted>(&seen.event)) {
            const bool taken_up = acted->kind == ActionKind::spawn && acted->outcome == ActionOutcome::done;
            if (taken_up) memory.resources.clear();
        }
    }

    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run&,
                                               Instant) const {
        const Used* fullest = nullptr;
        for (const Used& each : memory.resources)
            if (fullest == nullptr || each.share() > fullest->share()) fullest = &each;
        if (fullest == nullptr || fullest->share() < settings.watch_at) return std::nullopt;
        const bool act = fullest->share() >= settings.act_at;
        Finding finding{Condition::exhausted, act ? Level::nudge : Level::watch, kind, {}};
        finding.evidence.rule = act ? "exhausted" : "nearly_exhausted";
        finding.evidence.add("used", static_cast<double>(fullest->used))
            .add("limit", static_cast<double>(fullest->limit))
            .add("threshold", act ? settings.act_at : settings.watch_at);
        finding.evidence.first = finding.evidence.last = fullest->index;
        finding.subject = fullest->subject;
        return finding;
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        const double used = finding.evidence.fact("used"), limit = finding.evidence.fact("limit", 1);
        return std::string{finding.level < Level::nudge ? "Nearly exhausted: " : "Exhausted: "} +
               detail::words::tool_of(finding) + ", " + detail::words::grouped(used) + " of " +
               detail::words::grouped(limit) + " used (" + detail::words::count(100 * used / limit) + " %)";
    }

private:
    /// Of this name, else a new one, else that which has the most left.
    static Used& place_of(List<Used>& resources, std::uint64_t name) {
        Used* emptiest = nullptr;
        for (Used& each : resources) {
            if (each.name == name) return each;
            if (emptiest == nullptr || each.share() < emptiest->share()) emptiest = &each;
        }
        return resources.size() < most_resources ? resources.emplace_back() : *emptiest;
    }
};

}  // namespace heeler::inline HEELER_ABI
