// Where the families of the loop detector stand, from what is remembered of a run alone: for a run that is over, or
// whose events nobody has any more.
#pragma once

#include <cstdint>
#include <string_view>

#include <heeler/core/explanation.hpp>
#include <heeler/detect/loop/explain.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// After the newest event. How much a family needs can depend on what came of the newest call, which is not remembered:
/// then `needed` is the least that it can be.
class Standing {
public:
    Standing(const Memory& memory, const Settings& settings) : memory_{memory}, settings_{settings} {}

    [[nodiscard]] Explanation operator()() {
        // An event that changes nothing, so that the rest is said in one place.
        Observation nothing;
        nothing.event = Usage{};
        nothing.index = memory_.calls->ledger.common.index;
        out_ = Explaining{memory_, settings_, nothing}();
        out_.saw = {};
        add_calls(memory_.calls->counts);
        add_rest();
        return out_;
    }

private:
    void add(std::string_view name, std::string_view counts, bool on, std::uint32_t count, std::uint32_t needed,
             std::uint32_t first, std::uint32_t period = 1) noexcept {
        Hit hit;
        hit.judge(count, needed, 0);
        Reason row;
        row.rule = name;
        row.counts = counts;
        row.level = hit.level;
        row.count = row.before = count;
        row.needed = on ? needed : 0;
        row.first = first;
        row.period = period;
        if (!on) row.because = "it is switched off";
        out_.add(row);
    }

    template <class Records>
    [[nodiscard]] static const auto& newest(const Records& records) noexcept {
        const auto* last = &records[0];
        for (const auto& each : records)
            if (each.used > last->used) last = &each;
        return *last;
    }

    void add_calls(const Counts& counts) noexcept {
        const Settings& s = settings_;
        const Hit block = best_of(counts.cycle, 2, s.cycle.rounds, s.cycle.stop, 3);
        add(Cycle::name, Reasons<Cycle>::counts, s.cycle.on, block.count, s.cycle.rounds, block.first, block.period);
        const Repeat::Record& call = newest(counts.repeat.records);
        const bool in_a_row = s.repeat.adjacent - call.adjacent <= s.repeat.between - call.between;
        add(Repeat::name, Reasons<Repeat>::counts, s.repeat.on, in_a_row ? call.adjacent : call.between,
            in_a_row ? s.repeat.adjacent : s.repeat.between, call.first);
        add(Rewrite::name, Reasons<Rewrite>::counts, s.write.on, counts.rewrite.rounds, s.write.rounds,
            counts.rewrite.first);
        const Near::Record& near = newest(counts.near.records);
        add(Near::name, Reasons<Near>::counts, s.near.on, near.varied != 0 ? near.rounds : 0, s.near.failure,
            near.first);
        const Similar::Record& similar = newest(memory_.similar->records);
        add(Similar::name, Reasons<Similar>::counts, s.similar.on, similar.rounds, s.similar.failure, similar.first);
        const SameError::Record& error = newest(memory_.errors->records);
        add(SameError::name, Reasons<SameError>::counts, s.errclass.on, error.weight / SameError::one,
            error.tool_count > 1 ? s.errclass.several_tools : s.errclass.one_tool, error.first);
        add(NoOp::name, Reasons<NoOp>::counts, s.nop.on, counts.no_op.rounds, s.nop.rounds, counts.no_op.first);
        const Coverage::Resource& read = newest(memory_.coverage->resources);
        add(Coverage::name, Reasons<Coverage>::counts, s.coverage.on, read.reads, s.coverage.reads, read.first);
        const Oscillation::File& file = newest(memory_.oscillation->files);
        add(Oscillation::name, Reasons<Oscillation>::counts, s.oscillation.on, file.back, s.oscillation.times,
            file.first);
        add(Fruitless::name, Reasons<Fruitless>::counts, s.fruitless.on, counts.fruitless.halves / 2u,
            s.fruitless.rounds, counts.fruitless.first);
    }

    void add_rest() noexcept {
        const Settings& s = settings_;
        const Counts& counts = memory_.calls->counts;
        add(Infra::name, Reasons<Infra>::counts, s.infra.on, counts.infra.tries, s.infra.many, counts.infra.first);
        const FrozenPoll::Record& poll = newest(memory_.polls->records);
        add(FrozenPoll::name, Reasons<FrozenPoll>::counts, s.frozen_poll.on, poll.polls, s.frozen_poll.polls,
            poll.first);
        if (memory_.call_only) {
            const Hit calls = best_of(*memory_.call_only, 1, s.call_only.repeats, 2 * s.call_only.repeats, 2);
            add(CallOnly::name, counts_of(Family::call_only), s.call_only.on, calls.count, s.call_only.repeats,
                calls.first, calls.period);
        }
        add(Compacted::name, counts_of(Family::compaction), s.compaction.on, counts.compacted.times, s.compaction.times,
            counts.compacted.first);
        const Monologue::Part& said = *memory_.monologue;
        const bool answered = said.results != memory_.calls->ledger.common.results;
        add(Monologue::name, counts_of(Family::monologue), s.monologue.on, answered ? 0 : said.equal, s.monologue.equal,
            said.first);
    }

    const Memory& memory_;
    const Settings& settings_;
    Explanation out_{};
};

[[nodiscard]] inline Explanation standing(const Memory& memory, const Settings& settings) {
    return Standing{memory, settings}();
}

}  // namespace heeler::inline HEELER_ABI::loops
