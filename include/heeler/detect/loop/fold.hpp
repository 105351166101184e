// Folds what is observed of a run into the loop detector's memory: pairs calls with results, tells progress from
// repetition, asks each family, and keeps the episode.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <heeler/core/min_max.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/detect/loop/call_facts.hpp>
#include <heeler/detect/loop/memory.hpp>
#include <heeler/detect/loop/outcome.hpp>
#include <heeler/detect/loop/result_facts.hpp>
#include <heeler/detect/loop/settings.hpp>
#include <heeler/text/combine.hpp>
#include <heeler/text/fingerprint.hpp>
#include <heeler/text/redact.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// One observation. `watch` is told what each family that listened saw: `watch(name, hit)`. If it has `judges`, it is
/// told of each call with its result before the families are.
template <class Watch>
class Folding {
public:
    Folding(Memory& memory, const Settings& settings, const Observation& seen, Watch& watch)
        : memory_{memory},
          settings_{settings},
          seen_{seen},
          watch_{watch},
          at_{static_cast<std::uint32_t>(seen.at.count() > 0 ? seen.at.count() / 100'000 : 0)} {}

    void operator()() {
        const auto& event = seen_.event;
        if (const auto* call = std::get_if<ToolCall>(&event)) return learn(*call);
        if (const auto* result = std::get_if<ToolResult>(&event)) return learn(*result);
        if (const auto* message = std::get_if<Message>(&event)) return learn(*message);
        if (const auto* output = std::get_if<Output>(&event)) return learn(*output);
        if (const auto* usage = std::get_if<Usage>(&event)) return learn(*usage);
        if (const auto* compaction = std::get_if<Compaction>(&event)) return learn(*compaction);
        // What it did before is not held against it; if it goes on, that is more than a new sign.
        if (std::get_if<Watermark>(&event) != nullptr && memory_.calls) begin_anew(false);
    }

private:
    void learn(const ToolCall& call) {
        Memory::Calls& all = start();
        Ledger& ledger = all.ledger;
        const bool results_known = ledger.common.results != 0;
        CallFacts computed;
        const CallFacts* facts = seen_.call;
        if (facts == nullptr) facts = &(computed = facts_of(call, settings_.tools));
        begin_round(ledger, call);
        const std::size_t place = place_for(id_of(call.call_id));
        OpenCall& open = open_at(place);
        open = {*facts, id_of(call.call_id), ++ledger.calls, ledger.common.round,
                static_cast<std::uint32_t>(seen_.index)};
        open.facts.wordless = place >= Memory::few && !memory_.keeps(Memory::open_tokens);
        if (!open.facts.wordless) tokens_at(place) = facts->tokens;
        // Somebody may want to read the call: the run shows the first sign of a loop, or polls, the call was made a
        // short while ago, or calls are all that there is.
        const bool is_suspicious = memory_.polls || all.shown.hit.level != Level::none ||
                                   Repeat::find(all.counts.repeat, facts->typed) != nullptr ||
                                   (!results_known && ledger.calls > 1);
        if (is_suspicious) keep_text(call, open.order);
        if (results_known || facts->exempt || !settings_.call_only.on) return;
        if (ledger.calls > 1 && at_ > ledger.called_at + 9) ++ledger.call_round;
        ledger.called_at = at_;
        Common now = ledger.common;
        now.round += ledger.call_round;
        CallOnly::Part& calls = memory_.call_only.edit();
        see(Family::call_only, CallOnly::learn(calls, settings_.call_only, *facts, now));
        if (calls.is_new()) ++ledger.said_since;
        settle(now, &open);
    }

    void learn(const ToolResult& result) {
        Memory::Calls& all = start();
        ++all.ledger.common.results;
        memory_.call_only.reset();
        const std::size_t place = open_for(id_of(result.call_id));
        if (place == Memory::most) return (void)++all.ledger.orphans;
        const OpenCall open = open_at(place);
        open_at(place) = {};
        if (open.facts.exempt) return;
        CallFacts call{open.facts};
        if (place >= Memory::few && !memory_.more_tokens) call.wordless = true;
        if (!call.wordless) call.tokens = tokens_at(place);
        answer(all, open, call, result);
    }

    void learn(const Message& message) {
        if (message.instructs() && memory_.calls) begin_anew(true);
        if (!message.is_own()) return;
        Memory::Calls& all = start();
        ++all.ledger.call_round;
        const Common& now = all.ledger.common;
        const bool thinks = message.channel == MessageChannel::thinking;
        const Speech said{message.text, thinks ? Channel::thinking : Channel::assistant, true};
        if (settings_.monologue.on && !thinks && memory_.keeps(Memory::messages))
            see(Family::monologue, Monologue::learn(memory_.monologue.edit(), settings_.monologue, said, now));
        if (message.text.size() >= settings_.chant.least) speak(said, now);
        if (!message.text.empty() && best_.family == Family::none) ++all.ledger.said_since;
        settle(now);
    }

    void learn(const Output& output) {
        if (!settings_.chant.on && !settings_.sentences.on) return;
        Memory::Calls& all = start();
        const Common& now = all.ledger.common;
        const bool ends_line = !output.partial && !output.text.ends_with('\n');
        for (const std::string_view piece : {output.text, std::string_view{ends_line ? "\n" : ""}}) {
            const Speech said{piece, Channel::output, false};
            if (settings_.chant.on) see(Family::chant, Chant::learn(memory_.chant.edit(), settings_.chant, said, now));
            if (settings_.sentences.on && memory_.keeps(Memory::prose))
                see(Family::sentences, Sentences::learn(memory_.sentences.edit(), settings_.sentences, said, now));
        }
        settle(now);
    }

    void learn(const Usage& usage) {
        if (!memory_.calls) return;
        std::uint64_t& tokens = memory_.calls.edit().ledger.tokens;
        constexpr std::uint64_t most = std::uint64_t{1} << 61;
        for (const std::int64_t more : {usage.tokens_in, usage.tokens_out})
            if (more > 0 && tokens < most) tokens += heeler::detail::min_of(static_cast<std::uint64_t>(more), most);
    }

    void learn(const Compaction& compaction) {
        Memory::Calls& all = start();
        const Common& now = all.ledger.common;
        if (settings_.compaction.on)
            see(Family::compaction, Compacted::learn(all.counts.compacted, settings_.compaction, compaction, now));
        settle(now);
    }

    struct Seen {
        Family family = Family::none;
        Hit hit{};
    };

    [[nodiscard]] static std::uint32_t id_of(std::string_view id) noexcept {
        return id.empty() ? 0 : static_cast<std::uint32_t>(text::fingerprint_text(id)) | 1u;
    }

    Memory::Calls& start() {
        Memory::Calls& all = memory_.calls.edit();
        all.ledger.common.at = at_;
        all.ledger.common.index = static_cast<std::uint32_t>(seen_.index);
        return all;
    }

    // --- calls and results ---

    /// The places for open calls that there are by now.
    [[nodiscard]] std::size_t places() const noexcept { return memory_.more_open ? Memory::most : Memory::few; }
    [[nodiscard]] OpenCall& open_at(std::size_t place) {
        return place < Memory::few ? memory_.calls.edit().open[place]
                                   : memory_.more_open.edit().calls[place - Memory::few];
    }
    [[nodiscard]] TokenSet& tokens_at(std::size_t place) {
        return place < Memory::few ? memory_.calls.edit().tokens[place]
                                   : memory_.more_tokens.edit().of[place - Memory::few];
    }
    void begin_round(Ledger& ledger, const ToolCall& call) {
        bool any_open = false;
        for (std::size_t i = 0, count = places(); i < count; ++i)
            if (open_at(i).order != 0) any_open = true;
        const bool answered = ledger.answered != ledger.common.results;
        const bool other_turn = call.turn && ledger.turn != *call.turn + 1;
        if (answered || !any_open || other_turn) ++ledger.common.round;
        if (other_turn) ++ledger.call_round;
        if (call.turn) ledger.turn = *call.turn + 1;
        ledger.answered = ledger.common.results;
    }

    /// The place of the oldest open call, or of the one with this id; `most`: there is none.
    [[nodiscard]] std::size_t open_for(std::uint32_t id) {
        std::size_t found = Memory::most;
        for (std::size_t i = 0, count = places(); i < count; ++i) {
            const OpenCall& each = open_at(i);
            if (each.order == 0 || (id != 0 && each.id != id)) continue;
            if (found == Memory::most || each.order < open_at(found).order) found = i;
        }
        return found;
    }

    /// An id that is opened again replaces the open call of that id. Of too many the oldest gives way.
    [[nodiscard]] std::size_t place_for(std::uint32_t id) {
        std::size_t free = Memory::most, oldest = 0;
        for (std::size_t i = 0, count = places(); i < count; ++i) {
            const OpenCall& each = open_at(i);
            if (id != 0 && each.order != 0 && each.id == id) return i;
            if (each.order == 0 && free == Memory::most) free = i;
            if (each.order < open_at(oldest).order) oldest = i;
        }
        if (free != Memory::most) return free;
        if (memory_.more_open) return oldest;
        static_cast<void>(memory_.more_open.edit());
        return Memory::few;
    }

    void answer(Memory::Calls& all, const OpenCall& open, const CallFacts& call, const ToolResult& result) {
        Ledger& ledger = all.ledger;
        Common now = ledger.common;
        now.round = open.round;
        ResultFacts computed;
        const ResultFacts* facts = seen_.result;
        if (facts == nullptr) facts = &(computed = facts_of(result));
        known_ = Repeat::find(all.counts.repeat, call.typed);
        const bool made_before = known_ != nullptr || all.made.has(call.typed);
        Learned& learned = memory_.learned.edit();
        learned.seen.forgets = !memory_.keeps(Memory::older_lines);
        const Outcome outcome = classify(learned, call, *facts, result.output, made_before);
        Unit unit{call, outcome, result.output, repeats_of(call), open.index};
        const bool waits = is_wait(all, unit, now);
        find_progress(all, unit, facts->told(facts->sum));
        if constexpr (requires { watch_.judges(unit, now, waits); }) watch_.judges(unit, now, waits);
        if (waits && unit.progress()) all.counts.fruitless = {};
        if (unit.is(OutcomeClass::infra))
            ask<Infra>(Family::infra, all.counts.infra, settings_.infra, unit, now);
        else if (!waits)
            ask_all(all.counts, unit, now);
        else if (memory_.keeps(Memory::waits))
            ask<FrozenPoll>(Family::frozen_poll, memory_.polls, settings_.frozen_poll, unit, now);
        count(ledger, unit, now, waits);
        settle(now, &open, result.output);
    }

    [[nodiscard]] std::uint32_t repeats_of(const CallFacts& call) const noexcept {
        return call.rule == 0 || call.rule > settings_.tools.size() ? 0 : settings_.tools[call.rule - 1u].repeats;
    }

    /// It waits, or asks again and again for something that takes its time.
    [[nodiscard]] bool is_wait(Memory::Calls& all, const Unit& unit, const Common& now) const noexcept {
        Ledger& ledger = all.ledger;
        bool known = unit.call.kind == CallKind::wait;
        for (const std::uint32_t each : ledger.polls) known = known || (each != 0 && each == unit.call.typed);
        if (unit.outcome.becomes_wait && !known) {
            ledger.polls[ledger.next_poll % std::size(ledger.polls)] = unit.call.typed;
            ledger.next_poll = static_cast<std::uint8_t>((ledger.next_poll + 1) % std::size(ledger.polls));
            known = true;
        }
        if (unit.acts()) Repeat::note_act(all.counts.repeat);
        return known || (!unit.is(OutcomeClass::negative) && !unit.acts() && Repeat::waited_between(known_, unit, now));
    }

    /// News: information that was not seen before. An edit: a change that was not made before, and took. A call that
    /// failed leaves no trace: made again, and working, it is one.
    void find_progress(Memory::Calls& all, Unit& unit, std::uint32_t told_in_full) {
        const Outcome& outcome = unit.outcome;
        const bool failed = unit.is(OutcomeClass::negative) || unit.is(OutcomeClass::infra);
        const auto is_new = [&](std::uint32_t number) {
            if (seen_.results != nullptr && number == told_in_full) return !seen_.told_before;
            return (seen_.results != nullptr ? *seen_.results : memory_.results.edit()).add(number).told;
        };
        const bool fresh = !failed && all.made.add(unit.call.typed);
        const bool acts =
            unit.is(OutcomeClass::ack) || (unit.call.kind == CallKind::write && unit.is(OutcomeClass::info));
        unit.edit = fresh && acts && !unit.call.nop;
        unit.fresh = failed || fresh;
        if (unit.is(OutcomeClass::info)) {
            const bool told = is_new(outcome.novelty);
            unit.news = told && outcome.is_news_if_new && !Repeat::had(known_, unit);
            // What acts and is told something new has changed it once more: "git bisect bad".
            unit.edit = unit.edit || (unit.news && acts && !unit.call.nop);
            // The same short answer to another question is an answer, "no" to each of many.
            const bool answers = fresh && !unit.news && outcome.is_news_if_new;
            unit.some = answers && outcome.length < 40;
            unit.half = answers && outcome.length < Similar::telling;
        }
        if (unit.is(OutcomeClass::negative)) {
            unit.news = Repeat::had(known_, unit) && known_->edits != all.ledger.common.edits &&
                        SameError::had_more(*memory_.errors, outcome);
            unit.half = is_new(static_cast<std::uint32_t>(text::combine(outcome.key, 1)));
            unit.some = is_new(outcome.novelty) && outcome.lines >= 5;
        }
        unit.half = unit.half || (unit.is(OutcomeClass::empty) && fresh);
    }

    void count(Ledger& ledger, const Unit& unit, const Common& now, bool waits) noexcept {
        Common& common = ledger.common;
        if (unit.news) ++common.news;
        if (unit.edit) ++common.edits;
        if (unit.progress() && ledger.gained_in != now.round) {
            ++common.gains;
            ledger.gained_in = now.round;
        }
        ++ledger.since;
        if (waits)
            ++common.waits;
        else if (!unit.is(OutcomeClass::infra))
            ++common.unit;
    }

    // --- families ---

    void ask_all(Counts& counts, const Unit& unit, const Common& now) {
        // A host that says how often is too often knows better than any other count.
        const bool as_told = unit.repeats != 0 && Repeat::had(known_, unit);
        ask<Cycle>(Family::cycle, counts.cycle, settings_.cycle, unit, now);
        ask<Repeat>(Family::repeat, counts.repeat, settings_.repeat, unit, now);
        ask<Rewrite>(Family::write, counts.rewrite, settings_.write, unit, now);
        if (as_told) return;
        ask<Near>(Family::near, counts.near, settings_.near, unit, now);
        if (!unit.call.wordless) ask<Similar>(Family::similar, memory_.similar, settings_.similar, unit, now);
        if (unit.is(OutcomeClass::negative))
            ask<SameError>(Family::errclass, memory_.errors, settings_.errclass, unit, now);
        ask<NoOp>(Family::nop, counts.no_op, settings_.nop, unit, now);
        if (settings_.coverage.on && unit.call.has_span && memory_.keeps(Memory::all_coverage)) {
            memory_.coverage.edit().forgets = !memory_.keeps(Memory::older_coverage);
            ask<Coverage>(Family::coverage, memory_.coverage, settings_.coverage, unit, now);
        }
        if (unit.call.file != 0 && memory_.keeps(Memory::edits))
            ask<Oscillation>(Family::oscillation, memory_.oscillation, settings_.oscillation, unit, now);
        ask<Fruitless>(Family::fruitless, counts.fruitless, settings_.fruitless, unit, now);
    }

    template <class Of, class Part>
    void ask(Family family, Part& part, const typename Of::Settings& settings, const Unit& unit, const Common& now) {
        if (!settings.on) return;
        if constexpr (requires { part.edit(); })
            see(family, Of::learn(part.edit(), settings, unit, now));
        else
            see(family, Of::learn(part, settings, unit, now));
    }

    /// A finished message stands alone, so nothing of it is kept.
    void speak(const Speech& said, const Common& now) {
        if (settings_.chant.on) {
            Chant::Part chant{};
            see(Family::chant, Chant::learn(chant, settings_.chant, said, now));
        }
        if (settings_.sentences.on) {
            Sentences::Part sentences{};
            see(Family::sentences, Sentences::learn(sentences, settings_.sentences, said, now));
        }
    }

    void see(Family family, const Hit& hit) {
        watch_(row(family).name, hit);
        if (hit.level == Level::none) return;
        if (hit.level >= Level::nudge)
            kinds_ |= static_cast<std::uint16_t>(1u << static_cast<unsigned>(row(family).basis));
        if (family != Family::fruitless && hit.level >= Level::nudge) only_fruitless_ = false;
        if (hit.level >= Level::nudge && family != Family::sentences && family != Family::frozen_poll) may_stop_ = true;
        if (hit.identity != 0 && named_ == 0) named_ = hit.identity;
        // Of what is only shown, failures are shown first.
        const bool fails = family == Family::errclass && hit.level == Level::watch && hit.level == best_.hit.level;
        if (best_.family == Family::none || hit.level > best_.hit.level || fails) best_ = {family, hit};
    }

    // --- the episode ---

    /// Ends the episode if something has moved, or goes on with it.
    void settle(const Common& now, const OpenCall* open = nullptr, std::string_view answer = {}) {
        Memory::Calls& all = memory_.calls.edit();
        Ledger& ledger = all.ledger;
        Episode& episode = ledger.episode;
        const bool moved = episode.news != ledger.common.news || episode.edits != ledger.common.edits;
        if (moved) {
            if (episode.open) episode = {};
            if (all.shown.hit.level != Level::none) all.shown = {};
        }
        if (best_.family == Family::none) return;
        if (best_.hit.level >= Level::nudge) {
            if (!episode.open) begin_episode(ledger, now);
            judge_episode(episode, now);
            best_.hit.identity = episode.identity;
            ledger.gains_since = ledger.common.gains;
            ledger.said_since = 0;
            const bool spoken = row(best_.family).basis == Basis::text || best_.family == Family::call_only;
            ledger.by_words = spoken ? 1 : 0;
        }
        if (best_.hit.level >= all.shown.hit.level) show(all, now, open, answer);
    }

    void begin_episode(Ledger& ledger, const Common& now) {
        Episode& episode = ledger.episode;
        episode = {};
        episode.open = 1;
        episode.news = ledger.common.news;
        episode.edits = ledger.common.edits;
        episode.round = now.round;
        episode.at = now.at;
        episode.first = best_.hit.first;
        episode.tokens = ledger.tokens;
        episode.identity = best_.hit.identity != 0 ? best_.hit.identity
                           : named_ != 0           ? named_
                                                   : text::combine(8, static_cast<std::uint64_t>(best_.family));
    }

    void judge_episode(Episode& episode, const Common& now) noexcept {
        episode.kinds |= kinds_;
        if (!only_fruitless_) episode.other_than_fruitless = 1;
        if (may_stop_) episode.may_stop = 1;
        if (episode.may_stop == 0) return;
        const std::uint32_t rounds = now.round - episode.round;
        const bool several = (episode.kinds & (episode.kinds - 1u)) != 0;
        const std::uint32_t alone =
            episode.other_than_fruitless != 0 ? settings_.stop_rounds : settings_.stop_rounds_fruitless;
        if (rounds >= alone || (several && rounds >= settings_.stop_rounds_kinds)) best_.hit.level = Level::stop;
    }

    void show(Memory::Calls& all, const Common& now, const OpenCall* open, std::string_view answer) {
        const Episode& episode = all.ledger.episode;
        Shown& shown = all.shown;
        if (shown.hit.level < Level::nudge && best_.hit.level >= Level::nudge) name(shown, open, answer);
        shown.hit = best_.hit;
        shown.family = static_cast<std::uint8_t>(best_.family);
        shown.last = static_cast<std::uint32_t>(seen_.index);
        shown.rounds = episode.open ? now.round - episode.round : 0;
        shown.seconds = episode.open && now.at > episode.at ? (now.at - episode.at) / 10 : 0;
        shown.tokens = episode.open ? static_cast<std::int64_t>(all.ledger.tokens - episode.tokens) : 0;
    }

    /// The tool, and an example of call and answer. A secret that was cut short is not recognised, so that they are
    /// redacted before they are cut; nothing of the sort is done for calls that are no loop.
    void name(Shown& shown, const OpenCall* open, std::string_view answer) {
        shown.subject = {};
        memory_.example.reset();
        const CallText& text = *memory_.newest;
        if (open == nullptr || text.order != open->order) return;
        const std::string_view call{text.bytes, text.size};
        shown.subject = Subject{text::redact(call.substr(0, text.name))};
        Example& example = memory_.example.edit();
        put(example, text::redact(call.substr(0, text.name)), 60);
        put(example, " ", 1);
        put(example, text::redact(call.substr(text.name)), 120);
        put(example, ": ", 2);
        put(example, text::redact(answer.substr(0, 512)), Example::longest - example.size);
    }
    static void put(auto& to, std::string_view more, std::size_t most) {
        to.size = static_cast<std::uint16_t>(to.size + more.copy(to.bytes + to.size, most));
    }
    void keep_text(const ToolCall& call, std::uint32_t order) {
        CallText& text = memory_.newest.edit();
        text.order = order;
        text.name = 0;
        text.size = 0;
        put(text, call.name, 96);
        text.name = text.size;
        put(text, call.args, std::size(text.bytes) - text.size);
    }

    /// All counts begin anew. After a user's message the episode is over as well.
    void begin_anew(bool other_task) {
        Memory::Calls& all = memory_.calls.edit();
        all.counts = {};
        all.shown = {};
        if (other_task) all.ledger.episode = {};
        all.ledger.since = 0;
        all.ledger.gains_since = all.ledger.common.gains;
        all.ledger.said_since = 0;
        const auto clear = [](auto&... parts) { ((parts ? void(parts.edit() = {}) : void()), ...); };
        clear(memory_.similar, memory_.errors, memory_.coverage, memory_.oscillation, memory_.polls, memory_.call_only,
              memory_.monologue, memory_.chant, memory_.sentences);
    }

    Memory& memory_;
    const Settings& settings_;
    const Observation& seen_;
    Watch& watch_;
    std::uint32_t at_;
    const Repeat::Record* known_ = nullptr;  ///< what is known of the call that is answered, before this answer
    Seen best_{};
    std::uint64_t named_ = 0;
    std::uint16_t kinds_ = 0;
    bool only_fruitless_ = true;
    bool may_stop_ = false;
};

template <class Watch>
void fold(Memory& memory, const Settings& settings, const Observation& seen, Watch&& watch) {
    Folding<std::remove_reference_t<Watch>> folding{memory, settings, seen, watch};
    folding();
    memory.keep_to_bound();
}

}  // namespace heeler::inline HEELER_ABI::loops
