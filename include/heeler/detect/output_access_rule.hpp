// Judges a run whose output cannot be read: nobody can tell what it does, and no message will be seen to work.
#pragma once

#include <optional>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>

namespace heeler::inline HEELER_ABI {

/// Stalled at once while the host reports that the output is out of reach (the long-run skill): the run is judged when
/// that is reported, not only in its next cycle, unless its class has an aligned schedule.
struct OutputAccessRule {
    static constexpr std::string_view kind = "output_access";
    static constexpr EventMask listens = events<>;

    struct Settings {
        bool sources = false;  ///< a source that could not be read for an interval counts as well
    };
    struct Memory {};

    void learn(Memory&, const Settings&, const Observation&) const {}

    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings& settings, const Run& run, Instant) const {
        const bool lost = settings.sources && run.source_lost;
        if (run.output_readable && !lost) return std::nullopt;
        Finding finding{Condition::no_output_access,
                        Level::nudge,
                        kind,
                        {.rule = run.output_readable ? "source_not_readable" : "output_not_readable"}};
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }
};

}  // namespace heeler::inline HEELER_ABI
