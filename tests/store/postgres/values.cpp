#include <heeler/store/postgres/values.hpp>

#include <string>
#include <vector>

#include <heeler/testing/contract/store_contract.hpp>

using namespace heeler;
using detail::from_column;
using detail::to_column;

TEST_CASE("text that a column can hold is stored as it is", "[store][postgres]") {
    for (const std::string text : {"", "plain", "two\nlines\t'q' \"d\" \\ $1", "\xf0\x9f\x90\x95 \xc3\xab"}) {
        CHECK(to_column(text) == text);
        CHECK(from_column(text) == text);
    }
}

TEST_CASE("bytes that no column can hold come back as they were", "[store][postgres]") {
    std::vector<std::string> texts{store_contract::nasty,
                                   "\x01",
                                   "\x01"
                                   "00",
                                   "\xed\xa0\x80",
                                   "\xc3",
                                   "a\xff"};
    texts.emplace_back(1, '\0');
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
    texts.push_back(all);
    for (const std::string& text : texts) {
        const std::string stored = to_column(text);
        CHECK(text::valid_utf8(stored));
        CHECK(stored.find('\0') == std::string::npos);
        CHECK(from_column(stored) == text);
    }
    CHECK(to_column(texts.front()) != to_column(texts[1]));
}

TEST_CASE("a marker that somebody wrote into a column without digits is left as it is", "[store][postgres]") {
    for (const std::string text : {"\x01",
                                   "\x01"
                                   "g0",
                                   "\x01"
                                   "0",
                                   "a\x01zz"})
        CHECK(from_column(text) == text);
}

TEST_CASE("arrays travel in PostgreSQL's binary form", "[store][postgres]") {
    const std::string one{"\0\0\0\1\0\0\0\0\0\0\0\x14\0\0\0\1\0\0\0\1\0\0\0\x8\xff\xff\xff\xff\xff\xff\xff\xfe", 32};
    CHECK(detail::wire_array(std::vector<std::int64_t>{-2}) == one);
    CHECK(detail::wire_array(std::vector<std::string>{}) == std::string{"\0\0\0\0\0\0\0\0\0\0\0\x19", 12});
}
