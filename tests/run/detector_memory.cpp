#include <heeler/run/detector_memory.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::DetectorMemory;
using detail::Findings;
using detail::ReadyClass;
using detail::Shared;
using rooms::Counts;

namespace {

struct Lives {
    static inline int now = 0;
    Lives() { ++now; }
    Lives(Lives&&) noexcept { ++now; }
    Lives& operator=(Lives&&) noexcept = default;
    ~Lives() { --now; }
    template <class A>
    void archive(A& a) {
        a(value);
    }
    std::uint64_t value = 5;
};

/// Its memory is more than bytes.
struct Living {
    static constexpr std::string_view kind = "living";
    struct Settings {};
    using Memory = Lives;
    void learn(Memory& memory, const Settings&, const Observation&) const { ++memory.value; }
    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run&, Instant) const {
        return std::nullopt;
    }
};

/// Answers what it was set to, and counts how often it is asked.
template <char Name>
struct Alarm {
    static constexpr char name[] = {'!', Name, '\0'};
    static constexpr std::string_view kind{name, 2};
    struct Settings {
        std::optional<Duration> due{};
        std::optional<Elapsed> due_waiting{};
    };
    struct Memory {
        int looks = 0;
    };
    void learn(Memory&, const Settings&, const Observation&) const {}
    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run&, Instant) const {
        return std::nullopt;
    }
    [[nodiscard]] std::optional<Duration> due(const Memory&, const Settings& set, const Run&, Duration) const {
        return set.due;
    }
    [[nodiscard]] std::optional<Elapsed> due_waiting(const Memory&, const Settings& set, const Run&, Elapsed) const {
        return set.due_waiting;
    }
    [[nodiscard]] std::optional<Sighting> poll(Memory& memory, const Settings&, const Run&, const LastCheckpoint&,
                                               Instant) const {
        ++memory.looks;
        return Sighting{kind, kind, {}, Duration{memory.looks}};
    }
};

/// Wide memory, as vector instructions want it.
struct Wide {
    static constexpr std::string_view kind = "wide";
    struct Settings {};
    struct alignas(64) Memory {
        std::array<std::uint64_t, 8> lanes{};
    };
    void learn(Memory&, const Settings&, const Observation&) const {}
    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings&, const Run&, Instant) const {
        if (reinterpret_cast<std::uintptr_t>(&memory) % alignof(Memory) == 0) return std::nullopt;
        return Finding{Condition::stalled, Level::nudge, kind, {.rule = "not aligned"}};
    }
};

/// Finds what only a host has a name for, and says how much proves that it is over.
struct OwnRepetition {
    static constexpr std::string_view kind = "own";
    static constexpr Condition own = Condition::custom(0, "OWN", 45, Status::stalled);
    struct Settings {};
    struct Memory {
        std::uint32_t calls = 0;
    };
    void learn(Memory& memory, const Settings&, const Observation&) const { ++memory.calls; }
    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run&, Instant) const {
        return Finding{own, Level::nudge, kind, {.rule = "own"}};
    }
    [[nodiscard]] int evidence_needed(const Settings&) const { return 2; }
    [[nodiscard]] std::uint32_t new_items(const Memory& memory, const Settings&) const { return memory.calls; }
};

const detail::Mutes mutes;

template <class... Detectors>
Shared<const ReadyClass> class_of() {
    RunClass rules = rooms::bare_class();
    (rules.detectors.turn_on<Detectors>(), ...);
    return Shared<const ReadyClass>::make(rules, mutes, Elapsed{});
}

void call(DetectorMemory& memory, int times = 1) {
    for (int i = 0; i < times; ++i) memory.learn(Observation{{}, 0, 0, 0, ToolCall{"ls", "{}", {}}});
}

List<Finding> findings_in(const DetectorMemory& memory) {
    List<Finding> all;
    memory.check(Run{}, Instant{}, [&](const Finding& finding) { all.push_back(finding); });
    return all;
}

std::string counts_in(const DetectorMemory& memory) { return rooms::counts_of(findings_in(memory)); }

std::string saved(const DetectorMemory& memory) {
    ArchiveWriter to{Instant{}};
    memory.save(to, Instant{});
    return to.take();
}

