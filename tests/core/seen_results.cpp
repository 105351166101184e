#include <heeler/core/seen_results.hpp>

#include <heeler/core/archive.hpp>

#include "support/catch.hpp"

using namespace heeler;
using detail::NewResult;
using detail::SeenResults;

TEST_CASE("a result is new once, until 512 others have come", "[core]") {
    SeenResults seen;
    for (std::uint32_t print = 0; print < SeenResults::capacity; ++print) {
        CHECK(seen.add(print * 7).text);
        CHECK_FALSE(seen.add(print * 7).text);
        CHECK_FALSE(seen.add(0).text);
    }
    CHECK_FALSE(seen.add(7).text);
    CHECK(seen.add(5).told);  // takes the place of the oldest, 0
    CHECK(seen.add(0).told);
    CHECK(seen.add(7).told);
    CHECK_FALSE(seen.add(3 * 7).told);
}

TEST_CASE("another text that tells the same is new, but tells nothing new", "[core]") {
    SeenResults seen;
    const auto add = [&](std::uint32_t told, std::uint16_t text) {
        const NewResult found = seen.add(told, text);
        return (found.told ? 2 : 0) + (found.text ? 1 : 0);
    };
    CHECK(add(9, 1) == 3);
    CHECK(add(9, 2) == 1);
    CHECK(add(9, 1) == 0);
    CHECK(add(9, 2) == 0);
    CHECK(add(8, 1) == 3);
    for (std::uint16_t text = 3; text < 100; ++text) CHECK(add(9, text) == 1);  // wherever they stand
    CHECK(add(9, 1) == 0);
}

TEST_CASE("what was seen survives a restart, and damage does no harm", "[core]") {
    SeenResults before;
    CHECK(before.add(11, 3).told);
    ArchiveWriter writer{Instant{}};
    before.archive(writer);
    SeenResults after;
    ArchiveReader reader{writer.bytes(), Instant{}};
    after.archive(reader);
    REQUIRE((reader.ok() && reader.at_end()));
    CHECK_FALSE(after.add(11, 3).text);
    CHECK(after.add(11, 4).text);
    CHECK(after.add(12).told);
    for (std::size_t size = 0; size < writer.bytes().size(); size += 17) {
        SeenResults damaged;
        ArchiveReader part{std::string_view{writer.bytes()}.substr(0, size), Instant{}};
        damaged.archive(part);
        CHECK_FALSE(part.ok());
        CHECK(damaged.add(13).told);
    }
}
