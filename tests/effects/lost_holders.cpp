#include <heeler/effects/lost_holders.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::House;

namespace {

std::string tell_of(detail::LostHolders& lost, House& house) {
    CycleReport report;
    lost.tell(house.notifier_port, house.now(), report);
    std::string told;
    for (const auto& event : bench::all_of<AlertEvent>(report)) told += event.row.alert.summary + "|";
    return told;
}

}  // namespace

TEST_CASE("a lost holder is on record once, and told until somebody heard it", "[effects]") {
    House house;
    detail::LostHolders& lost = house.lost;
    CHECK_FALSE(lost.next());
    lost.found({"dog\x1b[1m", 3}, house.now());
    const auto audit = lost.take_audit();
    REQUIRE(audit.size() == 1);
    CHECK(audit[0].kind == "orchestrator.lost");
    CHECK(audit[0].body.find('\x1b') == std::string::npos);
    CHECK(lost.take_audit().empty());
    CHECK(lost.next() == house.now().wall);

    house.notifier.answer_with({Delivery::fail, Delivery::ok});
    CHECK(tell_of(lost, house).empty());
    CHECK(lost.next() == house.now().wall + 1s);
    CHECK(tell_of(lost, house).empty());
    CHECK(house.notifier.sent().size() == 1);
    house.clock.advance(1s);
    CHECK_THAT(tell_of(lost, house), ContainsSubstring("it held 3 runs"));
    CHECK_FALSE(lost.next());
    const auto sent = house.notifier.sent();
    REQUIRE(sent.size() == 2);
    CHECK((sent[0].alert.key == sent[1].alert.key && sent[1].alert.attempt == 2));
    CHECK(sent[0].alert.severity == Severity::critical);
}

TEST_CASE("several lost holders are told each", "[effects]") {
    House house;
    house.lost.found({"a", 1}, house.now());
    house.lost.found({"b", 0}, house.now());
    CHECK_THAT(tell_of(house.lost, house), ContainsSubstring("`a`") && ContainsSubstring("`b`"));
    CHECK(house.notifier.sent().size() == 2);
}
