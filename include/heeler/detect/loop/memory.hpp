// What the loop detector remembers of one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <heeler/core/finding.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/core/seen_results.hpp>
#include <heeler/detect/loop/alike.hpp>
#include <heeler/detect/loop/chant.hpp>
#include <heeler/detect/loop/cycle.hpp>
#include <heeler/detect/loop/failures.hpp>
#include <heeler/detect/loop/files.hpp>
#include <heeler/detect/loop/learned.hpp>
#include <heeler/detect/loop/monologue.hpp>
#include <heeler/detect/loop/progress.hpp>
#include <heeler/detect/loop/repeat.hpp>
#include <heeler/detect/loop/sentences.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// The newest 128 different calls. One in 500 of new ones is taken for one of them.
struct MadeCalls {
    static constexpr std::size_t most = 128;

    std::uint16_t kept[most];
    std::uint16_t next;

    [[nodiscard]] bool has(std::uint32_t call) const noexcept {
        const std::uint16_t wanted = part_of(call);
        std::uint16_t found = 0;
        for (const std::uint16_t each : kept) found = static_cast<std::uint16_t>(found | (each == wanted ? 1 : 0));
        return found != 0;
    }
    /// Whether it is new; keeps it.
    bool add(std::uint32_t call) noexcept {
        if (has(call)) return false;
        kept[next % most] = part_of(call);
        next = static_cast<std::uint16_t>((next + 1) % most);
        return true;
    }

private:
    /// 0: a free place.
    [[nodiscard]] static std::uint16_t part_of(std::uint32_t call) noexcept {
        const auto part = static_cast<std::uint16_t>(call ^ (call >> 16));
        return part != 0 ? part : std::uint16_t{1};
    }
};

/// A call that no result has answered yet.
struct OpenCall {
    CallNumbers facts{};
    std::uint32_t id = 0;     ///< hash of the call's id; 0: it has none
    std::uint32_t order = 0;  ///< which call of the run it is, from 1; 0: a free place
    std::uint32_t round = 0;
    std::uint32_t index = 0;
};

/// From the first sign of a loop until something moves.
struct Episode {
    std::uint64_t identity;
    std::uint64_t tokens;  ///< the run had used when it began
    std::uint32_t round, news, edits, at, first;
    std::uint16_t kinds;  ///< of evidence, a bit each: `Basis`
    std::uint8_t open : 1;
    std::uint8_t other_than_fruitless : 1;
    std::uint8_t may_stop : 1;  ///< there was evidence of a kind that can
};

/// What was found since the watchdog last intervened.
struct Shown {
    Hit hit{};
    std::uint8_t family = 0;
    std::uint32_t last = 0;  ///< index of the observation
    std::uint32_t rounds = 0;
    std::uint32_t seconds = 0;
    std::int64_t tokens = 0;
    Subject subject{};  ///< the tool

    void archive(auto& a) {
        a(hit.level, hit.varied, hit.count, hit.needed, hit.period, hit.first, hit.identity, family, last, rounds,
          seconds, tokens, subject);
    }
};

/// What is counted of the calls, and begins anew with each intervention.
struct Counts {
    Repeat::Part repeat;
    Cycle::Part cycle;
    Near::Part near;
    Rewrite::Part rewrite;
    NoOp::Part no_op;
    Fruitless::Part fruitless;
    Infra::Part infra;
    Compacted::Part compacted;
};
static_assert(std::is_trivially_copyable_v<Counts>);

/// The beginning of the newest call's text, for the evidence. Never saved: it may hold a secret.
struct CallText {
    char bytes[208]{};
    std::uint16_t size = 0;
    std::uint16_t name = 0;  ///< bytes of the tool's name, with which it begins
    std::uint32_t order = 0;
};

/// The call with which a loop was found, and its answer, for people. Redacted.
struct Example {
    static constexpr std::size_t longest = 250;

    char bytes[longest]{};
    std::uint16_t size = 0;

    [[nodiscard]] std::string_view text() const noexcept { return {bytes, size < longest ? size : longest}; }
};

