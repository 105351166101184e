#include <heeler/storage/name_ids.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using rooms::House;

TEST_CASE("the newest id of a name is found with few questions, however many there are [M-021]") {
    House house;
    detail::NameIds ids{house.registry, house.ledger};
    CHECK(ids.last("a", house.now()) == 0u);
    for (std::uint32_t number = 1; number <= 40; ++number) {
        (void)house.stored(rooms::bare_class(), bench::spec_of(detail::NameIds::id("a", number)));
        CHECK(ids.last("a", house.now()) == number);
    }
    CHECK(detail::NameIds::id("a", 1) == "a");
    CHECK(house.registry.find("a#40"));
    CHECK(ids.last("a#", house.now()) == 0u);

    House later;  // it knows them from the store only
    later.store = House::Store{house.memory};
    detail::NameIds stored{later.registry, later.ledger};
    CHECK(stored.last("a", later.now()) == 40u);
    CHECK(later.store.calls(StoreOperation::history) == 12);
    later.store.fail(StoreOperation::history, ErrorCode::io);
    CHECK_FALSE(stored.last("a", later.now()));
}

TEST_CASE("an id that is registered and not stored yet is in use [M-021]") {
    House house;
    (void)house.run(rooms::bare_class(), bench::spec_of("a"));
    CHECK(detail::NameIds{house.registry, house.ledger}.last("a", house.now()) == 1u);
}
