#include <heeler/text/line_splitter.hpp>

#include <random>
#include <string>
#include <vector>

#include <heeler/core/archive.hpp>
#include <heeler/text/redact.hpp>

#include "support/catch.hpp"

using namespace heeler;

namespace {

struct Seen {
    std::string text;
    text::Fingerprint print;

    friend bool operator==(const Seen&, const Seen&) = default;
};

/// Feeds `parts`, all but the last as unfinished.
std::vector<Seen> lines_of(const std::vector<std::string>& parts, bool partial = false) {
    text::LineSplitter splitter;
    std::vector<Seen> seen;
    for (std::size_t i = 0; i < parts.size(); ++i)
        splitter.feed(parts[i], partial || i + 1 < parts.size(), [&](std::string_view text, text::Fingerprint print) {
            seen.push_back({std::string{text}, print});
        });
    return seen;
}

std::vector<std::string> texts_of(const std::vector<Seen>& lines) {
    std::vector<std::string> texts;
    for (const Seen& line : lines) texts.push_back(line.text);
    return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("lines end at a line feed, a carriage return before it belongs to the break", "[text]") {
    CHECK(texts_of(lines_of({"one\ntwo\r\nthree\n"})) == Texts{"one", "two", "three"});
    CHECK(texts_of(lines_of({"one\rtwo\n"})) == Texts{"one\rtwo"});
    CHECK(texts_of(lines_of({"one\r", "\ntwo\r", "x\n"})) == Texts{"one", "two\rx"});
    CHECK(lines_of({"step 7\r\n"})[0].print == text::fingerprint_line("step 7"));
}

TEST_CASE("empty lines count", "[text]") {
    CHECK(texts_of(lines_of({"\n\n\r\n"})) == Texts{"", "", ""});
    CHECK(texts_of(lines_of({""})) == Texts{""});
    CHECK(lines_of({""}, true).empty());
    CHECK(lines_of({"\n"})[0].print == text::fingerprint_line(""));
}

TEST_CASE("an unfinished line waits for its end unless the report is whole", "[text]") {
    CHECK(texts_of(lines_of({"a\nb"}, true)) == Texts{"a"});
    CHECK(texts_of(lines_of({"a\nb"})) == Texts{"a", "b"});
    CHECK(texts_of(lines_of({"a", "b", "c\nd", "e\n"})) == Texts{"abc", "de"});
    CHECK(lines_of({"ab", "c 1\n"})[0].print == text::fingerprint_line("abc 1"));
}

TEST_CASE("a long line keeps its last part and is told from another by every byte", "[text]") {
    const std::size_t size = 3 * text::LineSplitter::block + 100;
    std::string line(size, 'x');
    line[size - 101] = ' ';
    const auto seen = lines_of({line + "\nnext\n"});
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].text == std::string(100, 'x'));
    CHECK(seen[1].print == text::fingerprint_line("next"));
    CHECK(lines_of({line + "\r\n"})[0].print == seen[0].print);
    for (const std::size_t at : {std::size_t{0}, text::LineSplitter::block, size - 1}) {
        std::string other = line;
        other[at] = 'y';
        CHECK_FALSE(lines_of({other + "\n"})[0].print == seen[0].print);
    }
    CHECK_FALSE(lines_of({line + "x\n"})[0].print == seen[0].print);
    CHECK_FALSE(lines_of({line.substr(text::LineSplitter::block) + "\n"})[0].print == seen[0].print);
}

TEST_CASE("the last part of a long line has no secret that began before it [M-184]", "[text]") {
    const auto last_part = [](const std::string& before, const std::string& after) {
        const std::string line = std::string(text::LineSplitter::block - before.size() - 1, 'x') + " " + before + after;
        return lines_of({line + "\n"})[0].text;
    };
    CHECK(last_part("password=hun", "ter2 ok") == " ok");
    CHECK(last_part("password=", "hunter2 ok") == " ok");
    CHECK(last_part("password: ", "\"hun ter2\" ok") == "\" ok");
    CHECK(last_part("Authorization: Bearer ", "abc123def ok") == " ok");
    CHECK(last_part("Cookie: a=1; ", "sid=abc; n=7") == "");
    CHECK(last_part("x ghp_0123456789abcdef", "ghijABCDEF0123456789 ok") == " ok");
    CHECK(last_part("password=hunter2 then ", "ok password=hunter3") == "ok password=hunter3");
    CHECK(last_part("honest wo", "rds") == "rds");
    CHECK(last_part(std::string(1000, 'k'), "kkk ok") == " ok");  // a word whose beginning is not known any more
    CHECK(last_part("password=hun", "ter2") == "");
}

