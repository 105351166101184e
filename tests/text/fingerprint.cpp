#include <heeler/text/fingerprint.hpp>

#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;

namespace {

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

/// What `line` is masked to must be `masked`, which has nothing left to mask.
void check_masked(const std::string& line, const std::string& masked) {
    CAPTURE(line, masked);
    CHECK(text::fingerprint_line(line).normal == low(text::fingerprint_text(masked)));
    CHECK(text::fingerprint_line(masked).normal == low(text::fingerprint_line(masked).exact));
}

}  // namespace

TEST_CASE("the exact fingerprint is the plain hash of the bytes", "[text]") {
    CHECK(text::fingerprint_line("").exact == 0x2D06800538D394C2ULL);
    CHECK(text::fingerprint_line("abc").exact == text::fingerprint_text("abc"));
    CHECK(text::fingerprint_line("abc").exact != text::fingerprint_line("abd").exact);
    CHECK(text::fingerprint_line("step 1").exact != text::fingerprint_line("step 2").exact);
}

TEST_CASE("a line with nothing to mask has one hash for both", "[text]") {
    for (std::size_t size = 0; size < 200; ++size) {
        const std::string line(size, 'k');
        CHECK(text::fingerprint_line(line).normal == low(text::fingerprint_line(line).exact));
    }
    check_masked("one two\xC3\xA9 three # ! ~", "one two\xC3\xA9 three # ! ~");
}

TEST_CASE("numbers, hex words, ids and times are masked", "[text]") {
    check_masked("step 7 of 900", "step # of #");
    check_masked("took 1,234.5 s at 10:11:12", "took # s at #");
    check_masked("file1 x86_64 v2.13", "file# x#_# v#");
    check_masked("commit 3f2a9c1 on deadbeef", "commit # on deadbeef");
    check_masked("at 0x7ffe12ab and 0XDEADBEEF", "at # and #");
    check_masked("id 3f2a9c1e-abcd-4e5f-8a9b-0123456789ab!", "id #!");
    check_masked("id a3f2c1ee-abcd-beef-dead-abcdefabcdef!", "id #!");
    check_masked("2024-01-02T10:11:12.123Z ok", "#-#-#T#Z ok");
    check_masked("g1a2 1a2g 12s. 5.", "g#a# #a#g #s. #.");
    check_masked("0x", "#x");
    check_masked("9", "#");
}

TEST_CASE("white space is folded to one space", "[text]") {
    check_masked("a  b\tc \t d\r\n\ve", "a b c d e");
    check_masked("  a ", " a ");
    check_masked("\t", " ");
    check_masked("      ", " ");
}

TEST_CASE("different numbers give the same normal and another exact fingerprint", "[text]") {
    const auto first = text::fingerprint_line("[12:00:01] retry 9 of request 3f2a9c1e-0bcd-4e5f-8a9b-0123456789ab");
    const auto second = text::fingerprint_line("[12:00:11] retry 10 of request 99999999-aaaa-bbbb-cccc-dddddddddddd");
    CHECK(first.normal == second.normal);
    CHECK(first.exact != second.exact);
    CHECK(first.normal != text::fingerprint_line("[12:00:01] retried 9 of request 1").normal);
}

TEST_CASE("masking does not depend on where in the line a number stands", "[text]") {
    for (std::size_t before = 0; before < 70; ++before)
        for (std::size_t after = 0; after < 20; ++after) {
            const std::string front(before, 'z');
            const std::string back(after, 'y');
            check_masked(front + " 17  9 " + back, front + " # # " + back);
        }
}

TEST_CASE("long lines are hashed in pieces with the same result", "[text]") {
    for (const std::size_t words : {500u, 680u, 700u, 820u, 2000u, 50000u}) {
        std::string line;
        std::string masked;
        for (std::size_t i = 0; i < words; ++i) {
            line += "w " + std::to_string(i) + "\t 0xab" + std::to_string(i) + (i % 7 == 0 ? "plainwords" : " ");
            masked += "w # #" + std::string(i % 7 == 0 ? "#" : " ");
            if (i % 7 == 0) masked.pop_back(), masked.pop_back(), masked += "#xab#plainwords";
        }
        check_masked(line, masked);
    }
    check_masked(std::string(100000, '7'), "#");
    check_masked(std::string(100000, ' '), " ");
    check_masked(std::string(100000, 'g') + "1", std::string(100000, 'g') + "#");
    check_masked(std::string(5000, 'a') + "1", std::string(5000, 'a') + "#");
}

TEST_CASE("hostile lines cost linear time", "[text]") {
    std::string line;
    while (line.size() < 2'000'000) line += "1a2b3c4d";
    CHECK(text::fingerprint_line(line + "g").normal != text::fingerprint_line(line).normal);
    std::string dotted;
    while (dotted.size() < 2'000'000) dotted += "1.a1:";
    CHECK(text::fingerprint_line(dotted).exact != 0);
}

TEST_CASE("combine depends on both values and their order", "[text]") {
    STATIC_REQUIRE(text::combine(1, 2) != text::combine(2, 1));
    std::set<std::uint64_t> seen;
    for (std::uint64_t a = 0; a < 100; ++a)
        for (std::uint64_t b = 0; b < 100; ++b) seen.insert(text::combine(a, b));
    CHECK(seen.size() == 10000);
}

TEST_CASE("what is to be masked is found wherever it stands in a line of any length", "[text]") {
    for (std::size_t size = 1; size < 150; ++size)
        for (std::size_t at = 0; at < size; ++at) {
            const std::string line(size, 'k');
            CAPTURE(size, at);
            std::string number = line;
            number[at] = '7';
            std::string mark = line;
            mark[at] = '#';
            REQUIRE(text::fingerprint_line(number).normal == low(text::fingerprint_text(mark)));
            std::string space = line;
            space[at] = ' ';
            REQUIRE(text::fingerprint_line(space).normal == low(text::fingerprint_text(space)));
            std::string spaces = space;
            spaces.insert(at, 1, ' ');
            REQUIRE(text::fingerprint_line(spaces).normal == low(text::fingerprint_text(space)));
        }
}
