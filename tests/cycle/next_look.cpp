#include <heeler/cycle/next_look.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::House;

namespace {

/// Speaks up after so long, or at a moment while the run waits.
struct SpeaksUp {
    static constexpr std::string_view kind = "speaks_up";
    struct Settings {
        std::optional<Duration> due{};
        std::optional<Elapsed> waiting{};
    };
    struct Memory {};
    void learn(Memory&, const Settings&, const Observation&) const {}
    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run&, Instant) const {
        return std::nullopt;
    }
    [[nodiscard]] std::optional<Duration> due(const Memory&, const Settings& set, const Run&, Duration) const {
        return set.due;
    }
    [[nodiscard]] std::optional<Elapsed> due_waiting(const Memory&, const Settings& set, const Run&, Elapsed) const {
        return set.waiting;
    }
};

struct Looked : House {
    detail::WatchedRun* of = nullptr;

    explicit Looked(SpeaksUp::Settings set = {}, Duration period = 1s) {
        RunClass rules = rooms::bare_class();
        rules.schedule.period = period;
        rules.detectors.turn_on<SpeaksUp>(set);
        of = &at(run(rules));
    }
    /// Seconds from the registration.
    [[nodiscard]] std::optional<Duration> next() {
        const auto when = detail::next_look(*of, now(), settings);
        if (!when) return std::nullopt;
        return *when - bench::start.elapsed;
    }
};

}  // namespace

TEST_CASE("of two moments the earlier counts, and an absent one never", "[cycle]") {
    CHECK(detail::earlier(Elapsed{2s}, Elapsed{1s}) == Elapsed{1s});
    CHECK(detail::earlier(std::nullopt, Elapsed{1s}) == Elapsed{1s});
    CHECK(detail::earlier(Elapsed{2s}, std::nullopt) == Elapsed{2s});
    CHECK_FALSE(detail::earlier(std::nullopt, std::nullopt));
    CHECK(detail::elapsed_at(bench::start, std::optional{bench::start.wall + 3s}) == bench::start.elapsed + 3s);
    CHECK(detail::elapsed_at(bench::start, std::optional{bench::start.wall - 3s}) == bench::start.elapsed);
}

TEST_CASE("a quiet run is looked at when its interval ends or a detector asks for it, never before its cycle",
          "[cycle]") {
    CHECK(Looked{}.next() == 60s);
    CHECK(Looked{{.due = 25s}}.next() == 25s);
    CHECK(Looked{{.due = 25s}, 40s}.next() == 40s);
    Looked unhealthy;
    unhealthy.of->shown.status = Status::stalled;
    CHECK(unhealthy.next() == 1s);
}

TEST_CASE("what was reported is written within the flush", "[cycle]") {
    Looked looked;
    looked.settings.flush_every = 7s;
    looked.of->next_cycle = bench::start.elapsed + 30s;
    looked.of->dirty = true;
    CHECK(looked.next() == 7s);
}

TEST_CASE("a run that waits is looked at when its wait ends or a detector asks for it, else not at all", "[cycle]") {
    Looked looked{{.waiting = bench::start.elapsed + 90s}};
    looked.of->run.waiting_since = bench::start.elapsed;
    CHECK(looked.next() == 90s);
    looked.of->rare.edit().waits_until = bench::start.elapsed + 45s;
    CHECK(looked.next() == 45s);
    Looked silent;
    silent.of->run.waiting_since = bench::start.elapsed;
    CHECK_FALSE(silent.next());
}

TEST_CASE("verdicts that are held, pauses and repeated alerts have moments of their own", "[cycle]") {
    Looked looked;
    looked.of->rare.edit().held_until = bench::start.elapsed + 12s;
    CHECK(looked.next() == 12s);
    looked.of->verdict.edit().incident.hold_until = bench::start.elapsed + 9s;
    CHECK(looked.next() == 9s);
    looked.of->source.edit() = {};
    CHECK(looked.next() == 9s);
    looked.of->source.edit().in_group = true;
    CHECK(looked.next() == 1s);  // a source is read each cycle
}

TEST_CASE("a run that is not watched is never looked at, one that ended soon", "[cycle]") {
    Looked looked;
    looked.of->skip = detail::Skip::too_short;
    CHECK_FALSE(looked.next());
    looked.of->run.state = RunState::completed;
    CHECK(looked.next() == looked.settings.flush_every);
}

TEST_CASE("a silence that was told makes nobody look at a run that waits [M-045]", "[cycle]") {
    Looked looked;
    looked.of->run.waiting_since = bench::start.elapsed;
    looked.of->shown.findings = bit_of(Condition::silent);
    CHECK_FALSE(looked.next());
}

TEST_CASE("a run whose alert was kept back is looked at in each cycle: what kept it back may be over", "[cycle]") {
    Looked run;
    CHECK(run.next() > 1s);
    detail::Verdict& verdict = run.of->verdict.edit();
    verdict.incident.phase = Phase::climbing;
    verdict.incident.verify_at = 1h;
    CHECK(run.next() > 1s);
    verdict.told.begin = detail::Beginning::inhibited;
    CHECK(run.next() == 1s);
    verdict.incident.phase = Phase::closed;
    CHECK(run.next() > 1s);
}
