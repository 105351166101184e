#include <string>
#include <string_view>

#include "support/catch.hpp"

#include <heeler/detect/loop/settings.hpp>

namespace loops_families {

using namespace heeler;
using namespace heeler::loops;

namespace {

/// Made-up calls and outcomes, told to one family: its counts alone are tested.
template <class F>
struct Told {
    typename F::Settings settings{};
    typename F::Part part{};
    Common now{};
    CallFacts call = make_call(1);
    Outcome outcome = make_outcome(OutcomeClass::info, 1);
    Hit hit{};

    static CallFacts make_call(std::uint32_t number, std::uint32_t shape = 100) {
        CallFacts call;
        call.exact = call.typed = number;
        call.shape = shape;
        call.tool = 7;
        for (std::uint16_t word = 10; word < 20; ++word) call.tokens.add(word);
        return call;
    }
    static Outcome make_outcome(OutcomeClass which, std::uint32_t key) {
        Outcome outcome;
        outcome.outcome = which;
        outcome.key = outcome.error_key = key;
        outcome.enough_letters = true;
        outcome.words = 6;
        outcome.length = 200;
        return outcome;
    }

    /// The next round, with one unit.
    Told& unit() {
        ++now.round;
        return more();
    }
    /// One more unit of this round.
    Told& more() {
        const Unit seen{call, outcome, "one line\nanother line\n", 0, now.index};
        hit = F::learn(part, settings, seen, now);
        ++now.unit;
        ++now.index;
        return *this;
    }
    /// Other calls between, which the family does not see.
    Told& others(std::uint32_t count) {
        now.unit += count;
        now.round += count;
        return *this;
    }
    Told& news() {
        ++now.news;
        ++now.gains;
        return *this;
    }
    Told& edit() {
        ++now.edits;
        ++now.gains;
        return *this;
    }
};

struct Row {
    OutcomeClass outcome;
    std::uint32_t needed;
};

constexpr OutcomeClass every_class[] = {OutcomeClass::negative, OutcomeClass::info, OutcomeClass::empty,
                                        OutcomeClass::ack};

/// How many units it takes to reach a level; `between` comes before each but the first. 0: not within 40.
template <class F, class Between>
std::uint32_t units_until(Level level, OutcomeClass outcome, const Between& between) {
    Told<F> told;
    told.outcome = Told<F>::make_outcome(outcome, 1);
    for (std::uint32_t n = 1; n <= 40; ++n) {
        if (n > 1) between(told);
        if (told.unit().hit.level >= level) return n;
    }
    return 0;
}

const auto nothing = [](auto&) {};

}  // namespace

TEST_CASE("repeat: one after the other speaks at the third, of empty answers and acknowledgements at the fourth") {
    for (const Row row :
         {Row{OutcomeClass::negative, 3}, {OutcomeClass::info, 3}, {OutcomeClass::empty, 4}, {OutcomeClass::ack, 4}}) {
        CAPTURE(static_cast<int>(row.outcome));
        CHECK(units_until<Repeat>(Level::nudge, row.outcome, nothing) == row.needed);
        CHECK(units_until<Repeat>(Level::stop, row.outcome, nothing) == 2 * row.needed);
        CHECK(units_until<Repeat>(Level::watch, row.outcome, nothing) == 2);
    }
}

TEST_CASE("repeat: with other calls between and no progress it takes one more, two of acknowledgements") {
    const auto two_others = [](auto& told) { told.others(2); };
    for (const Row row :
         {Row{OutcomeClass::negative, 4}, {OutcomeClass::info, 4}, {OutcomeClass::empty, 5}, {OutcomeClass::ack, 6}}) {
        CAPTURE(static_cast<int>(row.outcome));
        CHECK(units_until<Repeat>(Level::nudge, row.outcome, two_others) == row.needed);
        CHECK(units_until<Repeat>(Level::stop, row.outcome, two_others) == 2 * row.needed);
    }
}

TEST_CASE("repeat: up to twelve others between, not thirteen") {
    CHECK(units_until<Repeat>(Level::nudge, OutcomeClass::info, [](auto& told) { told.others(12); }) == 4);
    CHECK(units_until<Repeat>(Level::watch, OutcomeClass::info, [](auto& told) { told.others(13); }) == 0);
}

TEST_CASE("repeat: news between weakens it, and makes an acknowledgement none, never to a stop") {
    const auto news = [](auto& told) { told.others(2).news(); };
    for (const Row row :
         {Row{OutcomeClass::negative, 5}, {OutcomeClass::info, 6}, {OutcomeClass::empty, 8}, {OutcomeClass::ack, 0}}) {
        CAPTURE(static_cast<int>(row.outcome));
        CHECK(units_until<Repeat>(Level::nudge, row.outcome, news) == row.needed);
        CHECK(units_until<Repeat>(Level::stop, row.outcome, news) == 0);
    }
}

TEST_CASE("repeat: an edit between takes back all but failures, of which eight are a plateau") {
    const auto edit = [](auto& told) { told.others(1).edit(); };
    for (const Row row :
         {Row{OutcomeClass::negative, 8}, {OutcomeClass::info, 0}, {OutcomeClass::empty, 0}, {OutcomeClass::ack, 0}}) {
        CAPTURE(static_cast<int>(row.outcome));
        CHECK(units_until<Repeat>(Level::nudge, row.outcome, edit) == row.needed);
        CHECK(units_until<Repeat>(Level::stop, row.outcome, edit) == 0);
    }
}

TEST_CASE("repeat: failures close together speak at four, with two adjacent ones at three, whatever was read between") {
    CHECK(units_until<Repeat>(Level::nudge, OutcomeClass::negative, [](auto& told) { told.others(1).news(); }) == 4);
    Told<Repeat> told;
    told.outcome = Told<Repeat>::make_outcome(OutcomeClass::negative, 1);
    CHECK(told.unit().unit().hit.level < Level::nudge);
    CHECK(told.others(1).news().unit().hit.level == Level::nudge);
}

TEST_CASE("repeat: parallel calls are one occurrence") {
    Told<Repeat> told;
    told.unit();
    for (int i = 0; i < 20; ++i) CHECK(told.more().hit.level == Level::none);
    CHECK(told.unit().hit.count == 2);
}

TEST_CASE("repeat: another outcome begins anew, one that was there shortly before takes one repeat back") {
    Told<Repeat> told;
    const auto answer = [&](std::uint32_t key) {
        told.outcome = Told<Repeat>::make_outcome(OutcomeClass::info, key);
        return told.unit().hit.level;
    };
    for (int i = 0; i < 5; ++i) CHECK(answer(static_cast<std::uint32_t>(10 + i)) < Level::watch);
    CHECK(answer(14) == Level::watch);
    CHECK(answer(13) < Level::nudge);  // flickers
    CHECK(answer(13) < Level::nudge);
    CHECK(answer(13) == Level::nudge);
}

TEST_CASE("repeat: a host's own count replaces the others") {
    Told<Repeat> told;
    for (std::uint32_t n = 1; n <= 9; ++n) {
        ++told.now.round;
        const Unit seen{told.call, told.outcome, "", 9, 0};
        told.hit = Repeat::learn(told.part, told.settings, seen, told.now);
        ++told.now.unit;
        CHECK((told.hit.level >= Level::nudge) == (n == 9));
    }
}

TEST_CASE("cycle: speaks with the last call of the third round and stops with the sixth, for every period up to 32") {
    for (std::uint32_t period = 2; period <= 33; ++period) {
        CAPTURE(period);
        Told<Cycle> told;
        std::uint32_t nudge = 0, stop = 0;
        for (std::uint32_t n = 1; n <= 8 * period; ++n) {
            told.call = Told<Cycle>::make_call(n % period);
            told.unit();
            if (nudge == 0 && told.hit.level >= Level::nudge) nudge = n;
            if (stop == 0 && told.hit.level == Level::stop) stop = n;
        }
        CHECK(nudge == (period <= 32 ? 3 * period : 0));
        CHECK(stop == (period <= 32 ? 6 * period : 0));
    }
}

TEST_CASE("cycle: has the same identity from wherever it begins, another one has another") {
    const auto identity = [](std::uint32_t from, std::uint32_t shape) {
        Told<Cycle> told;
        for (std::uint32_t n = from; n < from + 12; ++n) {
            told.call = Told<Cycle>::make_call(n % 4, shape + n % 4);
            told.unit();
        }
        REQUIRE(told.hit.level == Level::nudge);
        return told.hit.identity;
    };
    CHECK(identity(0, 100) == identity(3, 100));
    CHECK(identity(0, 100) != identity(0, 200));
}

TEST_CASE("cycle: equal calls, a batch in one or two rounds, and one that changes are none") {
    Told<Cycle> same;
    for (int i = 0; i < 50; ++i) CHECK(same.unit().hit.level == Level::none);
    Told<Cycle> batch;
    for (std::uint32_t n = 0; n < 40; ++n) {
        batch.call = Told<Cycle>::make_call(n % 2);
        CHECK((n % 20 == 0 ? batch.unit() : batch.more()).hit.level < Level::nudge);
    }
    Told<Cycle> moves;
    for (std::uint32_t n = 0; n < 90; ++n) {
        moves.call = Told<Cycle>::make_call(n % 3 == 2 ? 1000 + n : n % 3);
        CHECK(moves.unit().hit.level == Level::none);
    }
}

TEST_CASE("near: numbers that vary with the same outcome speak at four or five") {
    const auto other_number = [](auto& told) { ++told.call.typed; };
    CHECK(units_until<Near>(Level::nudge, OutcomeClass::negative, other_number) == 4);
    CHECK(units_until<Near>(Level::nudge, OutcomeClass::info, other_number) == 5);
    CHECK(units_until<Near>(Level::nudge, OutcomeClass::empty, other_number) == 0);  // a batch
    CHECK(units_until<Near>(Level::nudge, OutcomeClass::ack, other_number) == 0);
    CHECK(units_until<Near>(Level::nudge, OutcomeClass::info, nothing) == 0);  // nothing varies
    CHECK(units_until<Near>(Level::stop, OutcomeClass::negative, other_number) == 0);
}

TEST_CASE("near: values that come back are no batch") {
    const auto to_and_fro = [](auto& told) { told.call.typed = 1 + told.now.round % 2; };
    for (const OutcomeClass which : {OutcomeClass::empty, OutcomeClass::ack}) {
        CAPTURE(static_cast<int>(which));
        CHECK(units_until<Near>(Level::nudge, which, to_and_fro) == 5);
    }
}

TEST_CASE("near: of a long batch one value is tried again, and a circle begins later") {
    const auto one_again = [](auto& told) { told.call.typed = told.now.round == 20 ? 17 : told.now.round; };
    CHECK(units_until<Near>(Level::nudge, OutcomeClass::ack, one_again) == 0);
    const auto turns = [](auto& told) {
        told.call.typed = told.now.round < 20 ? told.now.round : 20 + told.now.round % 3;
    };
    CHECK(units_until<Near>(Level::nudge, OutcomeClass::ack, turns) == 25);
}

TEST_CASE("near: an edit, another outcome and another shape begin anew, a moving number needs one more") {
    CHECK(units_until<Near>(Level::nudge, OutcomeClass::negative, [](auto& told) { ++told.edit().call.typed; }) == 0);
    CHECK(units_until<Near>(Level::nudge, OutcomeClass::negative, [](auto& told) { ++told.call.shape; }) == 0);
    CHECK(units_until<Near>(Level::nudge, OutcomeClass::negative, [](auto& told) { ++told.outcome.key; }) == 0);
    CHECK(units_until<Near>(Level::nudge, OutcomeClass::negative, [](auto& told) {
              ++told.call.typed;
              ++told.outcome.numbers;
          }) == 5);
}

TEST_CASE("similar: calls that share half of their words speak at four, five or eight") {
    const auto other_words = [](auto& told) {
        ++told.call.typed;
        ++told.call.shape;
        told.call.tokens = {};
        for (std::uint16_t word = 10; word < 20; ++word) told.call.tokens.add(word);
        told.call.tokens.add(static_cast<std::uint16_t>(100 + told.call.typed));  // 10 of 12 words
    };
    CHECK(units_until<Similar>(Level::nudge, OutcomeClass::negative, other_words) == 4);
    CHECK(units_until<Similar>(Level::nudge, OutcomeClass::info, other_words) == 5);
    CHECK(units_until<Similar>(Level::nudge, OutcomeClass::ack, other_words) == 0);
    CHECK(units_until<Similar>(Level::nudge, OutcomeClass::empty, other_words) == 0);  // no search
    CHECK(units_until<Similar>(Level::nudge, OutcomeClass::empty, [&](auto& told) {
              other_words(told);
              told.call.search = true;
          }) == 9);  // the first was no search
    CHECK(units_until<Similar>(Level::stop, OutcomeClass::negative, other_words) == 0);
    CHECK(units_until<Similar>(Level::nudge, OutcomeClass::info, [&](auto& told) { other_words(told.edit()); }) == 0);
    CHECK(units_until<Similar>(Level::nudge, OutcomeClass::negative,
                               [&](auto& told) { other_words(told.others(13)); }) == 0);
    CHECK(units_until<Similar>(Level::nudge, OutcomeClass::negative,
                               [&](auto& told) { other_words(told.news().news()); }) == 0);
    CHECK(units_until<Similar>(Level::nudge, OutcomeClass::negative, [](auto& told) {
              told.call.tokens = {};
              told.call.tokens.add(static_cast<std::uint16_t>(100 + told.now.round));
          }) == 0);
}

TEST_CASE("similar: one part that is another each time is a list, which weighs half, of a short answer nothing") {
    const auto walk = [](OutcomeClass outcome, std::uint32_t length, std::uint16_t subjects, bool fresh,
                         bool some = false) {
        Told<Similar> told;
        told.outcome = Told<Similar>::make_outcome(outcome, 1);
        told.outcome.length = length;
        for (std::uint32_t n = 1; n <= 40; ++n) {
            told.call = Told<Similar>::make_call(n);
            told.call.tokens.add(static_cast<std::uint16_t>(100 + n));
            told.outcome.subject = static_cast<std::uint16_t>(subjects * n);
            Unit seen{told.call, told.outcome};
            seen.fresh = fresh;
            seen.some = some;
            ++told.now.round;
            if (Similar::learn(told.part, told.settings, seen, told.now).level >= Level::nudge) return n;
            ++told.now.unit;
        }
        return std::uint32_t{0};
    };
    CHECK(walk(OutcomeClass::info, 200, 0, true) == 8);
    CHECK(walk(OutcomeClass::info, 200, 0, false) == 5);
    CHECK(walk(OutcomeClass::info, 79, 0, true) == 0);
    CHECK(walk(OutcomeClass::negative, 200, 1, true) == 6);
    CHECK(walk(OutcomeClass::negative, 200, 0, true) == 4);  // about nothing that the call names
    CHECK(walk(OutcomeClass::negative, 200, 0, true, true) == 4);
    CHECK(walk(OutcomeClass::negative, 200, 1, true, true) == 0);  // of each something else is told
}

TEST_CASE("errclass: the same failure with any arguments, one more across tools or with a short message") {
    const auto other_call = [](auto& told) { ++told.call.typed; };
    CHECK(units_until<SameError>(Level::nudge, OutcomeClass::negative, other_call) == 4);
    CHECK(units_until<SameError>(Level::watch, OutcomeClass::negative, other_call) == 2);
    CHECK(units_until<SameError>(Level::nudge, OutcomeClass::negative, [](auto& told) { ++told.call.tool; }) == 5);
    CHECK(units_until<SameError>(Level::nudge, OutcomeClass::negative, [](auto& told) { told.outcome.words = 3; }) ==
          5);
    CHECK(units_until<SameError>(Level::nudge, OutcomeClass::negative, [](auto& told) { ++told.outcome.error_key; }) ==
          0);
    CHECK(units_until<SameError>(Level::nudge, OutcomeClass::negative, [](auto& told) { told.others(25); }) == 0);
    CHECK(units_until<SameError>(Level::nudge, OutcomeClass::negative, [](auto& told) { told.news().edit(); }) == 0);
}

TEST_CASE("errclass: about another subject each time, or with progress between, it weighs less") {
    CHECK(units_until<SameError>(Level::nudge, OutcomeClass::negative, [](auto& told) { ++told.outcome.subject; }) ==
          13);  // three full ones of twelve quarters
    CHECK(units_until<SameError>(Level::nudge, OutcomeClass::negative, [](auto& told) { told.news(); }) == 7);
}

TEST_CASE("write: the same change speaks at the fourth round, unless another change or a failure comes between") {
    const auto writes = [](auto& told) { told.call.kind = CallKind::write; };
    for (const OutcomeClass which : every_class) {
        CAPTURE(static_cast<int>(which));
        Told<Rewrite> told;
        writes(told);
        told.outcome = Told<Rewrite>::make_outcome(which, 1);
        for (std::uint32_t n = 1; n <= 8; ++n) {
            told.others(3).unit();
            const Level wanted = which == OutcomeClass::negative ? Level::none
                                 : n >= 8                        ? Level::stop
                                 : n >= 4                        ? Level::nudge
                                 : n >= 2                        ? Level::watch
                                                                 : Level::none;
            CHECK(told.hit.level == wanted);
        }
        told.call.typed = 2;
        CHECK(told.unit().hit.level == Level::none);
    }
}

TEST_CASE("write: a move that is told something new each time is none, a file is only shown") {
    for (const std::uint32_t file : {0u, 5u}) {
        Told<Rewrite> told;
        told.call.kind = CallKind::write;
        told.call.file = file;
        for (std::uint32_t n = 1; n <= 6; ++n) {
            Unit seen{told.call, told.outcome};
            seen.news = true;
            ++told.now.round;
            told.hit = Rewrite::learn(told.part, told.settings, seen, told.now);
        }
        CHECK((told.hit.level >= Level::nudge) == (file != 0));
    }
}

TEST_CASE("nop: three rounds, news and edits take them back") {
    Told<NoOp> told;
    told.call.nop = true;
    told.outcome = Told<NoOp>::make_outcome(OutcomeClass::empty, 1);
    CHECK(told.unit().unit().hit.level == Level::watch);
    CHECK(told.unit().hit.level == Level::nudge);
    CHECK(told.news().unit().hit.level == Level::none);
    CHECK(told.edit().unit().hit.level == Level::none);
    CHECK(told.more().more().more().hit.level == Level::none);
}

TEST_CASE("fruitless: eight rounds without progress, a failure of a new kind is half of one") {
    Told<Fruitless> told;
    for (std::uint32_t n = 1; n <= 16; ++n) {
        told.unit();
        CHECK((told.hit.level >= Level::nudge) == (n >= 8));
        CHECK((told.hit.level == Level::stop) == (n == 16));
    }
    Unit good{told.call, told.outcome};
    good.news = true;
    ++told.now.round;
    CHECK(Fruitless::learn(told.part, told.settings, good, told.now).level == Level::none);
    CHECK(told.more().hit.count == 0);  // a round is as good as its best unit
    Unit half{told.call, told.outcome};
    half.half = true;
    for (std::uint32_t n = 1; n <= 16; ++n) {
        ++told.now.round;
        told.hit = Fruitless::learn(told.part, told.settings, half, told.now);
        CHECK((told.hit.level >= Level::nudge) == (n >= 16));
    }
}

TEST_CASE("infra: judged by time and by growing gaps, never by a small count") {
    const auto tries = [](std::uint32_t count, auto gap) {
        Told<Infra> told;
        told.outcome = Told<Infra>::make_outcome(OutcomeClass::infra, 1);
        for (std::uint32_t n = 0; n < count; ++n) {
            told.now.at += n == 0 ? 0 : gap(n);
            told.unit();
        }
        return told.hit.level;
    };
    const auto every = [](std::uint32_t tenths) { return [=](std::uint32_t) { return tenths; }; };
    const auto doubling = [](std::uint32_t n) { return 10u << n; };
    CHECK(tries(12, every(100)) < Level::nudge);   // 110 s
    CHECK(tries(13, every(100)) == Level::nudge);  // 120 s without growing gaps
    CHECK(tries(8, doubling) < Level::nudge);      // 254 s, and it backs off
    CHECK(tries(10, doubling) == Level::nudge);    // more than 600 s
    CHECK(tries(19, every(0)) < Level::nudge);     // no clock
    CHECK(tries(20, every(0)) == Level::nudge);
}

TEST_CASE("frozen poll: ten minutes and ten polls, or ten usual intervals, and any other answer begins anew") {
    const auto polls_until = [](std::uint32_t interval, const auto& between) {
        Told<FrozenPoll> told;
        for (std::uint32_t n = 1; n <= 200; ++n) {
            between(told, n);
            told.unit();
            told.now.at += interval;
            if (told.hit.level >= Level::nudge) return n;
        }
        return 0u;
    };
    const auto same = [](auto&, std::uint32_t) {};
    CHECK(polls_until(100, same) == 61);   // every 10 s
    CHECK(polls_until(1000, same) == 11);  // every 100 s: ten intervals are longer than ten minutes
    CHECK(polls_until(100, [](auto& told, std::uint32_t n) { told.outcome.key = n / 50; }) == 0);
    CHECK(polls_until(100, [](auto& told, std::uint32_t n) {
              if (n % 50 == 0) told.news();
          }) == 0);
}

TEST_CASE("coverage: four reads that show nothing new, in any order, an edit makes all of it new") {
    Told<Coverage> told;
    told.call.has_span = true;
    told.call.resource = 5;
    const auto read = [&](std::string_view text) {
        ++told.now.round;
        const Unit seen{told.call, told.outcome, text};
        told.hit = Coverage::learn(told.part, told.settings, seen, told.now);
        ++told.now.unit;
        return told.hit.level;
    };
    CHECK(read("  1\tfirst line\n  2\tsecond line\n") == Level::none);
    CHECK(read("3: third line\n4: fourth line\n") == Level::none);
    CHECK(read("second line\nthird line\n") < Level::watch);
    CHECK(read("fourth line\n") == Level::watch);
    CHECK(read("first line\nfourth line") == Level::watch);
    CHECK(read("third line\r\n") == Level::nudge);
    CHECK(read("third line\nfifth line") == Level::none);
    told.edit();
    CHECK(read("third line\n") == Level::none);
    told.outcome.outcome = OutcomeClass::empty;  // behind the last page
    for (int page = 0; page < 4; ++page) CHECK((read("[]") == Level::nudge) == (page == 3));
    told.outcome.outcome = OutcomeClass::info;
    for (int page = 0; page < 500; ++page) {
        std::string text;
        for (int i = 0; i < 40; ++i) text += "entry of page " + std::to_string(page * 40 + i) + "\n";
        CHECK(read(text) == Level::none);
    }
}

TEST_CASE("oscillation: three edits that take earlier ones back") {
    Told<Oscillation> told;
    told.call.file = 9;
    told.outcome = Told<Oscillation>::make_outcome(OutcomeClass::ack, 1);
    const auto edit = [&](std::uint32_t from, std::uint32_t to) {
        told.call.old_text = from;
        told.call.new_text = to;
        return told.unit().hit.level;
    };
    CHECK(edit(1, 2) == Level::none);
    CHECK(edit(2, 1) == Level::none);
    CHECK(edit(1, 2) == Level::watch);
    CHECK(edit(2, 1) == Level::nudge);
    for (std::uint32_t n = 3; n < 20; ++n) CHECK(edit(n, n + 1) == Level::none);
    Told<Oscillation> whole;
    whole.call.file = 9;
    whole.outcome = told.outcome;
    const auto rewrite = [&](std::uint32_t content) {
        whole.call.whole = content;
        return whole.unit().hit.level;
    };
    CHECK(rewrite(1) == Level::none);
    CHECK(rewrite(1) == Level::none);
    CHECK(rewrite(2) == Level::none);
    CHECK(rewrite(1) == Level::none);
    CHECK(rewrite(2) == Level::watch);
    CHECK(rewrite(1) == Level::nudge);
}

TEST_CASE("compaction: the third with nothing new between") {
    Compacted::Part part{};
    Common now{};
    const auto compact = [&] { return Compacted::learn(part, {}, Compaction{}, now).level; };
    CHECK(compact() == Level::none);
    CHECK(compact() == Level::watch);
    CHECK(compact() == Level::nudge);
    ++now.news;
    CHECK(compact() == Level::none);
}

}  // namespace loops_families
