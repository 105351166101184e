// Judges a run whose output cannot be read: nobody can tell what it does, and no message will be seen to work.
#pragma once

#include <optional>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>

namespace heeler::inline HEELER_ABI {

/// Stalled at once while the host reports that the output is out of reach (S001).
struct OutputAccessRule {
    static constexpr std::string_view kind = "output_access";
    static constexpr EventMask listens = events<>;

    struct Settings {};
    struct Memory {};

    void learn(Memory&, const Settings&, const Observation&) const {}

    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run& run, Instant) const {
        if (run.output_readable) return std::nullopt;
        Finding finding{Condition::no_output_access, Level::nudge, kind, {.rule = "output_not_readable"}};
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }
};

}  // namespace heeler::inline HEELER_ABI
