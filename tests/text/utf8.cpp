#include <heeler/text/utf8.hpp>

#include <string>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("UTF-8 is decoded strictly", "[text]") {
    CHECK(text::valid_utf8(""));
    CHECK(text::valid_utf8("plain, caf\xC3\xA9, \xE2\x82\xAC, \xF0\x9F\x90\x95"));
    CHECK(text::decode_utf8("\xE2\x82\xAC", 0).value == 0x20AC);
    CHECK(text::decode_utf8("\xF4\x8F\xBF\xBF", 0).value == 0x10FFFF);
    const auto broken =
        GENERATE(as<std::string>{}, "\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                 "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE2\x82", "\xC3");
    CAPTURE(broken);
    CHECK_FALSE(text::valid_utf8(broken));
    CHECK_FALSE(text::valid_utf8("a" + broken + "b"));
}

TEST_CASE("a broken sequence ends before the first byte that cannot belong to it", "[text]") {
    CHECK(text::decode_utf8("\xE2\x82"
                            "A",
                            0)
              .size == 2);
    CHECK(text::decode_utf8("\xF0\x9F\x90", 0).size == 3);
    CHECK(text::decode_utf8("\xE0\x80", 0).size == 1);
    CHECK_FALSE(text::decode_utf8("\xE2\x82"
                                  "A",
                                  0)
                    .valid);
}

TEST_CASE("text is cut between characters", "[text]") {
    const std::string text =
        "a\xE2\x82\xAC"
        "b\xF0\x9F\x90\x95";
    for (std::size_t bytes = 0; bytes <= text.size() + 1; ++bytes) {
        CAPTURE(bytes);
        const auto head = text::utf8_head(text, bytes);
        const auto tail = text::utf8_tail(text, bytes);
        CHECK(head.size() <= bytes);
        CHECK(tail.size() <= bytes);
        CHECK(text::valid_utf8(head));
        CHECK(text::valid_utf8(tail));
        CHECK((bytes >= text.size() || bytes - head.size() <= 3));
    }
    CHECK(text::utf8_head(text, 4) == "a\xE2\x82\xAC");
    CHECK(text::utf8_tail(text, 6) == "b\xF0\x9F\x90\x95");
    CHECK(text::utf8_head("\x80\x80\x80\x80\x80\x80", 5).size() == 5);
}