DetectorMemory loaded(const Shared<const ReadyClass>& of, const std::string& bytes) {
    DetectorMemory memory{of};
    ArchiveReader from{bytes, Instant{}};
    memory.load(from, Instant{});
    CHECK(from.ok());
    CHECK(from.at_end());
    return memory;
}

}  // namespace

TEST_CASE("a detector hears what it listens to, and each keeps its own memory", "[run]") {
    const auto of = class_of<Counts<'a'>, Counts<'b'>>();
    DetectorMemory memory{of};
    call(memory, 2);
    memory.learn(Observation{{}, 0, 0, 0, Progress{1}});
    CHECK(counts_in(memory) == "a 2, b 2");
}

TEST_CASE("what is saved by kind is found again by a class that lost, gained and moved detectors [M-136]", "[run]") {
    const auto before = class_of<Counts<'a'>, Counts<'b'>, Counts<'c'>>();
    DetectorMemory memory{before};
    call(memory, 3);
    const std::string bytes = saved(memory);
    const auto after = class_of<Counts<'n'>, Counts<'c'>, Counts<'a'>>();
    DetectorMemory later = loaded(after, bytes);
    CHECK(counts_in(later) == "n 0, c 3, a 3");
    call(later);
    CHECK(counts_in(later) == "n 1, c 4, a 4");
}

TEST_CASE("a detector whose layout was raised begins anew, the others keep theirs [M-136]", "[run]") {
    const auto before = class_of<Counts<'a'>, Counts<'b'>>();
    DetectorMemory memory{before};
    call(memory, 3);
    const auto after = class_of<Counts<'a', 2>, Counts<'b'>>();
    CHECK(counts_in(loaded(after, saved(memory))) == "a 0, b 3");
}

TEST_CASE("the damaged part of one detector costs nobody else's memory", "[run]") {
    const auto of = class_of<Counts<'a'>, Counts<'b'>>();
    DetectorMemory memory{of};
    call(memory, 3);
    // The bytes of `a` are one short, as if its memory had been smaller.
    ArchiveWriter to{Instant{}};
    std::uint32_t count = 2, layout = 1;
    std::string a{"a"}, b{"b"}, short_part(3, '\0');
    ArchiveWriter whole_part{Instant{}};
    Counts<'b'>::Memory three{3};
    whole_part(three);
    std::string whole = whole_part.take();
    to(count, a, layout, short_part, b, layout, whole);
    CHECK(counts_in(loaded(of, to.take())) == "a 0, b 3");
}

TEST_CASE("memory of any type is made and destroyed once, also when it moves", "[run]") {
    const int before = Lives::now;
    {
        const auto of = class_of<Counts<'a'>, Living>();
        const int unused = Lives::now;
        DetectorMemory memory{of};
        call(memory);
        CHECK(Lives::now == unused + 1);
        DetectorMemory moved{std::move(memory)};
        memory = std::move(moved);
        CHECK(Lives::now == unused + 1);
        memory = DetectorMemory{of};
        call(memory, 2);
        CHECK(Lives::now == unused + 1);
        DetectorMemory none;
        memory = std::move(none);
        CHECK(Lives::now == unused);
    }
    CHECK(Lives::now == before);
}

TEST_CASE("runs of which nothing was learned share one memory until something is", "[run]") {
    const auto of = class_of<Counts<'a'>, Living>();
    const int unused = Lives::now;
    DetectorMemory idle{of}, busy{of};
    CHECK(counts_in(idle) == "a 0");
    CHECK(counts_in(loaded(of, saved(idle))) == "a 0");
    CHECK(Lives::now == unused);
    call(busy);
    CHECK(counts_in(busy) == "a 1");
    CHECK(counts_in(idle) == "a 0");
    CHECK(Lives::now == unused + 1);
}

TEST_CASE("memory lies as aligned as its type asks for", "[run]") {
    const auto of = class_of<Counts<'a'>, Wide>();
    std::vector<DetectorMemory> many;
    for (int i = 0; i < 8; ++i) CHECK(rooms::counts_of(findings_in(many.emplace_back(of))) == "a 0");
    for (const DetectorMemory& memory : many) CHECK(findings_in(memory).size() == 1);
}

