#include <heeler/run/run_index.hpp>

#include <atomic>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "support/catch.hpp"

using namespace heeler;
using detail::RunIndex;

namespace {

RunHandle handle_of(std::uint32_t number) { return {number, 2 * number + 1}; }
std::string id_of(std::uint32_t number) { return "run-" + std::to_string(number); }

}  // namespace

TEST_CASE("an id is found until it is removed", "[engine]") {
    RunIndex index;
    CHECK_FALSE(index.find("a"));
    REQUIRE(index.add("a", handle_of(7)));
    REQUIRE(index.add("", handle_of(8)));
    CHECK(index.find("a") == handle_of(7));
    CHECK(index.find("") == handle_of(8));
    CHECK_FALSE(index.find("b"));
    index.remove("a");
    CHECK_FALSE(index.find("a"));
    index.remove("a");
    CHECK(index.find("") == handle_of(8));
    const RunHandle last{4'194'303, 0xFFFF'FFFF};
    REQUIRE(index.add("last", last));
    CHECK(index.find("last") == last);
}

TEST_CASE("an id that is there already is refused and keeps its handle", "[engine]") {
    RunIndex index;
    REQUIRE(index.add("a", handle_of(1)));
    CHECK_FALSE(index.add("a", handle_of(2)));
    CHECK(index.find("a") == handle_of(1));
    index.remove("a");
    CHECK(index.add("a", handle_of(2)));
    CHECK(index.find("a") == handle_of(2));
}

TEST_CASE("the index agrees with a map while ids come and go and it grows", "[engine]") {
    std::mt19937 random{5};
    RunIndex index;
    std::map<std::uint32_t, RunHandle> expected;
    for (std::uint32_t step = 0; step < 60'000; ++step) {
        // Rises to some thousand ids, falls, rises again: many collisions of places, removals in full stretches.
        const std::uint32_t number = static_cast<std::uint32_t>(random() % 6'000);
        const bool fill = (step / 10'000) % 2 == 0;
        if (random() % 10 < (fill ? 8u : 2u)) {
            const RunHandle handle{step, step | 1};
            CHECK(index.add(id_of(number), handle) == expected.try_emplace(number, handle).second);
        } else {
            index.remove(id_of(number));
            expected.erase(number);
        }
        if (step % 5'000 != 0) continue;
        for (std::uint32_t i = 0; i < 6'000; ++i) {
            const auto it = expected.find(i);
            REQUIRE(index.find(id_of(i)) == (it == expected.end() ? std::nullopt : std::optional{it->second}));
        }
    }
}

TEST_CASE("lookups stay right while other threads add and remove", "[engine]") {
    constexpr std::uint32_t kept = 200;  // with the 20 others a table of 256 is nearly full: entries move all the time
    RunIndex index;
    for (std::uint32_t i = 0; i < kept; ++i) REQUIRE(index.add(id_of(i), handle_of(i)));
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> lost{0};
    std::atomic<std::uint64_t> wrong{0};
    const auto read = [&](std::uint32_t seed) {
        std::mt19937 random{seed};
        while (!stop) {
            const std::uint32_t steady = static_cast<std::uint32_t>(random() % kept);
            if (index.find(id_of(steady)) != handle_of(steady)) ++lost;
            const std::uint32_t changing = static_cast<std::uint32_t>(kept + random() % 20);
            if (const auto found = index.find(id_of(changing)); found && *found != handle_of(changing)) ++wrong;
        }
    };
    const auto write = [&](std::uint32_t from) {
        for (int round = 0; round < 3'000; ++round) {
            for (std::uint32_t i = from; i < from + 10; ++i)
                if (!index.add(id_of(i), handle_of(i))) ++wrong;
            for (std::uint32_t i = from; i < from + 10; ++i) index.remove(id_of(i));
        }
    };
    std::thread first_reader{read, 1};
    std::thread second_reader{read, 2};
    std::thread first_writer{write, kept};
    std::thread second_writer{write, kept + 10};
    first_writer.join();
    second_writer.join();
    stop = true;
    first_reader.join();
    second_reader.join();
    CHECK(lost == 0);
    CHECK(wrong == 0);
    CHECK_FALSE(index.find(id_of(kept)));
}