TEST_CASE("what is stored of an unfinished line has no secrets, nor has what becomes of it [M-184]", "[text]") {
    const std::string start = GENERATE(as<std::string>{}, "", std::string(text::LineSplitter::block, 'x') + " ");
    text::LineSplitter before;
    before.feed(start + "password=hun", true,
                [](std::string_view, text::Fingerprint) { FAIL("there is no line yet"); });
    ArchiveWriter writer{Instant{}};
    before.archive(writer);
    const std::string stored = writer.bytes();
    CHECK(stored.find("hun") == std::string::npos);
    CHECK(stored.find("password=") != std::string::npos);
    text::LineSplitter after;
    ArchiveReader reader{writer.bytes(), Instant{}};
    after.archive(reader);
    REQUIRE((reader.ok() && reader.at_end()));
    std::string text;
    after.feed("ter2 ok\n", true, [&](std::string_view line, text::Fingerprint) { text = text::redact(line); });
    CHECK(text.ends_with(" ok"));
    CHECK(text.find("ter2") == std::string::npos);
}

TEST_CASE("every way of cutting the stream gives the same lines", "[text]") {
    std::mt19937 random{23};
    std::string stream;
    for (int i = 0; i < 60; ++i) {
        const std::size_t sizes[] = {0,
                                     1,
                                     7,
                                     80,
                                     text::LineSplitter::block - 1,
                                     text::LineSplitter::block,
                                     text::LineSplitter::block + 1,
                                     2 * text::LineSplitter::block,
                                     40'000};
        const std::size_t size = sizes[random() % std::size(sizes)];
        for (std::size_t k = 0; k < size; ++k) stream += static_cast<char>("ab 12\t"[random() % 6]);
        stream += random() % 3 == 0 ? "\r\n" : "\n";
    }
    const auto whole = lines_of({stream});
    REQUIRE(whole.size() == 60);
    for (int round = 0; round < 40; ++round) {
        const std::size_t longest = round % 2 == 0 ? 40 : 3 * text::LineSplitter::block;
        std::vector<std::string> parts;
        for (std::size_t at = 0; at < stream.size();) {
            parts.push_back(stream.substr(at, random() % longest + (round == 0 ? 1 : 0)));
            at += parts.back().size();
        }
        REQUIRE(lines_of(parts) == whole);
    }
}

TEST_CASE("an unfinished line survives a restart", "[text]") {
    const std::string line(text::LineSplitter::block + 500, 'x');
    text::LineSplitter before;
    before.feed(line, true, [](std::string_view, text::Fingerprint) { FAIL("there is no line yet"); });
    ArchiveWriter writer{Instant{}};
    before.archive(writer);
    text::LineSplitter after;
    ArchiveReader reader{writer.bytes(), Instant{}};
    after.archive(reader);
    REQUIRE((reader.ok() && reader.at_end()));
    std::vector<Seen> seen;
    after.feed("end\n", true, [&](std::string_view text, text::Fingerprint print) {
        seen.push_back({std::string{text}, print});
    });
    CHECK(seen == lines_of({line + "end\n"}));
}

TEST_CASE("a stored line that is longer than any can be is cut to what is kept", "[text]") {
    std::string kept(5000, 'x');
    std::uint64_t blocks = 1;
    bool is_long = GENERATE(false, true);
    ArchiveWriter writer{Instant{}};
    writer(kept, blocks, is_long);
    text::LineSplitter damaged;
    ArchiveReader reader{writer.bytes(), Instant{}};
    damaged.archive(reader);
    std::vector<std::string> seen;
    damaged.feed("end\n", true, [&](std::string_view text, text::Fingerprint) { seen.emplace_back(text); });
    CHECK(seen.size() == 1);
}
