// Observations and runs as values, for tests of policies without an engine.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include <heeler/core/finding.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>

namespace facts {

using namespace std::chrono_literals;

/// A run that was registered at the beginning of its working clock and has worked for `age`.
struct At {
    heeler::Run run{};
    heeler::Instant now{};

    explicit At(heeler::Duration age) {
        run.id = "r";
        run.interval = 60s;
        run.origin = heeler::Elapsed{500s};
        run.started = heeler::Duration{};
        run.metric = heeler::MetricKind::reported;
        now.elapsed = run.origin + age;
    }
};

/// One end of an interval, with the metric at `value` after a change of `delta`.
[[nodiscard]] inline heeler::IntervalSample sample(std::optional<std::int64_t> value, std::int64_t delta,
                                                   std::int64_t tokens = 0) {
    heeler::IntervalSample made;
    made.value = value;
    made.delta = delta;
    made.tokens = tokens;
    return made;
}

/// A detector together with what it remembers.
template <class Detector>
struct Taught {
    typename Detector::Settings settings{};
    typename Detector::Memory memory{};

    template <class Event>
    Taught& learn(const Event& event) {
        heeler::Observation seen;
        seen.event = event;
        Detector{}.learn(memory, settings, seen);
        return *this;
    }
    [[nodiscard]] std::optional<heeler::Finding> check(const At& at) const {
        return Detector{}.check(memory, settings, at.run, at.now);
    }
};

}  // namespace facts
