// A detector that a host brings: it judges, it is saved and loaded, and what it throws stays with its run.
#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// Too many failed tool results in a row.
struct ResultsInARow {
    static constexpr std::string_view kind = "results_in_a_row";
    struct Settings {
        int most = 3;
        bool broken = false;
    };
    struct Memory {
        int failures = 0;
    };
    void learn(Memory& memory, const Settings& settings, const Observation& seen) const {
        if (settings.broken) throw 7;
        if (const auto* result = std::get_if<ToolResult>(&seen.event))
            memory.failures = result->ok.value_or(true) ? 0 : memory.failures + 1;
    }
    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run&,
                                               Instant) const {
        if (memory.failures < settings.most) return std::nullopt;
        Finding finding{Condition::stalled, Level::nudge, kind, {.rule = "failures_in_a_row"}};
        finding.evidence.add("failures", memory.failures).add("threshold", settings.most);
        return finding;
    }
};

/// Memory that does not fit into one block.
struct ToolNames {
    static constexpr std::string_view kind = "tool_names";
    struct Settings {};
    struct Memory {
        std::vector<std::string> names;
        template <class A>
        void archive(A& a) {
            a(names);
        }
    };
    void learn(Memory& memory, const Settings&, const Observation& seen) const {
        if (const auto* call = std::get_if<ToolCall>(&seen.event)) memory.names.emplace_back(call->name);
    }
    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings&, const Run&, Instant) const {
        if (memory.names != std::vector<std::string>{"ls", "rm"}) return std::nullopt;
        return Finding{Condition::runaway, Level::watch, kind, {.rule = "names"}};
    }
};

/// An agent that is sorry again and again.
struct Apologies {
    static constexpr std::string_view kind = "apologies";
    static constexpr EventMask listens = events<Message, Watermark>;
    struct Settings {
        std::uint32_t most = 3;
    };
    struct Memory {
        std::uint32_t sorry = 0;
        std::uint32_t messages = 0;
    };
    void learn(Memory& memory, const Settings&, const Observation& seen) const {
        if (std::holds_alternative<Watermark>(seen.event)) {
            memory = {};
        } else if (const auto* message = std::get_if<Message>(&seen.event)) {
            ++memory.messages;
            memory.sorry += message->text.find("sorry") != std::string_view::npos ? 1 : 0;
        }
    }
    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run&,
                                               Instant) const {
        if (memory.sorry < settings.most) return std::nullopt;
        return Finding{Condition::loop_detected, Level::nudge, kind, {.rule = kind}};
    }
    [[nodiscard]] std::uint32_t evidence_needed(const Settings& settings) const { return settings.most; }
    [[nodiscard]] std::uint32_t new_items(const Memory& memory, const Settings&) const { return memory.messages; }
};

bench::Bench bench_with(ResultsInARow::Settings settings) {
    bench::Bench b;
    b.classes[0].detectors.turn_on<ResultsInARow>(settings).turn_on<ToolNames>();
    b.settings.memory_every = 0s;
    b.boot();
    return b;
}

}  // namespace

TEST_CASE("a host's own detector judges and is explained") {
    auto b = bench_with({});
    const RunHandle run = b.run();
    for (int i = 0; i < 3; ++i) (void)b.dog->observe(run, ToolResult{false, std::to_string(i), {}, {}});
    (void)b.after(60s);
    CHECK(b.acts == "inject:nudge done");
    CHECK_THAT(*b.dog->explain("r"), ContainsSubstring("failures_in_a_row") && ContainsSubstring("results_in_a_row"));
    CHECK_THAT(b.dog->describe(), ContainsSubstring("results_in_a_row") && ContainsSubstring("tool_names"));
}

