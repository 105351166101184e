#include <heeler/run/watched_run.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::RunMemory;
using detail::SpecBytes;

namespace {

std::string encoded(RunSpec spec) {
    ArchiveWriter writer{Instant{}};
    detail::archive_spec(writer, spec);
    return writer.take();
}

}  // namespace

TEST_CASE("a spec in memory gives back each byte, however many zeros it ends with", "[run]") {
    for (const std::size_t text : {0u, 1u, 254u, 255u, 256u, 257u, 300'000u})
        for (const std::size_t zeros : {0u, 1u, 126u, 127u, 128u, 500u}) {
            INFO(text << " bytes, then " << zeros << " zeros");
            const std::string bytes = std::string(text, 'x') + std::string(zeros, '\0');
            CHECK(SpecBytes{bytes}.bytes() == bytes);
        }
    CHECK(SpecBytes{}.bytes().empty());
}

TEST_CASE("id and name of a run are read where its spec lies", "[run]") {
    RunSpec spec;
    spec.id = "worker-7";
    const SpecBytes unnamed{encoded(spec)};
    CHECK(unnamed.id() == "worker-7");
    CHECK(unnamed.name() == "worker-7");
    spec.name = "the seventh";
    spec.plan = {1, 2, 3};
    spec.work_item = std::string(1'000, 'w');
    const SpecBytes named{encoded(spec)};
    CHECK(named.name() == "the seventh");
    CHECK(named.decoded().plan == spec.plan);
    CHECK(named.decoded().work_item == spec.work_item);
}

TEST_CASE("what a run used is saved with its facts, and nothing used is nothing kept", "[run]") {
    RunMemory before;
    before.run.usage.edit().tokens_in = 41;
    before.run.usage.edit().cost_usd = 0.5;
    ArchiveWriter used{Instant{}}, unused{Instant{}};
    before.archive_facts(used);
    RunMemory{}.archive_facts(unused);
    CHECK(used.bytes().size() == unused.bytes().size());
    RunMemory after, idle;
    ArchiveReader from_used{used.bytes(), Instant{}}, from_unused{unused.bytes(), Instant{}};
    after.archive_facts(from_used);
    idle.archive_facts(from_unused);
    REQUIRE((from_used.ok() && from_used.at_end() && from_unused.ok() && from_unused.at_end()));
    CHECK(*after.run.usage == *before.run.usage);
    CHECK_FALSE(idle.run.usage);
}

TEST_CASE("times of samples and what an incident is about are saved [M-034]", "[run]") {
    RunMemory before;
    before.rare.edit().heartbeats.edit() = {{1, 5, 5, WallTime{std::chrono::seconds{60}}},
                                            {2, {}, 0, WallTime{std::chrono::seconds{120}}}};
    before.verdict.edit().cause = Condition::loop_detected;
    before.verdict.edit().found = "Looping";
    ArchiveWriter to{Instant{}};
    before.archive_facts(to);
    RunMemory after;
    ArchiveReader from{to.bytes(), Instant{}};
    after.archive_facts(from);
    REQUIRE((from.ok() && from.at_end() && after.rare->heartbeats->size() == 2));
    CHECK((*after.rare->heartbeats)[1].at == WallTime{std::chrono::seconds{120}});
    CHECK((after.verdict->cause == Condition::loop_detected && after.verdict->found == "Looping"));
}

TEST_CASE("how far an escalation got is saved", "[run]") {
    RunMemory before;
    before.verdict.edit().told.levels.edit() = {Elapsed{std::chrono::seconds{900}}, 3, 2, 5, "ann"};
    ArchiveWriter to{Instant{}};
    before.archive_facts(to);
    RunMemory after;
    ArchiveReader from{to.bytes(), Instant{}};
    after.archive_facts(from);
    REQUIRE((from.ok() && from.at_end()));
    const detail::ToldLevels& chain = *after.verdict->told.levels;
    CHECK((chain.next == Elapsed{std::chrono::seconds{900}} && chain.incident == 3 && chain.told == 2));
    CHECK((chain.steps == 5 && chain.by == "ann"));
}

TEST_CASE("that an alert was kept back is saved", "[run]") {
    RunMemory before;
    before.verdict.edit().told.begin = detail::Beginning::inhibited;
    ArchiveWriter to{Instant{}};
    before.archive_facts(to);
    RunMemory after;
    ArchiveReader from{to.bytes(), Instant{}};
    after.archive_facts(from);
    REQUIRE((from.ok() && from.at_end()));
    CHECK(after.verdict->told.begin == detail::Beginning::inhibited);
}

TEST_CASE("what the runs below it have done is saved, and up to where those above it were credited", "[run]") {
    RunMemory before;
    before.run.children.edit() = {.progress = Elapsed{5s}, .last_end = Elapsed{7s}, .told = 9};
    before.rare.edit().credited = 3s;
    ArchiveWriter to{Instant{}};
    before.archive_facts(to);
    RunMemory after;
    ArchiveReader from{to.bytes(), Instant{}};
    after.archive_facts(from);
    REQUIRE((from.ok() && from.at_end()));
    CHECK((after.run.children->progress == Elapsed{5s} && after.run.children->last_end == Elapsed{7s}));
    CHECK((after.run.children->told == 9 && after.rare->credited == 3s));
}

TEST_CASE("facts of another layout are refused", "[run]") {
    RunMemory before;
    ArchiveWriter to{Instant{}};
    before.archive_facts(to);
    for (const int layout : {0, RunMemory::facts_layout + 1, 255}) {
        std::string bytes = to.bytes();
        bytes[0] = static_cast<char>(layout);
        RunMemory after;
        ArchiveReader from{bytes, Instant{}};
        after.archive_facts(from);
        CHECK_FALSE(from.ok());
    }
}

TEST_CASE("facts and specs with a value that does not exist are refused", "[run]") {
    const auto reads = [](auto&& change) {
        RunMemory before;
        change(before);
        ArchiveWriter to{Instant{}};
        before.archive_facts(to);
        RunMemory after;
        ArchiveReader from{to.bytes(), Instant{}};
        after.archive_facts(from);
        return from.ok() && from.at_end();
    };
    CHECK(reads([](RunMemory& run) { run.run.state = RunState::abandoned; }));
    CHECK_FALSE(reads([](RunMemory& run) { run.run.state = static_cast<RunState>(11); }));
    CHECK_FALSE(reads([](RunMemory& run) { run.run.metric = static_cast<MetricKind>(3); }));
    CHECK_FALSE(reads([](RunMemory& run) { run.shown.status = static_cast<Status>(6); }));
    CHECK_FALSE(reads([](RunMemory& run) { run.shown.level = static_cast<Level>(4); }));
    CHECK_FALSE(reads([](RunMemory& run) { run.skip = static_cast<detail::Skip>(7); }));
    CHECK_FALSE(reads([](RunMemory& run) { run.checkpoints.edit().last.reason = static_cast<CheckpointReason>(5); }));
    CHECK_FALSE(reads([](RunMemory& run) { run.verdict.edit().incident.phase = static_cast<Phase>(5); }));
    CHECK_FALSE(reads([](RunMemory& run) { run.verdict.edit().told.begin = static_cast<detail::Beginning>(4); }));

    RunSpec spec;
    spec.id = "r";
    spec.metric = static_cast<MetricKind>(3);
    const std::string bytes = encoded(spec);
    ArchiveReader reader{bytes, Instant{}};
    detail::archive_spec(reader, spec);
    CHECK_FALSE(reader.ok());
}

TEST_CASE("a run's parent is read without the rest of what is stored of it", "[run]") {
    RunSpec spec;
    spec.id = "r";
    CHECK(SpecBytes{encoded(spec)}.parent().empty());
    spec.tags = {"a", "b"};
    spec.plan = {1, 2};
    spec.timeout = Duration{7};
    spec.work_item = "a long story";
    spec.parent = "boss";
    CHECK(SpecBytes{encoded(spec)}.parent() == "boss");
    spec.parent.clear();
    spec.origin = "chat";
    CHECK(SpecBytes{encoded(spec)}.parent().empty());
}

TEST_CASE("what a silence kept from people is saved", "[run]") {
    RunMemory before;
    before.verdict.edit().told.unheard.edit() = {12, 3, bit_of(Condition::needs_input), true, false};
    ArchiveWriter to{Instant{}};
    before.archive_facts(to);
    RunMemory after;
    ArchiveReader from{to.bytes(), Instant{}};
    after.archive_facts(from);
    REQUIRE((from.ok() && from.at_end()));
    const detail::Unheard& unheard = *after.verdict->told.unheard;
    CHECK((unheard.silence == 12 && unheard.incident == 3 && unheard.edges == bit_of(Condition::needs_input)));
    CHECK((unheard.began && !unheard.escalated));
    CHECK(after.verdict->told.is_unheard(Condition::needs_input));
}

TEST_CASE("gain, repetition and from when on a run was seen are saved", "[run]") {
    RunMemory before;
    before.run.last_gain = Duration{std::chrono::seconds{7}};
    before.run.seen_from = std::chrono::seconds{900};
    before.verdict.edit().repeated_by = detail::kind_bit("loop_calls");
    ArchiveWriter to{Instant{}};
    before.archive_facts(to);
    RunMemory after;
    ArchiveReader from{to.bytes(), Instant{}};
    after.archive_facts(from);
    REQUIRE((from.ok() && from.at_end()));
    CHECK((after.run.last_gain == Duration{std::chrono::seconds{7}}));
    CHECK((after.run.seen_from == Duration{std::chrono::seconds{900}}));
    CHECK(after.verdict->repeated_by == detail::kind_bit("loop_calls"));
}

TEST_CASE("of two alerts that silences kept from people about one incident both are owed, of an earlier one neither") {
    detail::Unheard marks{1, 7, 1, true, false};
    marks.add({2, 7, 2, false, true});
    CHECK((marks.silence == 2 && marks.edges == 3 && marks.began && marks.escalated));
    marks.add({3, 8, 0, true, false});
    CHECK((marks.incident == 8 && marks.edges == 3 && marks.began && !marks.escalated));
}

TEST_CASE("a run with an owner is stored with it [M-046]") {
    RunSpec spec;
    spec.id = "r";
    spec.start_unknown = true;
    CHECK(SpecBytes{encoded(spec)}.decoded().owner.empty());
    spec.owner = "ann";
    const RunSpec read = SpecBytes{encoded(spec)}.decoded();
    CHECK((read.owner == "ann" && read.start_unknown));
}

TEST_CASE("a run of a single prompt is stored as one, owned or not [M-018]") {
    for (const std::string owner : {"", "ann"}) {
        RunSpec spec;
        spec.id = "r";
        spec.owner = owner;
        CHECK_FALSE(SpecBytes{encoded(spec)}.decoded().single_prompt);
        spec.single_prompt = true;
        const RunSpec read = SpecBytes{encoded(spec)}.decoded();
        CHECK(read.single_prompt);
        CHECK(read.owner == owner);
    }
}

TEST_CASE("only an owner's word on silence is the owner's alone [M-046]") {
    for (const Verb verb : {Verb::snooze, Verb::resume_watch, Verb::dismiss}) {
        CHECK(detail::not_of_owner("ann", verb, "bob"));
        CHECK(detail::not_of_owner("ann", verb, ""));
        CHECK_FALSE(detail::not_of_owner("ann", verb, "ann"));
        CHECK_FALSE(detail::not_of_owner("", verb, "bob"));
    }
    for (const Verb verb :
         {Verb::ack, Verb::resume, Verb::mark_stopped, Verb::mark_wrong, Verb::freeze, Verb::unfreeze, Verb::silence})
        CHECK_FALSE(detail::not_of_owner("ann", verb, "bob"));
}

TEST_CASE("an idle run stays small") { CHECK(sizeof(detail::WatchedRun) <= 416); }

TEST_CASE("what few runs have is not made by loading a run that has none of it") {
    const auto loaded = [](RunMemory& saved) {
        RunMemory facts;
        ArchiveWriter to{Instant{}};
        saved.archive_facts(to);
        ArchiveReader from{to.bytes(), Instant{}};
        facts.archive_facts(from);
        REQUIRE((from.ok() && from.at_end()));
        return facts;
    };
    RunMemory run;
    CHECK_FALSE(loaded(run).rare);
    run.wait_until({});
    CHECK_FALSE(run.rare);
    run.wait_until(Elapsed{5s});
    CHECK(loaded(run).rare->waits_until == Elapsed{5s});
    run = RunMemory{};
    run.rare.edit().debounced = 2;
    CHECK(loaded(run).rare->debounced == 2);
    run = RunMemory{};
    run.rare.edit().fenced_told = 3;
    CHECK(loaded(run).rare->fenced_told == 3);
    run = RunMemory{};
    run.rare.edit().earlier_calls = 4;
    CHECK(loaded(run).rare->earlier_calls == 4);
}

TEST_CASE("of many gaps without a sign in between no more is made of another, also after a restart [D-57]", "[run]") {
    RunMemory before;
    const auto at = [](int minutes) { return Elapsed{std::chrono::minutes{minutes}}; };
    for (int i = 1; i <= 20; ++i) {
        const Run& run = before.run;
        CHECK(run.watched_since(Duration{}).has_value() == (i > 1 && i <= 8));
        before.see_from(at(i));
    }
    before.rare.edit().held_starts = 3;
    ArchiveWriter to{Instant{}};
    before.archive_facts(to);
    RunMemory after;
    ArchiveReader from{to.bytes(), Instant{}};
    after.archive_facts(from);
    REQUIRE((from.ok() && from.at_end()));
    CHECK(after.rare->held_starts == 3);
    const Run& run = after.run;
    using std::chrono::minutes;
    CHECK(run.unseen_for(minutes{12}, at(30)) == minutes{18});  // eight came since
    CHECK(run.unseen_for(minutes{13}, at(30)) == minutes{10});
    CHECK(run.unseen_for(minutes{25}, at(30)) == minutes{5});
}
