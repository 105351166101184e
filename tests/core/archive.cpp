#include <heeler/core/archive.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/finding.hpp>

#include "support/catch.hpp"

using namespace heeler;

namespace {

enum class Colour : std::uint8_t { red, green, blue };

[[nodiscard]] constexpr Colour last_value(Colour) noexcept { return Colour::blue; }

struct Kept {
    std::string text;
    std::vector<std::string> list;
    std::optional<std::int64_t> number;
    Elapsed when{};
    bool flag = false;

    template <class A>
    void archive(A& a) {
        a(text, list, number, when, flag);
    }
    friend bool operator==(const Kept&, const Kept&) = default;
};

std::string saved(Kept kept, Instant now = {}) {
    ArchiveWriter writer{now};
    kept.archive(writer);
    return writer.take();
}

}  // namespace

TEST_CASE("what is saved is loaded again, texts of any length", "[core]") {
    for (const std::size_t size : {0u, 1u, 127u, 128u, 129u, 16'383u, 16'384u, 70'000u}) {
        CAPTURE(size);
        const Kept kept{std::string(size, 'x'), std::vector<std::string>(size % 300, "y"), 5, {}, true};
        const std::string bytes = saved(kept);
        Kept loaded;
        ArchiveReader reader{bytes, Instant{}};
        loaded.archive(reader);
        REQUIRE((reader.ok() && reader.at_end()));
        REQUIRE(loaded == kept);
    }
}

TEST_CASE("an elapsed time keeps its distance to now across a restart", "[core]") {
    const Instant before{Elapsed{std::chrono::seconds{100}}, WallTime{std::chrono::seconds{1'000}}};
    const Instant after{Elapsed{std::chrono::seconds{3}}, WallTime{std::chrono::seconds{1'060}}};
    const std::string bytes = saved({{}, {}, {}, Elapsed{std::chrono::seconds{90}}, false}, before);
    Kept loaded;
    ArchiveReader reader{bytes, after};
    loaded.archive(reader);
    CHECK(after.elapsed - loaded.when == std::chrono::seconds{70});
}

TEST_CASE("whatever is cut off or flipped is noticed or harmless", "[core]") {
    const std::string bytes = saved({"text", {"a", "b", "c"}, 5, {}, true});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        Kept loaded;
        ArchiveReader reader{std::string_view{bytes}.substr(0, size), Instant{}};
        loaded.archive(reader);
        CHECK_FALSE(reader.ok());
    }
    for (std::size_t at = 0; at < bytes.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            std::string damaged = bytes;
            damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ (1u << bit));
            Kept loaded;
            ArchiveReader reader{damaged, Instant{}};
            loaded.archive(reader);
            CHECK(loaded.list.size() <= bytes.size());
        }
    Kept loaded;
    ArchiveReader endless{"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", Instant{}};
    loaded.archive(endless);
    CHECK_FALSE(endless.ok());
}

TEST_CASE("times that would overflow sums are bounded when they are read") {
    const Instant now{Elapsed{std::chrono::seconds{1000}}, WallTime{std::chrono::seconds{1'800'000'000}}};
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t extreme : {-most - 1, most}) {
        ArchiveWriter writer{Instant{}};
        std::int64_t number = extreme;
        writer(number, number, number);
        WallTime wall{};
        Elapsed elapsed{};
        Duration length{};
        ArchiveReader reader{writer.bytes(), now};
        reader(wall, elapsed, length);
        REQUIRE(reader.ok());
        CHECK(wall == in_calendar(WallTime{Duration{extreme}}));
        CHECK(wall_at(now, elapsed) == wall);
        CHECK(std::chrono::abs(length) == Duration{std::chrono::hours{24 * 365 * 10'000}});
    }
}

TEST_CASE("a value that an enumeration does not have is refused, and what was there stays", "[core]") {
    for (const int byte : {0, 1, 2, 3, 4, 128, 255}) {
        CAPTURE(byte);
        const std::string bytes(1, static_cast<char>(byte));
        Colour colour = Colour::green;
        ArchiveReader reader{bytes, Instant{}};
        reader(colour);
        CHECK(reader.ok() == (byte <= 2));
        CHECK(colour == (byte <= 2 ? static_cast<Colour>(byte) : Colour::green));
    }
}

TEST_CASE("a stored condition with a name that none can have is refused", "[core]") {
    Condition own = Condition::custom(3, "OWN", 50, Status::stalled);
    ArchiveWriter writer{Instant{}};
    own.archive(writer);
    const std::string bytes = writer.take();
    const auto reads = [](const std::string& from) {
        Condition condition;
        ArchiveReader reader{from, Instant{}};
        condition.archive(reader);
        CHECK(Condition::is_key(condition.key()));
        return reader.ok() && reader.at_end();
    };
    CHECK(reads(bytes));
    std::string odd = bytes;
    odd[1] = '\x1b';  // of its name
    CHECK_FALSE(reads(odd));
    for (const char size : {char{0}, char{20}, static_cast<char>(255)}) {
        std::string other = bytes;
        other[1 + Condition::longest_key] = size;
        CHECK_FALSE(reads(other));
    }
    std::string status = bytes;
    status[1 + Condition::longest_key + 2] = static_cast<char>(detail::count_of<Status>);
    CHECK_FALSE(reads(status));
}

TEST_CASE("however long values are, and wherever they stand, they come back in their order") {
    for (const std::size_t length : {0u, 1u, 127u, 128u, 500u, 511u, 512u, 513u, 5000u})
        for (const std::size_t before : {0u, 3u, 505u}) {
            std::string front(before, 'a'), text(length, 'b');
            std::vector<std::uint32_t> numbers(length / 3, 0x01020304u);
            std::vector<std::uint32_t> none;
            std::string_view nothing;
            std::int64_t number = -7;
            ArchiveWriter writer{Instant{}};
            writer(front, number, text, nothing, none, numbers, number);
            const std::string half = writer.bytes();
            writer(number);
            const std::string bytes = writer.take();
            CHECK(bytes.size() == half.size() + sizeof number);
            CHECK(bytes.starts_with(half));
            std::string front_read, text_read;
            std::vector<std::uint32_t> numbers_read, none_read;
            std::string_view nothing_read = bytes;
            std::int64_t one = 0, two = 0, three = 0;
            ArchiveReader reader{bytes, Instant{}};
            reader(front_read, one, text_read, nothing_read, none_read, numbers_read, two, three);
            CHECK(reader.ok());
            CHECK(reader.at_end());
            CHECK((front_read == front && text_read == text && nothing_read.empty()));
            CHECK((numbers_read == numbers && none_read.empty()));
            CHECK((one == number && two == number && three == number));
        }
}
