#include <heeler/storage/held_lease.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::House;

namespace {

/// One of several: lease 15 s, renewed every 5 s, not relied upon in its last 2 s.
struct OneOfSeveral : House {
    OneOfSeveral() { settings.holder = "dog"; }
};

}  // namespace

TEST_CASE("who is alone may always act", "[storage]") {
    House house;
    CHECK(house.held_lease.alone());
    CHECK(house.held_lease.holds());
    house.held_lease.gone();
    CHECK(house.held_lease.holds());
    CHECK_FALSE(house.held_lease.next_renewal(house.now()));
}

TEST_CASE("a lease is relied upon from when it was asked for until its margin begins", "[storage]") {
    OneOfSeveral house;
    CHECK_FALSE(house.held_lease.holds());
    CHECK(house.held_lease.is_due(house.now().elapsed));
    const Elapsed asked = house.now().elapsed;
    house.clock.advance(4s);  // the store took its time
    CHECK_FALSE(house.held_lease.granted({"dog", 1}, asked));
    CHECK(house.held_lease.holds(asked + 13s - 1us));
    CHECK_FALSE(house.held_lease.holds(asked + 13s));
    CHECK(house.held_lease.holds());
    house.clock.advance(9s);
    CHECK_FALSE(house.held_lease.holds());
    CHECK_FALSE(house.held_lease.is_due(asked + 4s - 1us));
    CHECK(house.held_lease.is_due(asked + 5s));
}

TEST_CASE("leases are renewed up to a fifth sooner than they must, by a lot of each holder's own", "[storage]") {
    OneOfSeveral house, other;
    other.settings.holder = "cat";
    const auto due = [](House& of, Duration wait) { return of.held_lease.is_due(of.now().elapsed + wait); };
    int early = 0, together = 0;
    for (int i = 0; i < 400; ++i) {
        (void)house.held_lease.granted({"dog", 1}, house.now().elapsed);
        (void)other.held_lease.granted({"cat", 1}, other.now().elapsed);
        CHECK_FALSE(due(house, 4s - 1us));
        CHECK(due(house, 5s));
        early += due(house, 4500ms) ? 1 : 0;
        together += due(house, 4500ms) == due(other, 4500ms) ? 1 : 0;
        house.clock.advance(5s);
        other.clock.advance(5s);
    }
    CHECK((early > 160 && early < 240));
    CHECK((together > 160 && together < 240));
}

TEST_CASE("another epoch says that what was held before is lost", "[storage]") {
    OneOfSeveral house;
    CHECK_FALSE(house.held_lease.granted({"dog", 4}, house.now().elapsed));
    CHECK_FALSE(house.held_lease.granted({"dog", 4}, house.now().elapsed));
    CHECK(house.held_lease.granted({"dog", 6}, house.now().elapsed));
    CHECK(house.held_lease.lease().epoch == 6);
}

TEST_CASE("a lease that is gone is asked for at once, by the same owner unless it starts over", "[storage]") {
    OneOfSeveral house;
    const std::string owner = house.held_lease.owner();
    CHECK(house.held_lease.owner() == owner);
    (void)house.held_lease.granted({"dog", 1}, house.now().elapsed);
    house.held_lease.gone();
    CHECK_FALSE(house.held_lease.holds());
    CHECK(house.held_lease.is_due(house.now().elapsed));
    CHECK(house.held_lease.owner() == owner);
    house.held_lease.start_over();
    CHECK_FALSE(house.held_lease.owner() == owner);
}

TEST_CASE("the store is asked again at the renewal, and for runs each flush", "[storage]") {
    OneOfSeveral house;
    house.settings.flush_every = 2s;
    const Elapsed now = house.now().elapsed;
    CHECK(house.held_lease.next_renewal(house.now()) == now + 2s);
    (void)house.held_lease.granted({"dog", 1}, now);
    CHECK(house.held_lease.next_renewal(house.now()) == now + 2s);
    house.clock.advance(4s - 1ms);
    CHECK(house.held_lease.next_renewal(house.now()) > now + 4s - 1ms);
    CHECK(house.held_lease.next_renewal(house.now()) <= now + 5s);
    house.clock.advance(4s);
    CHECK(house.held_lease.next_renewal(house.now()) == now + 8s - 1ms);
}