TEST_CASE("a host's own detector remembers across a restart [M-136]") {
    auto b = bench_with({});
    const RunHandle run = b.run();
    for (int i = 0; i < 2; ++i) (void)b.dog->observe(run, ToolResult{false, std::to_string(i), {}, {}});
    (void)b.dog->observe(run, ToolCall{"ls", "{}", {}});
    (void)b.after(60s);
    b.boot();
    (void)b.cycle();
    const auto again = b.dog->find("r");
    REQUIRE(again);
    (void)b.dog->observe(*again, ToolResult{false, "x", {}, {}});
    (void)b.dog->observe(*again, ToolCall{"rm", "{}", {}});
    const heeler::CycleReport report = b.after(60s);
    CHECK(b.acts == "inject:nudge done");
    CHECK(b.dog->status(*again) == Status::runaway);  // shown, but only worth a look
}

TEST_CASE("a class without a detector pays nothing for it and is not judged by it") {
    auto b = bench_with({});
    REQUIRE(b.dog->define(bench::minute_class("plain")));
    const auto run = b.dog->start(bench::spec_of("p"), "plain");
    REQUIRE(run);
    for (int i = 0; i < 9; ++i) (void)b.dog->observe(*run, ToolResult{false, std::to_string(i), {}, {}});
    (void)b.after(60s);
    CHECK(b.acts.empty());
}

TEST_CASE("a detector that throws is refused for its run alone [M-008] [M-007]") {
    auto b = bench_with({});
    RunClass bad = bench::minute_class("bad");
    bad.detectors.turn_on<ResultsInARow>({3, true});
    REQUIRE(b.dog->define(bad));
    const auto broken = b.dog->start(bench::spec_of("broken"), "bad");
    REQUIRE(broken);
    CHECK(b.dog->observe(*broken, ToolResult{false, "x", {}, {}}) == Observed::refused);
    const RunHandle run = b.run();
    for (int i = 0; i < 3; ++i) (void)b.dog->observe(run, ToolResult{false, std::to_string(i), {}, {}});
    const CycleReport report = b.after(60s);
    CHECK(report.errors >= 1);
    CHECK(b.acts == "inject:nudge done");
}

TEST_CASE("a set that grew takes up what a smaller set saved [M-136]") {
    bench::Bench old;
    old.settings.memory_every = 0s;
    old.boot();
    old.progress(old.run(), 1);
    (void)old.after(60s);
    bench::Bench b;
    b.memory = old.memory;
    b.clock.advance(120s);
    b.boot();
    const CycleReport report = b.cycle();
    CHECK(report.errors == 0);
    CHECK(b.dog->find("r"));
}

TEST_CASE("an agent that obeys a host's detector of repetition is let alone [D-09] [D-60]") {
    bench::Bench b;
    b.classes[0].detectors = {};
    b.classes[0].detectors.turn_on<Apologies>();
    b.boot();
    RunSpec spec = bench::spec_of("r");
    spec.metric = MetricKind::output_lines;
    const RunHandle run = b.run(spec);
    const auto says = [&](std::string_view text) { (void)b.dog->observe(run, Message{true, text}); };
    for (int i = 0; i < 3; ++i) says("I am sorry");
    b.minutes(1);
    REQUIRE(b.acts == "inject:break_pattern done");
    SECTION("as many messages without a finding prove it") {
        for (const std::string_view text : {"The cause is the lexer.", "It drops a token.", "Mended."}) says(text);
        b.minutes(1);
        CHECK(b.outcomes() == "inject:break_pattern recovered");
    }
    SECTION("output alone proves nothing") {
        for (std::size_t i = 0; i < 99; ++i) (void)b.dog->observe(run, Output{std::string(1 + i, 'x') + "\n"});
        b.minutes(1);
        CHECK(b.outcomes() == "inject:break_pattern pending");
        says("The cause is the lexer.");
        (void)b.dog->observe(run, ToolResult{true, "lexer.cpp:7", {}, {}});
        b.minutes(1);
        CHECK(b.outcomes() == "inject:break_pattern recovered");
    }
    b.minutes(10);
    CHECK(b.acts == "inject:break_pattern done");
}
