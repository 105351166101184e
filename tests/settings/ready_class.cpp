#include <heeler/settings/ready_class.hpp>

#include <cstdint>

#include "support/rooms.hpp"

using namespace heeler;
using detail::ReadyClass;

namespace {

/// Refuses what it is told to.
struct Choosy {
    static constexpr std::string_view kind = "choosy";
    struct Settings {
        int most = 3;
        std::uint64_t needed = 7;
    };
    struct Memory {
        char one = 'x';
    };
    void learn(Memory&, const Settings&, const Observation&) const {}
    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run&, Instant) const {
        return std::nullopt;
    }
    [[nodiscard]] Result<void> validate(const Settings& settings) const {
        if (settings.most <= 9) return {};
        return fail(ErrorCode::invalid_argument, "choosy.most must be at most 9");
    }
    [[nodiscard]] std::uint64_t evidence_needed(const Settings& settings) const { return settings.needed; }
};

struct RefusesLadder {
    [[nodiscard]] Decision climb(const LadderTurn& turn) const { return Decision{turn.incident}; }
    [[nodiscard]] Decision absorb(const LadderOutcomes& outcomes) const { return Decision{outcomes.incident}; }
    [[nodiscard]] Result<void> validate() const { return fail(ErrorCode::invalid_argument, "this ladder refuses"); }
};

}  // namespace

TEST_CASE("a class lays out the memory of its detectors, each aligned and apart", "[settings]") {
    RunClass rules = rooms::bare_class();
    rules.detectors.turn_on<Choosy>({3, 11}).turn_on<rooms::Counts<'a'>>().turn_on<rooms::Counts<'b'>>();
    const detail::Mutes mutes;
    const ReadyClass ready{rules, mutes, Elapsed{}};
    REQUIRE(ready.detectors.size() == 3);
    CHECK(ready.detectors[0].ops->kind == "choosy");
    CHECK(ready.detectors[1].ops->kind == "a");
    CHECK(ready.detectors[2].ops->kind == "b");
    std::size_t sum = 0;
    for (const detail::DetectorSlot& slot : ready.detectors) {
        CHECK(slot.offset % slot.ops->alignment == 0);
        for (const detail::DetectorSlot& other : ready.detectors)
            CHECK((&slot == &other || slot.offset + slot.ops->size <= other.offset ||
                   other.offset + other.ops->size <= slot.offset));
        sum += slot.ops->size;
    }
    CHECK(ready.memory_size == sum);  // nothing is lost between two
    CHECK(ready.enough_items == 11);
}

TEST_CASE("a class that is ready keeps settings of its own", "[settings]") {
    RunClass rules = rooms::bare_class();
    rules.detectors.turn_on<Choosy>({3, 11});
    const detail::Mutes mutes;
    const ReadyClass ready{rules, mutes, Elapsed{}};
    rules.detectors.turn_on<Choosy>({5, 0});
    CHECK(static_cast<const Choosy::Settings*>(ready.detectors[0].settings)->most == 3);
    CHECK(ready.rules.detectors.find<Choosy>()->needed == 11);
}

TEST_CASE("what a detector or a ladder refuses is refused in its words", "[settings]") {
    RunClass rules = rooms::bare_class("picky");
    CHECK(ReadyClass::check(rules));
    rules.detectors.turn_on<Choosy>({10, 0});
    auto refused = ReadyClass::check(rules);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::invalid_argument);
    CHECK(refused.error().message == "choosy.most must be at most 9");
    rules.detectors.turn_off<Choosy>();
    rules.ladder = RefusesLadder{};
    refused = ReadyClass::check(rules);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == "this ladder refuses");
    rules.ladder = {};
    CHECK_FALSE(ReadyClass::check(rules));
}

TEST_CASE("a mute is of one identity, and what has none is never muted", "[settings]") {
    detail::Mutes mutes;
    CHECK_FALSE(mutes.has(7));
    mutes.add(0);
    CHECK_FALSE(mutes.has(0));
    mutes.add(7);
    mutes.add(7);
    CHECK(mutes.has(7));
    CHECK_FALSE(mutes.has(8));
}