TEST_CASE("the earliest moment that any detector asks for counts, but none that is past", "[run]") {
    RunClass rules = rooms::bare_class();
    rules.detectors.turn_on<Alarm<'a'>>({50s, Elapsed{9s}})
        .turn_on<Alarm<'b'>>({20s, Elapsed{7s}})
        .turn_on<Alarm<'c'>>({5s, std::nullopt})
        .turn_on<Counts<'d'>>();
    const auto of = Shared<const ReadyClass>::make(rules, mutes, Elapsed{});
    const DetectorMemory memory{of};
    CHECK(memory.due(Run{}, 10s) == 20s);
    CHECK(memory.due(Run{}, 51s) == std::nullopt);
    CHECK(memory.due_waiting(Run{}, {}) == Elapsed{7s});
    CHECK(memory.due_waiting(Run{}, Elapsed{7s}) == Elapsed{9s});  // it was looked at then
    CHECK_FALSE(memory.due_waiting(Run{}, Elapsed{9s}));
}

TEST_CASE("every detector that looks is asked, and the first sighting counts", "[run]") {
    const auto of = class_of<Alarm<'a'>, Alarm<'b'>>();
    DetectorMemory memory{of};
    for (int i = 1; i <= 2; ++i) {
        const auto saw = memory.poll(Run{}, LastCheckpoint{}, Instant{});
        REQUIRE(saw);
        CHECK(saw->record == "!a");
        CHECK(saw->age == Duration{i});
    }
    CHECK(loaded(of, saved(memory)).poll(Run{}, LastCheckpoint{}, Instant{})->age == Duration{3});
}

TEST_CASE("findings are worst first, and of equals the one that came first", "[run]") {
    Findings findings;
    findings.add({Condition::stalled, Level::nudge, "one"});
    findings.add({Condition::timeout, Level::stop, "two"});
    findings.add({Condition::stalled, Level::nudge, "three"});
    findings.add({Condition::runaway, Level::nudge, "four"});
    std::string order;
    for (const Finding& finding : findings) order += std::string{finding.kind} + " ";
    CHECK(order == "two four one three ");
}

TEST_CASE("of more findings than fit the least are left out, whenever the worst comes", "[run]") {
    static constexpr Condition worst = Condition::custom(3, "WORST_OF_ALL", 1, Status::stalled);
    Findings findings;
    for (std::size_t i = 0; i < Findings::capacity; ++i) findings.add({Condition::stalled, Level::nudge, "stall"});
    findings.add({Condition::token_budget, Level::nudge, "least"});
    CHECK(static_cast<std::size_t>(findings.end() - findings.begin()) == Findings::capacity);
    CHECK(findings.begin()[Findings::capacity - 1].condition == Condition::stalled);
    findings.add({worst, Level::nudge, "worst"});
    findings.add({Condition::timeout, Level::stop, "limit"});
    CHECK(static_cast<std::size_t>(findings.end() - findings.begin()) == Findings::capacity);
    CHECK(findings.begin()[0].condition == worst);
    CHECK(findings.begin()[1].condition == Condition::timeout);
    CHECK(findings.begin()[Findings::capacity - 1].condition == Condition::stalled);
}

TEST_CASE("who says what proves that it is over finds repetitions, and has had enough by its own count [D-60]",
          "[run]") {
    DetectorMemory memory{class_of<OwnRepetition, Counts<'a'>>()};
    call(memory);
    for (const Finding& finding : findings_in(memory))
        CHECK(memory.is_repetition(finding) == (finding.kind == OwnRepetition::kind));
    CHECK(memory.is_repetition(Finding{Condition::loop_detected, Level::nudge, "a", {.rule = "count"}}));
    const std::uint32_t own = detail::kind_bit(OwnRepetition::kind), other = detail::kind_bit("a");
    CHECK_FALSE(memory.had_enough(own, 99));
    call(memory);
    CHECK(memory.had_enough(own, 0));
    CHECK_FALSE(memory.had_enough(own | other, 1));  // that one says no number: the highest of the class
    CHECK(memory.had_enough(own | other, 2));
    CHECK_FALSE(memory.had_enough(0, 99));
}
