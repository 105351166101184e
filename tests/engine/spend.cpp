// What runs spend, added up for good; and what happens at the caps on it.
#include <optional>
#include <string>
#include <utility>

#include <heeler/spend.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

namespace {

RunClass capped(SpendCap::Settings caps) {
    RunClass rules = bench::minute_class();
    rules.schedule.period = 60s;
    rules.detectors.turn_on<SpendCap>(caps);
    return rules;
}

/// Who replaces whoever stands still, as often as it takes.
RunClass replacing(SpendCap::Settings caps) {
    RunClass rules = presets::checkpoint_continuation();
    rules.ladder.as<RecoveryLadder>()->max_continuations = 100;
    rules.alerts.tell_people = true;
    rules.detectors.turn_on<SpendCap>(caps);
    return rules;
}

std::string shown(const std::optional<Spent>& sum) {
    return sum ? std::to_string(sum->tokens) + " tokens, $" + std::to_string(sum->micro_usd) : "none";
}

DecisionRow limit_of(std::string run) {
    DecisionRow row;
    row.run = std::move(run);
    row.verb = Verb::limit;
    row.by = "ada";
    return row;
}

struct Payer : Bench {
    explicit Payer(RunClass rules) {
        classes = {std::move(rules)};
        start_again();
    }
    /// What was only in memory is gone.
    void start_again() {
        boot();
        count();
    }
    void count() {
        ledger.emplace(store, 10s);
        REQUIRE(dog->attach(*ledger));
    }
    RunHandle of(std::string id, std::string owner, std::string continues = {}) {
        RunSpec spec = bench::spec_of(std::move(id));
        spec.owner = std::move(owner);
        spec.continues = std::move(continues);
        return run(std::move(spec));
    }
    void spend(RunHandle run, double usd, std::int64_t tokens = 0) {
        REQUIRE(dog->observe(run, Usage{tokens / 2, tokens - tokens / 2, 1, 0, usd}) == Observed::ok);
    }
    std::int64_t day() { return detail::spend_day(clock.now().wall); }
    /// Of the store's rows.
    Spent stored(std::string_view owner, std::int64_t day) {
        Spent sum;
        const auto rows = memory.spent(day, {});
        for (const SpendRow& row : *rows) {
            if (row.owner != owner) continue;
            sum.tokens += row.tokens;
            sum.micro_usd += row.micro_usd;
        }
        return sum;
    }
    Spent stored_of(const std::string& lineage) {
        Spent sum;
        const auto rows = memory.spent(-1, {lineage});
        for (const SpendRow& row : *rows) {
            sum.tokens += row.tokens;
            sum.micro_usd += row.micro_usd;
        }
        return sum;
    }
    std::string told(std::string_view kind) const {
        std::string text;
        for (const auto& each : notifier.sent())
            if (each.alert.kind == kind) text += (text.empty() ? "" : "; ") + each.alert.summary;
        return text;
    }

    std::optional<SpendLedger> ledger;
};

}  // namespace

