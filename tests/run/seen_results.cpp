#include <heeler/run/seen_results.hpp>

#include <heeler/core/archive.hpp>

#include "support/catch.hpp"

using namespace heeler;
using detail::SeenResults;

TEST_CASE("a result is new once, until 512 others have come", "[engine]") {
    SeenResults seen;
    for (std::uint64_t print = 0; print < SeenResults::capacity; ++print) {
        CHECK(seen.add(print * 7));
        CHECK_FALSE(seen.add(print * 7));
        CHECK_FALSE(seen.add(0));
    }
    CHECK_FALSE(seen.add(7));
    CHECK(seen.add(5));  // takes the place of the oldest, 0
    CHECK(seen.add(0));
    CHECK(seen.add(7));
    CHECK_FALSE(seen.add(3 * 7));
}

TEST_CASE("what was seen survives a restart, and damage does no harm", "[engine]") {
    SeenResults before;
    CHECK(before.add(11));
    ArchiveWriter writer{Instant{}};
    before.archive(writer);
    SeenResults after;
    ArchiveReader reader{writer.bytes(), Instant{}};
    after.archive(reader);
    REQUIRE((reader.ok() && reader.at_end()));
    CHECK_FALSE(after.add(11));
    CHECK(after.add(12));
    for (std::size_t size = 0; size < writer.bytes().size(); size += 97) {
        SeenResults damaged;
        ArchiveReader part{std::string_view{writer.bytes()}.substr(0, size), Instant{}};
        damaged.archive(part);
        CHECK_FALSE(part.ok());
        CHECK(damaged.add(13));
    }
}
