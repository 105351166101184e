#include <heeler/text/record_numbers.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <heeler/text/json_writer.hpp>

#include "support/catch.hpp"

using namespace heeler;

namespace {

std::vector<std::int64_t> numbers_in(const std::string& record, std::string_view member, int base = 10) {
    text::RecordNumbers numbers{record, member, base};
    std::vector<std::int64_t> all;
    while (const auto number = numbers.next()) all.push_back(*number);
    CHECK(numbers.over());
    return all;
}

}  // namespace

TEST_CASE("the numbers of a record are read in their order, whatever brackets stand between them", "[text]") {
    const std::string record = R"({"key":"rows","rows":[[1,null,-3],[4]],"more":[5]})";
    text::RecordNumbers rows{record, "rows"};
    CHECK(rows.next() == 1);
    CHECK_FALSE(rows.over());
    CHECK_FALSE(rows.next());  // null, and it goes on
    CHECK_FALSE(rows.over());
    CHECK(rows.next() == -3);
    CHECK(rows.next() == 4);
}

TEST_CASE("names in a text are read up to its end", "[text]") {
    using Numbers = std::vector<std::int64_t>;
    CHECK(numbers_in(R"({"names":"1f a0 ffffffffffffffff","add":"b"})", "names", 16) == Numbers{31, 160, -1});
    CHECK(numbers_in(R"({"names":"","add":"b"})", "names", 16).empty());
    CHECK(numbers_in(R"({"note":"\"names\":\"1f\"","names":"2"})", "names", 16) == Numbers{2});
}

TEST_CASE("what is no such record has no numbers, or those before the damage", "[text]") {
    for (const char* const record : {"", "{}", R"({"n":})", R"({"n":{}})", R"({"n":true})", R"({"n":"x"})", R"({"n")",
                                     R"({"n":[[]]})", R"({"n":99999999999999999999})", R"({"n":[nul]})"})
        CHECK(numbers_in(record, "n").empty());
    CHECK(numbers_in(R"({"n":[1,2,x,3]})", "n") == std::vector<std::int64_t>{1, 2});
    CHECK(numbers_in(R"({"n":[1,2)", "n") == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("whatever bytes a record holds, reading its numbers comes to an end", "[text]") {
    std::mt19937 random{7};
    constexpr std::string_view parts = "[],\" {}0123456789abcnul-x\0:";
    for (int round = 0; round < 20'000; ++round) {
        std::string record = random() % 4 == 0 ? "" : R"({"n":)";
        for (auto size = random() % 40; size > 0; --size) record += parts[random() % parts.size()];
        text::RecordNumbers numbers{record, "n", random() % 2 == 0 ? 10 : 16};
        std::size_t steps = 0;
        while (!numbers.over() && steps <= record.size()) {
            (void)numbers.next();
            ++steps;
        }
        REQUIRE(steps <= record.size());
    }
}

TEST_CASE("what was written is read back", "[text]") {
    std::mt19937_64 random{11};
    for (int round = 0; round < 500; ++round) {
        std::vector<std::int64_t> written;
        text::JsonLine line;
        line.begin_object().key("note").string("\"n\":[7]").key("n").begin_array();
        for (auto count = random() % 8; count > 0; --count) {
            written.push_back(static_cast<std::int64_t>(random()));
            line.number(written.back());
        }
        line.end_array().end_object();
        REQUIRE(numbers_in(std::move(line).text(), "n") == written);
    }
}