TEST_CASE("what runs spend is added up by owner and day, and for a lineage across ids [M-199]") {
    Payer b{capped({.lineage_usd = 1000})};
    const RunHandle first = b.of("first", "ada"), other = b.of("other", "bob");
    b.spend(first, 1.25, 1000);
    b.spend(other, 0.5, 7);
    (void)b.after(60s);
    CHECK(shown(b.stored("ada", b.day())) == shown(Spent{1000, 1'250'000}));
    CHECK(shown(b.ledger->today()) == shown(Spent{1007, 1'750'000}));
    CHECK(shown(b.ledger->today("bob")) == shown(Spent{7, 500'000}));
    REQUIRE(b.dog->finish(first, RunEnd::failed));
    const RunHandle second = b.of("second", "ada", "first");
    b.spend(second, 1.0);
    REQUIRE(b.dog->finish(second));
    const RunHandle third = b.of("third", "ada", "second");
    b.spend(third, 0.1, 10);
    (void)b.after(60s);
    CHECK(shown(b.stored_of("first")) == shown(Spent{1010, 2'350'000}));
    CHECK(shown(b.stored_of("second")) == shown(Spent{}));
    (void)b.after(60s);
    CHECK(shown(b.ledger->lineage("first")) == shown(Spent{1010, 2'350'000}));
    const std::int64_t before = b.day();
    (void)b.after(24h);
    b.spend(third, 3);
    (void)b.after(60s);
    CHECK(shown(b.stored("ada", before)) == shown(Spent{1010, 2'350'000}));
    CHECK(shown(b.stored("ada", b.day())) == shown(Spent{0, 3'000'000}));
    CHECK(shown(b.ledger->today()) == shown(Spent{0, 3'000'000}));
    CHECK(shown(b.ledger->lineage("first")) == shown(Spent{1010, 5'350'000}));
}

TEST_CASE("what was spent is counted once, wherever a crash comes [M-199]") {
    const auto point = GENERATE(CrashPoint::after_answer, CrashPoint::before_answer);
    const auto commits = GENERATE(std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3});
    Payer b{capped({.day_usd = 1000})};
    RunHandle run = b.of("r", "ada");
    b.spend(run, 1, 100);
    (void)b.after(60s);
    b.store.crash_at_commit(commits, point);
    for (int i = 0; i < 4; ++i) {
        b.spend(run, 0.01, 3);
        (void)b.after(60s);
    }
    b.start_again();
    run = *b.dog->find("r");
    const Spent then = b.stored("ada", b.day());
    const auto commits_done = b.memory.history("r")->row->version;
    CHECK(commits_done >= 2);
    CHECK(then.tokens == 100 + 3 * static_cast<std::int64_t>((then.micro_usd - 1'000'000) / 10'000));
    (void)b.after(60s);
    (void)b.after(60s);
    CHECK(shown(b.stored("ada", b.day())) == shown(then));
    CHECK(shown(b.ledger->today()) == shown(then));
    b.spend(run, 2, 5);
    (void)b.after(60s);
    CHECK(shown(b.stored("ada", b.day())) == shown(Spent{then.tokens + 5, then.micro_usd + 2'000'000}));
}

TEST_CASE("a commit that answers an error and happened all the same counts once [M-199]") {
    Payer b{capped({.day_usd = 1000})};
    const RunHandle run = b.of("r", "ada");
    b.spend(run, 1, 100);
    (void)b.after(60s);
    const auto effect = GENERATE(FaultEffect::not_executed, FaultEffect::executed);
    b.store.fail(StoreOperation::commit, ErrorCode::io, effect);
    b.spend(run, 1, 10);
    (void)b.after(60s);
    b.spend(run, 1, 1);
    (void)b.after(60s);
    b.store.heal();
    b.spend(run, 0, 1000);
    (void)b.after(60s);
    (void)b.after(60s);
    CHECK(shown(b.stored("ada", b.day())) == shown(Spent{1111, 3'000'000}));
    CHECK(shown(b.ledger->today()) == shown(Spent{1111, 3'000'000}));
}

TEST_CASE("two watchdogs on one store add to one sum [M-199]") {
    Payer b{capped({.owner_day_usd = 10})};
    b.settings.holder = "left";
    b.start_again();
    Bench other;
    other.memory = b.memory;
    other.settings.holder = "right";
    other.classes = b.classes;
    other.boot();
    SpendLedger its{other.store, 10s};
    REQUIRE(other.dog->attach(its));
    const RunHandle mine = b.of("mine", "ada");
    RunSpec spec = bench::spec_of("theirs");
    spec.owner = "ada";
    const RunHandle theirs = other.run(spec);
    for (int i = 0; i < 3; ++i) {
        b.spend(mine, 1, 1);
        (void)other.dog->observe(theirs, Usage{2, 0, 1, 0, 1.0});
        (void)b.after(5s);
        (void)other.after(5s);
        (void)b.after(5s);
        (void)other.after(5s);
    }
    CHECK(shown(b.stored("ada", b.day())) == shown(Spent{9, 6'000'000}));
    (void)b.after(11s);
    (void)other.after(11s);
    CHECK(shown(b.ledger->today("ada")) == shown(Spent{9, 6'000'000}));
    CHECK(shown(its.today("ada")) == shown(Spent{9, 6'000'000}));
    b.spend(mine, 3.9);
    (void)b.after(60s);
    (void)other.after(60s);
    (void)other.after(60s);
    CHECK(other.dog->status(theirs) == Status::healthy);
    b.spend(mine, 0.1);
    (void)b.after(60s);
    CHECK(b.dog->status(mine) == Status::runaway);
    (void)other.after(60s);
    CHECK(other.dog->status(theirs) == Status::runaway);
}

TEST_CASE("people are told once at 80, 95 and 100 percent, and the class responds to the last [M-200]") {
    Payer b{capped({.owner_day_usd = 10})};
    const RunHandle one = b.of("one", "ada"), two = b.of("two", "ada"), else_ = b.of("else", "bob");
    b.spend(one, 7.99);
    (void)b.after(60s);
    CHECK(b.notifier.sent().empty());
    b.spend(two, 0.01);
    (void)b.after(60s);
    (void)b.after(60s);
    CHECK(b.told(spend_near) == "the runs of ada have spent $8.00 of $10.00 today");
    CHECK(b.dog->status(two) == Status::healthy);
    if (GENERATE(false, true)) b.start_again();
    (void)b.after(60s);
    const RunHandle again = *b.dog->find("one");
    CHECK(b.told(spend_near) == "the runs of ada have spent $8.00 of $10.00 today");
    b.spend(again, 1.5);
    (void)b.after(60s);
    (void)b.after(60s);
    CHECK(b.told(spend_near) ==
          "the runs of ada have spent $8.00 of $10.00 today; the runs of ada have spent $9.50 of $10.00 today");
    CHECK(b.told(spend_reached).empty());
    CHECK(b.acts.empty());
    b.spend(*b.dog->find("two"), 3);
    (void)b.after(60s);
    (void)b.after(60s);
    CHECK(b.told(spend_reached) == "the runs of ada have spent $12.50 of $10.00 today");
    CHECK_THAT(b.acts, ContainsSubstring("pause done"));
    CHECK_THAT(*b.dog->explain("two"), ContainsSubstring("owner_day_usd"));
    CHECK(b.dog->status(*b.dog->find("else")) == Status::healthy);
    (void)else_;
}

TEST_CASE("no fresh agent is started for a lineage beyond its cap until the cap is raised [M-200]") {
    Payer b{replacing({.lineage_usd = 5})};
    const RunHandle run = b.of("r", "ada");
    const auto hours = [&](int count) {
        for (int i = 0; i < 4 * count; ++i) (void)b.after(15min);
        return b.asked(ControlVerb::spawn);
    };
    REQUIRE(hours(1) == 2);
    b.spend(run, 5);
    if (GENERATE(false, true)) {
        (void)b.after(1s);
        b.start_again();
    }
    CHECK(hours(48) == 2);
    CHECK(b.told(spend_reached) == "run r, with those that go on with it, has spent $5.00 of $5.00");
    REQUIRE(b.dog->finish(*b.dog->find("r"), RunEnd::failed));
    b.of("next", "ada", "r");
    CHECK(hours(3) == 2);
    b.classes = {replacing({.lineage_usd = 50})};
    REQUIRE(b.dog->define(b.classes.front()));
    CHECK(hours(1) > 2);
}

TEST_CASE("an operator gives one run a budget of its own, which a restart does not change [M-200]") {
    Payer b{capped({.lineage_usd = 5, .day_usd = 1000})};
    const RunHandle run = b.of("r", "ada"), other = b.of("other", "ada");
    const auto limit = [&](std::int64_t tokens, double usd) {
        DecisionRow row = limit_of("r");
        row.tokens = tokens;
        row.micro_usd = detail::micros_of(usd);
        REQUIRE(b.dog->decide(row));
    };
    b.spend(run, 6);
    b.spend(other, 6);
    (void)b.after(60s);
    REQUIRE(b.dog->status(run) == Status::runaway);
    limit(0, 20);
    DecisionRow resume = limit_of("r");
    resume.verb = Verb::resume;  // it was paused
    REQUIRE(b.dog->decide(resume));
    (void)b.after(1s);
    (void)b.after(60s);
    CHECK(b.dog->status(run) != Status::runaway);
    CHECK(b.dog->status(other) == Status::runaway);
    CHECK_THAT(*b.dog->explain("r"), ContainsSubstring(R"("verb":"limit","by":"ada","usd":20})"));
    b.start_again();
    b.spend(*b.dog->find("r"), 10);
    (void)b.after(60s);
    (void)b.after(60s);
    CHECK_THAT(b.told(spend_near), ContainsSubstring("$16.00 of $20.00"));
    CHECK(b.dog->status(*b.dog->find("r")) != Status::runaway);
    limit(1000, 0);
    b.spend(*b.dog->find("r"), 0, 1000);
    (void)b.after(60s);
    (void)b.after(60s);
    CHECK(b.dog->status(*b.dog->find("r")) == Status::runaway);
    CHECK_THAT(b.told(spend_reached), ContainsSubstring("1,000 tokens of 1,000 tokens"));
}

TEST_CASE("a budget that nobody asks for, or is out of range, is refused with a sentence [M-200]") {
    Bench b;
    b.classes = {bench::minute_class()};
    b.boot();
    b.run("r");
    const auto refused = [&](Duration length, std::int64_t tokens, std::int64_t micro_usd) {
        DecisionRow row = limit_of("r");
        row.length = length;
        row.tokens = tokens;
        row.micro_usd = micro_usd;
        REQUIRE(b.dog->decide(row));
        (void)b.after(1s);
        const std::string all = *b.dog->explain("r");
        return all.substr(all.rfind("\"limit\""));
    };
    CHECK_THAT(refused(0s, 1000, 0), ContainsSubstring("its class has no budget of tokens"));
    CHECK_THAT(refused(0s, 0, 1000), ContainsSubstring("its class has no budget of money"));
    CHECK_THAT(refused(1h, 1000, 0),
               ContainsSubstring(R"("timeout_s":3600,"tokens":1000,"ignored":"its class has no)"));
    b.classes[0].detectors.turn_on<TokenBudget>({.soft = 100});
    REQUIRE(b.dog->define(b.classes[0]));
    (void)b.after(60s);
    CHECK_THAT(refused(0s, RunSpend::most_tokens + 1, 0), ContainsSubstring("it must be 1 to 2^50 tokens"));
    CHECK_THAT(refused(0s, 1, RunSpend::most_micro_usd + 1), ContainsSubstring("at most 1,000,000,000 USD"));
    CHECK_THAT(refused(0s, 1000, 0), !ContainsSubstring("ignored"));
    REQUIRE(b.dog->observe(*b.dog->find("r"), Usage{500, 499}) == Observed::ok);
    (void)b.after(60s);
    CHECK_THAT(*b.dog->explain("r"), !ContainsSubstring("soft_limit"));
    REQUIRE(b.dog->observe(*b.dog->find("r"), Usage{1, 0}) == Observed::ok);
    (void)b.after(60s);
    CHECK_THAT(*b.dog->explain("r"), ContainsSubstring("soft_limit"));
}

TEST_CASE("no fresh agent is started for an owner beyond the day's cap until the day is over [M-200]") {
    Payer b{replacing({.owner_day_tokens = 1000})};
    const RunHandle run = b.of("r", "ada"), other = b.of("other", "bob");
    const auto hours = [&](int count) {
        for (int i = 0; i < 4 * count; ++i) (void)b.after(15min);
        return b.asked(ControlVerb::spawn);
    };
    b.spend(run, 0, 1000);
    CHECK(hours(3) > 2);  // of bob
    REQUIRE(b.dog->finish(other));
    const auto before = b.asked(ControlVerb::spawn);
    CHECK(hours(2) == before);
    CHECK(hours(24) > before);
}

TEST_CASE("a class with caps says so, and that nobody counts [M-200]") {
    Bench b;
    b.classes = {capped({.lineage_usd = 2.5, .day_tokens = 1'000'000})};
    b.boot();
    CHECK_THAT(b.dog->describe(), ContainsSubstring("spend: at most $2.50 for the run and those that it continues, "
                                                    "1,000,000 tokens for all runs today; needs a SpendLedger"));
    b.run("r");
    (void)b.after(60s);
    CHECK_THAT(*b.dog->explain("r"), ContainsSubstring("no_spend_ledger"));
}