/// What is known of the run as a whole.
struct Ledger {
    Common common{};
    Episode episode{};
    std::uint64_t tokens = 0;
    std::uint32_t calls = 0;
    std::uint32_t answered = 0;    ///< `Common::results` when the newest call was made
    std::uint32_t call_round = 0;  ///< of a host that reports no results
    std::uint32_t called_at = 0;
    std::uint32_t turn = 0;
    std::uint32_t gained_in = 0;    ///< the newest round with progress
    std::uint32_t since = 0;        ///< units since the watchdog last intervened
    std::uint32_t gains_since = 0;  ///< `Common::gains` then, or with the last sign of a loop
    std::uint32_t said_since = 0;   ///< likewise, what was said or called that repeats nothing
    std::uint32_t orphans = 0;      ///< results that nobody had called for
    std::uint32_t polls[8]{};       ///< calls that turned out to be polls
    std::uint8_t by_words = 0;  ///< the last sign of a loop was no call with a result: news cannot tell that it is over
    std::uint8_t next_poll = 0;
};
static_assert(std::is_trivially_copyable_v<Ledger>);

/// Of each run. Parts stand on the heap from the first event that needs them, and stay: 100 bytes for a run without
/// calls, 10 KiB for a usual one, 16 KiB for one that has everything.
struct Memory {
    static constexpr std::size_t few = 2;    ///< open calls, usually
    static constexpr std::size_t most = 12;  ///< of more the oldest are forgotten

    struct Calls {
        Ledger ledger{};
        Counts counts{};
        MadeCalls made{};  ///< those that did not fail
        OpenCall open[few]{};
        TokenSet tokens[few]{};  ///< of these
        Shown shown{};

        void archive(auto& a) { a(ledger, counts, made, open, tokens, shown); }
    };

    struct MoreOpen {
        OpenCall calls[most - few]{};
    };
    struct MoreTokens {
        TokenSet of[most - few]{};
    };

    /// What is given up, in this order, while a run has more than `bound`.
    enum Part : std::uint8_t {
        nothing,
        older_coverage,
        edits,
        open_tokens,
        older_lines,
        all_coverage,
        waits,
        messages,
        prose
    };
    /// Bytes. With what else is kept of a run, 19 KiB.
    static constexpr std::size_t bound = 14'592;
    /// What the splitter of lines and the detector of repeated blocks keep of an output, blocks found and all.
    static constexpr std::size_t beside_output = 4'928;

    OnDemand<Calls> calls;
    OnDemand<MoreOpen> more_open;
    OnDemand<MoreTokens> more_tokens;
    OnDemand<heeler::detail::SeenResults> results;  ///< where `Observation::results` is null
    OnDemand<Learned> learned;
    OnDemand<Similar::Part> similar;
    OnDemand<SameError::Part> errors;
    OnDemand<Coverage::Part> coverage;
    OnDemand<Oscillation::Part> oscillation;
    OnDemand<FrozenPoll::Part> polls;
    OnDemand<CallOnly::Part> call_only;
    OnDemand<Monologue::Part> monologue;
    OnDemand<Chant::Part> chant;          ///< of the output
    OnDemand<Sentences::Part> sentences;  ///< likewise
    OnDemand<Example> example;
    OnDemand<CallText> newest;

    std::uint8_t given_up = nothing;  ///< the newest part; those before it are gone as well, for good

    void archive(auto& a) {
        a(calls, more_open, more_tokens, results, learned, similar, errors, coverage, oscillation, polls, call_only,
          monologue, chant, sentences, example, given_up);
    }

    [[nodiscard]] bool keeps(Part part) const noexcept { return given_up < part; }
    /// What is on the heap.
    [[nodiscard]] std::size_t bytes() const noexcept {
        return (chant || sentences ? beside_output : 0) +
               sizes(calls, more_open, more_tokens, learned, learned->seen.older, similar, errors, coverage,
                     coverage->before, oscillation, polls, call_only, monologue, chant, sentences, example, newest);
    }
    /// Without output there is room for everything.
    void keep_to_bound() {
        while ((chant || sentences) && bytes() > bound && given_up < prose) {
            ++given_up;
            if (coverage) coverage.edit().before.reset();
            if (!keeps(edits)) oscillation.reset();
            if (!keeps(open_tokens)) more_tokens.reset();
            if (!keeps(older_lines) && learned) learned.edit().seen.older.reset();
            if (!keeps(all_coverage)) coverage.reset();
            if (!keeps(waits)) polls.reset();
            if (!keeps(messages)) monologue.reset();
            if (!keeps(prose)) sentences.reset();
        }
    }

private:
    /// With what the allocator adds.
    template <class... T>
    [[nodiscard]] static constexpr std::size_t sizes(const OnDemand<T>&... parts) noexcept {
        return ((parts ? (sizeof(T) + 23) / 16 * 16 : 0) + ...);
    }
};

}  // namespace heeler::inline HEELER_ABI::loops
