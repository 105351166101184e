#include <heeler/detect/loop/reasons.hpp>

#include <string_view>

#include "support/catch.hpp"

namespace loops_reasons {

using namespace heeler;
using namespace heeler::loops;

namespace {

/// Made-up units, told to one family, with why it counts them as it does.
template <class F>
struct Told {
    typename F::Settings settings{};
    typename F::Part part{};
    Common now{};
    CallFacts call = make_call();
    Outcome outcome{};
    std::string_view output = "one line\nanother line\n";
    Hit hit{};

    explicit Told(OutcomeClass which = OutcomeClass::negative) {
        outcome.outcome = which;
        outcome.key = outcome.error_key = 5;
        outcome.enough_letters = true;
        outcome.words = 6;
        outcome.length = 200;
    }
    static CallFacts make_call() {
        CallFacts call;
        call.exact = call.typed = 1;
        call.shape = 100;
        call.tool = 7;
        for (std::uint16_t word = 10; word < 20; ++word) call.tokens.add(word);
        return call;
    }

    /// The next round, with one unit.
    Reason unit() {
        ++now.round;
        return more();
    }
    /// One more unit of this round.
    Reason more() {
        const Unit seen{call, outcome, output, 0, now.index};
        const Reason row = reason_of<F>(part, settings, seen, now);
        hit = F::learn(part, settings, seen, now);
        ++now.unit;
        ++now.index;
        return row;
    }
    Reason units(int count) {
        Reason row;
        for (int i = 0; i < count; ++i) row = unit();
        return row;
    }
    void news() {
        ++now.news;
        ++now.gains;
    }
    void edit() {
        ++now.edits;
        ++now.gains;
    }
    void pause(std::uint32_t seconds) { now.at += seconds * 10; }
};

void check_row(const Reason& row, std::uint32_t count, std::uint32_t needed, std::string_view because = {}) {
    CAPTURE(row.rule, row.count, row.needed, row.because);
    CHECK(row.count == count);
    CHECK(row.needed == needed);
    CHECK(row.because == because);
    CHECK((row.level >= Level::nudge) == (count >= needed));
}

/// The event before the last one needed says "so many of so many", the last one that it speaks.
template <class F>
void check_threshold(Told<F>& told, std::uint32_t needed, const auto& between) {
    Reason row;
    for (std::uint32_t n = 1; n <= needed; ++n) {
        if (n > 1) between(told);
        row = told.unit();
        CAPTURE(n, row.rule, row.count, row.needed, row.because);
        CHECK(row.level == told.hit.level);
        if (n + 1 == needed) CHECK((row.count == n && row.needed == needed && row.level < Level::nudge));
    }
    check_row(row, needed, needed);
    CHECK(row.before == needed - 1);
}

const auto nothing = [](auto&) {};

}  // namespace

TEST_CASE("repeat says why: two of three, then that it speaks, parallel calls, another outcome, others between") {
    for (const OutcomeClass which : {OutcomeClass::negative, OutcomeClass::info}) {
        Told<Repeat> told{which};
        check_row(told.unit(), 1, 3, "the call was not made before");
        check_row(told.unit(), 2, 3);
        check_row(told.more(), 2, 3, why::same_round);
        const Reason row = told.unit();
        check_row(row, 3, 3);
        CHECK(row.counts == "the same call with the same outcome, one after the other");
        told.outcome.key = 6;
        const Reason other = told.unit();
        check_row(other, 1, 3, why::other_outcome);
        CHECK(other.before == 3);
    }
    Told<Repeat> empty{OutcomeClass::empty};
    check_threshold(empty, 4, nothing);
    Told<Repeat> apart{OutcomeClass::info};
    check_threshold(apart, 4, [](auto& told) { told.now.unit += 2; });
    Told<Repeat> far{OutcomeClass::info};
    far.units(2);
    far.now.unit += 13;
    check_row(far.unit(), 1, 3, why::too_far);
}

TEST_CASE("repeat says what cancelled its count: an edit, or something new") {
    for (const OutcomeClass which : {OutcomeClass::info, OutcomeClass::empty, OutcomeClass::ack}) {
        Told<Repeat> told{which};
        told.units(2);
        told.edit();
        const Reason row = told.unit();
        CHECK(row.because == why::edited);
        CHECK(row.count == 1);
        CHECK(row.before == 2);
    }
    Told<Repeat> done{OutcomeClass::ack};
    done.units(2);
    done.news();
    CHECK(done.unit().because == why::renewed);
    Told<Repeat> told{OutcomeClass::info};
    told.units(2);
    told.news();
    const Reason row = told.unit();
    CHECK(row.because == "something new came between: only the last of its counts goes on");
    CHECK(row.counts == "the same call with the same outcome, whatever comes between");
    check_row(row, 3, 6, row.because);
}

TEST_CASE("repeat says the counts of a host that has its own") {
    Told<Repeat> told;
    const Unit seen{told.call, told.outcome, "", 9, 0};
    const Reason row = reason_of<Repeat>(told.part, told.settings, seen, told.now);
    CHECK(row.count == 1);
    CHECK(row.needed == 9);
}

TEST_CASE("cycle says how often the block stands there, and which call breaks it") {
    Told<Cycle> told;
    Reason row;
    for (std::uint32_t n = 0; n < 9; ++n) {
        told.call.typed = n % 3;
        row = told.unit();
        if (n == 2) check_row(row, 0, 3, "no block of 2 to 32 calls stands there twice");
        if (n == 5) check_row(row, 2, 3);
    }
    check_row(row, 3, 3);
    CHECK(row.period == 3);
    told.call.typed = 99;
    row = told.unit();
    check_row(row, 0, 3, "the call breaks the block that stood there");
    CHECK(row.before == 3);
}

TEST_CASE("write says why: three of four, another change, a failure, and what it does not look at") {
    Told<Rewrite> told{OutcomeClass::ack};
    told.call.kind = CallKind::write;
    check_row(told.unit(), 1, 4, "no change went before");
    told.units(1);
    check_row(told.unit(), 3, 4);
    check_row(told.unit(), 4, 4);
    told.call.typed = 2;
    check_row(told.unit(), 1, 4, "it is another change than the last one: it counts anew");
    told.outcome.outcome = OutcomeClass::negative;
    check_row(told.unit(), 0, 4, "the change failed: it counts anew");
    told.call.kind = CallKind::read;
    CHECK(told.unit().needed == 0);
}

TEST_CASE("near says why: three of four, an edit, a batch, and calls that do not differ") {
    const auto other_number = [](auto& told) { ++told.call.typed; };
    Told<Near> told;
    check_threshold(told, 4, other_number);
    told.edit();
    ++told.call.typed;
    const Reason row = told.unit();
    check_row(row, 1, 4, why::edited);
    CHECK(row.before == 4);
    Told<Near> batch{OutcomeClass::ack};
    Reason last;
    for (int i = 0; i < 6; ++i) {
        ++batch.call.typed;
        last = batch.unit();
    }
    CHECK(last.because == "a number that only rises, and answers that say little: a batch");
    CHECK(last.level == Level::none);
    Told<Near> equal;
    const Reason same = equal.units(4);
    CHECK(same.because == "the calls do not differ at all: that is for repeat");
    CHECK(same.count == 0);
}

TEST_CASE("similar says why: three of four, an edit, two rounds with progress, and half a weight") {
    const auto other_words = [](auto& told) {
        ++told.call.typed;
        told.call.tokens = {};
        for (std::uint16_t word = 10; word < 20; ++word) told.call.tokens.add(word);
        told.call.tokens.add(static_cast<std::uint16_t>(100 + told.call.typed));
    };
    Told<Similar> failed;
    check_threshold(failed, 4, other_words);
    Told<Similar> told{OutcomeClass::info};
    check_threshold(told, 5, other_words);
    told.edit();
    other_words(told);
    check_row(told.unit(), 1, 5, why::edited);
    told.news();
    other_words(told);
    CHECK(told.unit().because == "progress came between: it weighs half");
    told.news();
    told.news();
    other_words(told);
    check_row(told.unit(), 1, 5, why::two_gains);
    Told<Similar> done{OutcomeClass::ack};
    CHECK(done.unit().needed == 0);
}

TEST_CASE("errclass says why: three of four, another subject, progress, and what it does not look at") {
    Told<SameError> told;
    check_threshold(told, 4, [](auto& each) { ++each.call.typed; });
    ++told.outcome.subject;
    const Reason row = told.unit();
    CHECK(row.because == "it is about another subject each time: it weighs little");
    CHECK(row.count == 4);
    told.news();
    CHECK(told.unit().because == "progress came between: it weighs half");
    told.news();
    told.edit();
    check_row(told.unit(), 1, 4, why::two_gains);
    told.outcome.outcome = OutcomeClass::info;
    CHECK(told.unit().because == "it looks at failures only");
}

TEST_CASE("nop says why: two of three, an edit, something new") {
    Told<NoOp> told{OutcomeClass::empty};
    told.call.nop = true;
    check_threshold(told, 3, nothing);
    told.edit();
    check_row(told.unit(), 1, 3, why::edited);
    told.news();
    check_row(told.unit(), 1, 3, why::renewed);
    told.call.nop = false;
    CHECK(told.unit().needed == 0);
}

TEST_CASE("coverage says why: three of four, lines that are new, an edit") {
    Told<Coverage> told{OutcomeClass::info};
    told.call.has_span = true;
    told.call.resource = 3;
    check_row(told.unit(), 0, 4, "it was not read in parts before");
    told.units(2);
    check_row(told.unit(), 3, 4);
    check_row(told.unit(), 4, 4);
    told.output = "a third line\n";
    check_row(told.unit(), 0, 4, "it shows lines that were not seen before");
    told.edit();
    check_row(told.unit(), 0, 4, "an edit came between: all that is read is new");
    told.call.has_span = false;
    CHECK(told.unit().needed == 0);
}

TEST_CASE("oscillation says why: an edit that takes nothing back, two of three") {
    Told<Oscillation> told{OutcomeClass::ack};
    told.call.file = 3;
    const auto edit = [&](std::uint32_t from, std::uint32_t to) {
        told.call.old_text = from;
        told.call.new_text = to;
        return told.unit();
    };
    check_row(edit(1, 2), 0, 3, "the edit takes nothing back");
    check_row(edit(2, 1), 1, 3);
    check_row(edit(1, 2), 2, 3);
    check_row(edit(2, 1), 3, 3);
    const Reason row = edit(5, 6);
    CHECK(row.because == "the edit takes nothing back");
    CHECK(row.level == Level::none);
}

TEST_CASE("fruitless says why: seven of eight, news, an edit, a failure that is new in part") {
    Told<Fruitless> told{OutcomeClass::info};
    check_threshold(told, 8, nothing);
    const Unit news{told.call, told.outcome, "", 0, 0, true};
    const Reason row = reason_of<Fruitless>(told.part, told.settings, news, told.now);
    check_row(row, 0, 8, "the result is news: it counts anew");
    CHECK(row.before == 8);
    const Unit edit{told.call, told.outcome, "", 0, 0, false, true};
    CHECK(reason_of<Fruitless>(told.part, told.settings, edit, told.now).because ==
          "the edit is progress: it counts anew");
    ++told.now.round;
    const Unit half{told.call, told.outcome, "", 0, 0, false, false, true};
    CHECK(reason_of<Fruitless>(told.part, told.settings, half, told.now).because == "new in part: it counts half");
    const Unit some{told.call, told.outcome, "", 0, 0, false, false, false, true};
    CHECK(reason_of<Fruitless>(told.part, told.settings, some, told.now).because ==
          "a short answer to another question: it does not count");
    told.outcome.outcome = OutcomeClass::negative;
    CHECK(reason_of<Fruitless>(told.part, told.settings, some, told.now).because ==
          "a long failure that is new: it does not count");
}

TEST_CASE("infra says why: tries, pauses that grow, progress") {
    Told<Infra> told{OutcomeClass::infra};
    CHECK(told.unit().because == "it is the first try");
    told.pause(10);
    const Reason second = told.unit();
    CHECK(second.count == 2);
    CHECK(second.needed == 20);
    Reason row;
    for (int i = 0; i < 18; ++i) {
        told.pause(1);
        row = told.unit();
        if (i == 16) CHECK((row.count == 19 && row.needed == 20 && row.level < Level::nudge));
    }
    check_row(row, 20, 20);
    told.news();
    CHECK(told.unit().because == "progress came between: it counts anew");
    told.outcome.outcome = OutcomeClass::info;
    CHECK(told.unit().because == "it looks at services that do not answer only");
}

TEST_CASE("frozen_poll says why: nine of ten, not for long enough, an answer that changes") {
    Told<FrozenPoll> told{OutcomeClass::info};
    check_row(told.unit(), 1, 10, "it is the first poll");
    for (int i = 0; i < 8; ++i) {
        told.pause(90);
        told.unit();
    }
    const Reason soon = [&] {
        Told<FrozenPoll> quick = told;
        quick.part.records[0].began = quick.now.at;
        return quick.unit();
    }();
    CHECK(soon.count == 10);
    CHECK(soon.because == "it has not gone on for long enough");
    told.pause(90);
    const Reason tenth = told.unit();
    CHECK(tenth.count == 10);
    CHECK(tenth.before == 9);
    told.pause(900);
    told.outcome.key = 9;
    CHECK(told.unit().because == "the answer has changed: it counts anew");
}

TEST_CASE("a family that is switched off says so") {
    Told<Repeat> told;
    told.settings.on = false;
    const Reason row = told.units(5);
    CHECK(row.because == "it is switched off");
    CHECK(row.needed == 0);
}

}  // namespace loops_reasons
