#include <heeler/text/json_writer.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "support/catch.hpp"

using namespace heeler;

namespace {

std::string quoted(std::string_view text) { return text::JsonLine().string(text).text(); }
std::string number(double value) { return text::JsonLine().number(value).text(); }

}  // namespace

TEST_CASE("numbers are written in the shortest form that reads back", "[text]") {
    std::mt19937_64 random{7};
    const auto check = [](double value) {
        char text[32];
        const std::string_view shortest{
            text, static_cast<std::size_t>(std::to_chars(text, text + sizeof text, value).ptr - text)};
        return number(value) == shortest;
    };
    for (int i = 0; i < 20'000; ++i) {
        const double mantissa = 1.0 + std::ldexp(static_cast<double>(random() >> 12 | 1), -52);
        const double value = std::ldexp(mantissa, static_cast<int>(random() % 2040) - 1020);
        const double decimal = (static_cast<double>(random() % 1'000'000) + 0.5) / std::pow(10.0, i % 12);
        CAPTURE(value, decimal);
        REQUIRE((check(value) && check(-value) && check(decimal)));
    }
    CHECK((check(5e-324) && check(std::numeric_limits<double>::max()) && check(9007199254740994.0) && check(1e22)));
}

TEST_CASE("objects and arrays nest and separate their members", "[text]") {
    text::JsonLine line;
    line.begin_object().key("a").number(1).key("b").begin_array();
    line.string("x").null().boolean(true).begin_object().end_object().begin_array().end_array().end_array();
    line.key("c").begin_object().key("d").boolean(false).end_object().key("e").raw("[1,2]").key("").string("");
    line.end_object();
    CHECK(line.text() == R"({"a":1,"b":["x",null,true,{},[]],"c":{"d":false},"e":[1,2],"":""})");
    CHECK(std::move(line).text().size() == 65);
}

TEST_CASE("strings are escaped only where they must be", "[text]") {
    CHECK(quoted("plain") == R"("plain")");
    CHECK(quoted("\"\\/") == R"("\"\\/")");
    CHECK(quoted("\b\f\n\r\t") == R"("\b\f\n\r\t")");
    CHECK(quoted(std::string_view("\0\x01\x1f\x7f", 4)) == R"("\u0000\u0001\u001f\u007f")");
    CHECK(quoted("\xC2\x9B") == R"("\u009b")");
    CHECK(quoted("\xE2\x80\xAE\xE2\x80\x8B\xE2\x80\xA8") == R"("\u202e\u200b\u2028")");
    CHECK(quoted("\xF3\xA0\x80\x81") == R"("\udb40\udc01")");
    CHECK(quoted("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x90\x95") == "\"caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x90\x95\"");
    CHECK(text::JsonLine().begin_object().key("a\"b").null().end_object().text() == R"({"a\"b":null})");
}

TEST_CASE("bytes that are not UTF-8 are repaired", "[text]") {
    CHECK(quoted("a\xFF"
                 "b") ==
          "\"a\xEF\xBF\xBD"
          "b\"");
    CHECK(quoted("\xE2\x82") == "\"\xEF\xBF\xBD\"");
    CHECK(quoted("\xC2\"") == "\"\xEF\xBF\xBD\\\"\"");
}

TEST_CASE("numbers are written in their shortest form", "[text]") {
    CHECK(number(0.0) == "0");
    CHECK(number(-0.0) == "0");
    CHECK(number(100000.0) == "100000");
    CHECK(number(-1722470400123.0) == "-1722470400123");
    CHECK(number(0.1) == "0.1");
    CHECK(number(1.5e300) == "1.5e+300");
    CHECK(number(1e-7) == "1e-07");
    CHECK(number(std::numeric_limits<double>::quiet_NaN()) == "null");
    CHECK(number(-std::numeric_limits<double>::infinity()) == "null");
    CHECK(std::stod(number(2.0 / 3.0)) == 2.0 / 3.0);
    CHECK(text::JsonLine().number(std::numeric_limits<std::int64_t>::min()).text() == "-9223372036854775808");
    CHECK(text::JsonLine().number(std::numeric_limits<std::uint64_t>::max()).text() == "18446744073709551615");
}
