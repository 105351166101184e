#include <heeler/core/small_optional.hpp>

#include <chrono>
#include <optional>

#include <heeler/core/archive.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("a small optional is used as one, and is no larger than its value") {
    SmallOptional<Duration> age;
    CHECK_FALSE(age);
    CHECK(age.value_or(7s) == 7s);
    CHECK(age == std::optional<Duration>{});
    CHECK(std::optional<Duration>{} == age);
    age = 3s;
    CHECK((age && *age == 3s && age == 3s));
    CHECK(std::optional<Duration>{age} == 3s);
    age = std::optional<Duration>{};
    CHECK_FALSE(age.has_value());
    CHECK(sizeof age == sizeof(Duration));
}

TEST_CASE("absent is less than any value") {
    const SmallOptional<std::int64_t> absent;
    CHECK(absent < SmallOptional<std::int64_t>{-5});
    CHECK(std::max(absent, SmallOptional<std::int64_t>{-5}) == -5);
}

TEST_CASE("a small optional is saved as an optional, on the wall clock if it is a moment") {
    SmallOptional<Elapsed> when = Elapsed{5s}, none, loaded;
    ArchiveWriter to{Instant{Elapsed{9s}, WallTime{100s}}};
    to(when, none);
    ArchiveReader from{to.bytes(), Instant{Elapsed{1s}, WallTime{100s}}};
    from(loaded);
    CHECK(loaded == Elapsed{-3s});
    from(loaded);
    CHECK_FALSE(loaded);
}
