#include <heeler/detect/error_indicators.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include "support/catch.hpp"

using namespace heeler;

namespace {

/// The search as its text says it.
bool naive_has_indicator(std::string_view output) {
    std::string lower{output.substr(0, longest_searched_output)};
    std::transform(lower.begin(), lower.end(), lower.begin(), detail::lower_ascii);
    return std::any_of(error_indicators.begin(), error_indicators.end(),
                       [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

}  // namespace

TEST_CASE("each word of failure counts, in any case and place [M-070]") {
    for (const std::string_view word : error_indicators) {
        CAPTURE(word);
        std::string upper{word};
        for (char& c : upper)
            if (c != ' ') c = static_cast<char>(c & ~0x20);
        CHECK(has_error_indicator(word));
        CHECK(has_error_indicator(upper));
        for (std::size_t before = 0; before < 20; ++before)
            for (std::size_t after = 0; after < 10; ++after)
                CHECK(has_error_indicator(std::string(before, 'x') + upper + std::string(after, 'e')));
        CHECK_FALSE(has_error_indicator(word.substr(1)));
        CHECK_FALSE(has_error_indicator(word.substr(0, word.size() - 1)));
    }
}

TEST_CASE("words are searched as plain substrings [M-070]") {
    CHECK(has_error_indicator("0 errors"));
    CHECK(has_error_indicator("terrorist"));
    CHECK(has_error_indicator("xerrerror"));
    CHECK_FALSE(has_error_indicator(""));
    CHECK_FALSE(has_error_indicator("fine"));
    CHECK_FALSE(has_error_indicator("not  found, fail, except, permission is denied"));
    CHECK_FALSE(has_error_indicator("not\nfound"));
    CHECK_FALSE(has_error_indicator(std::string_view("er\0ror", 6)));
}

TEST_CASE("only the first 4 KiB are searched [M-070]") {
    const std::string padding(4096 - 5, '.');
    CHECK(has_error_indicator(padding + "error"));
    CHECK_FALSE(has_error_indicator(padding + ".error"));
    CHECK_FALSE(has_error_indicator(padding + "....." + "error"));
}

TEST_CASE("the search finds what a search from scratch finds [M-070]") {
    std::mt19937 random{3};
    std::string letters = "erorxcptionfaldbkmus ";
    for (const int strange : {0x00, 0x05, 0x12, 0xE5, 0x2F, 0x45, 0x52}) letters += static_cast<char>(strange);
    std::size_t hits = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (auto size = random() % 40; size > 0; --size) {
            const auto& word = error_indicators[random() % error_indicators.size()];
            if (random() % 8 == 0)
                text += word.substr(random() % 2, word.size() - random() % 2);
            else
                text += letters[random() % letters.size()];
        }
        CAPTURE(text);
        const bool expected = naive_has_indicator(text);
        if (has_error_indicator(text) != expected) REQUIRE(has_error_indicator(text) == expected);
        hits += expected;
    }
    CHECK(hits > 1'000);
    CHECK(hits < 19'000);
}

TEST_CASE("the host's word goes before the text, which must begin with it [M-071]") {
    CHECK(says_failed({false, "fine"}));
    CHECK_FALSE(says_failed({true, "Error: no"}));
    CHECK(says_failed({{}, "Error: no"}));
    CHECK_FALSE(says_failed({{}, "error: no"}));
    CHECK_FALSE(says_failed({{}, " Error: no"}));
    CHECK_FALSE(says_failed({{}, "Error:no"}));
    CHECK_FALSE(says_failed({{}, "it failed with a fatal exception"}));
    CHECK_FALSE(says_failed({}));
}
