#include <heeler/text/shown_name.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <heeler/text/shell_word.hpp>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("what cannot be seen of a name is written out [M-124]") {
    CHECK(text::shown_name("port-parser@2", 128) == "port-parser@2");
    CHECK(text::shown_name("\xC3\xA4\xE2\x82\xAC \xF0\x9F\x90\xB6", 128) == "\xC3\xA4\xE2\x82\xAC \xF0\x9F\x90\xB6");
    CHECK(text::shown_name("a\xE2\x80\xAE"
                           "b",
                           128) == "a\\u{202E}b");
    CHECK(text::shown_name("a\xE2\x80\x8B", 128) == "a\\u{200B}");
    CHECK(text::shown_name("\xF3\xA0\x80\x81", 128) == "\\u{E0001}");
    CHECK(text::shown_name("a\x1B[31mb", 128) == "a\\u{1B}[31mb");
    CHECK(text::shown_name("a\nb\tc", 128) == "a b c");
    CHECK(text::shown_name("a\xFF", 128) == "a\xEF\xBF\xBD");
    CHECK(text::shown_name(std::string(5000, '\x01'), 64).size() <= 64);
    CHECK(text::shown_name("Bash pass\xE2\x80\x8Bword=hunter2", 128) == "Bash password=[redacted]");
}

TEST_CASE("a shell reads a quoted text as the one word that it is [M-124]") {
    const auto text = GENERATE(as<std::string>{}, "plain", "", "it's", "'; rm -rf /; '", "$HOME `id` \"x\" \\", "a b",
                               "-h", "--", "--all", "two\nlines",
                               "\xE2\x80\xAE"
                               "0'\\7",
                               "\xFF\x01",
                               "\x7F"
                               "1",
                               "\xE2\x80\xA8");
    const std::string word = text::shell_word(text);
    CHECK(text::sanitise(word, 4096) == word);
    REQUIRE(::setenv("HEELER_TEST_COMMAND", ("printf %s " + word).c_str(), 1) == 0);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> shell{::popen("bash -c \"$HEELER_TEST_COMMAND\"", "r"),
                                                                &::pclose};
    REQUIRE(shell);
    std::array<char, 256> read{};
    const std::size_t size = std::fread(read.data(), 1, read.size(), shell.get());
    CHECK(std::string(read.data(), size) == text);
}
