#include <heeler/text/redact.hpp>

#include <string>

#include "support/catch.hpp"

using namespace heeler;

namespace {

struct Case {
    std::string text;
    std::string shown;
};

}  // namespace

TEST_CASE("secrets are redacted by their shape [M-184]") {
    const auto example = GENERATE(values<Case>({
        {"Authorization: Bearer abc", "Authorization: Bearer [redacted]"},
        {"authorization: Basic dXNlcjpwYXNz next", "authorization: Basic [redacted] next"},
        {"curl -H 'Authorization: Bearer abc' host", "curl -H 'Authorization: Bearer [redacted]' host"},
        {"sent bearer  a.b-c~d+e/f= ok", "sent bearer  [redacted] ok"},
        {"Bearer Bearer abc", "Bearer Bearer [redacted]"},
        {"x eyJhbGciOi.eyJzdWIi.c2ln-_ y", "x [redacted] y"},
        {"id-eyJhbGciOi.eyJzdWIi.c2ln", "id-[redacted]"},
        {"key sk-proj-0123456789abcdef, done", "key [redacted], done"},
        {"ghp_0123456789abcdef gho_0123456789abcdef", "[redacted] [redacted]"},
        {"github_pat_0123456789_abcdef glpat-0123456789", "[redacted] [redacted]"},
        {"xoxb-12345678-abc xoxa-12345678 xoxp-12345678", "[redacted] [redacted] [redacted]"},
        {"AKIAIOSFODNN7EXAMPLE.", "[redacted]."},
        {"password=hunter2 user=bob", "password=[redacted] user=bob"},
        {"DB_PASSWORD = \"hunter 2\"; x", "DB_PASSWORD = \"[redacted]\"; x"},
        {"?api_key=k1&page=2", "?api_key=[redacted]&page=2"},
        {"{\"apiKey\": \"a\\\"b\", \"n\": 1}", "{\"apiKey\": \"[redacted]\", \"n\": 1}"},
        {"{\\\"token\\\":\\\"abc\\\",\\\"n\\\":1}", "{\\\"token\\\":\\\"[redacted]\\\",\\\"n\\\":1}"},
        {"{'client-secret': 'abc'}", "{'client-secret': '[redacted]'}"},
        {"{\"secret\":123}", "{\"secret\":[redacted]}"},
        {"\"api_key\": [\"abc\"]", "\"api_key\": [\"[redacted]\"]"},
        {"token := abc", "token := [redacted]"},
        {"run --password hunter2 --fast", "run --password [redacted] --fast"},
        {"password=token: abc", "password=[redacted] [redacted]"},
        {"postgres://bob:hunter2@db:5432/x", "postgres://bob:[redacted]@db:5432/x"},
        {"https://0123456789abcdef0123@host/x", "https://[redacted]@host/x"},
        {"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
         "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----"},
    }));
    CHECK(redact(example.text) == example.shown);
    CHECK(redact(example.shown) == example.shown);
}

TEST_CASE("text without secrets stays as it is [M-184]") {
    const auto text =
        GENERATE(as<std::string>{}, "", "plain", "used tokens: 1234, total_tokens=5", "the password is empty",
                 "password=", "token: \nnext", "ssh://git@host/x", "https://host:80/a@b", "eyJ.eyJ", "sk-1", "AKIA1234",
                 "a:b ::: ://", "bearer", "secret: {", "-----BEGIN CERTIFICATE-----\nA", "Basic usage of Digest");
    CHECK(redact(text) == text);
}

TEST_CASE("exact values are redacted wherever they stand, overlapping ones too [M-184]") {
    Redactor redactor;
    REQUIRE(redactor.add("abcd").has_value());
    REQUIRE(redactor.add("cdef").has_value());
    REQUIRE(redactor.add("word").has_value());
    CHECK(redactor.redact("abcd") == "[redacted]");
    CHECK(redactor.redact("xabcdefy abcd") == "x[redacted]y [redacted]");
    CHECK(redactor.redact("password=hunter2") == "pass[redacted]=[redacted]");
    CHECK(redactor.redact("token=abcdX") == "token=[redacted]");
    CHECK(redactor.redact("abc") == "abc");
    const auto refused = redactor.add("abc");
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == ErrorCode::invalid_argument);
    CHECK_THAT(refused.error().message, !ContainsSubstring("abc"));
}

TEST_CASE("what an exact value kept from being seen is redacted as well [M-184]") {
    Redactor redactor;
    REQUIRE(redactor.add("<<value>>"));
    // The bracket ends what can be a host's name and user; without it the user is long enough to be a token.
    const std::string shown = redactor.redact("x://bob<<value>>eyJhbGciOi@host/path");
    CHECK(shown == "x://[redacted]@host/path");
    CHECK(redactor.redact(shown) == shown);
}

TEST_CASE("evidence is redacted before its end is kept [A-112] [M-184]") {
    const auto tail = std::string(6000, 'x') + std::string(4000, 'y');
    const auto kept = evidence_text("Authorization: Bearer abc\n" + tail);
    CHECK(kept.substr(kept.size() - 4000) == std::string(4000, 'y'));
    CHECK_THAT(kept, ContainsSubstring("bytes left out"));
    CHECK_THAT(kept, !ContainsSubstring("abc"));
    CHECK(kept.size() < 4050);
    CHECK(evidence_text("Authorization: Bearer abc " + std::string(10, 'x')) ==
          "Authorization: Bearer [redacted] xxxxxxxxxx");
    CHECK_THAT(evidence_text("token=" + std::string(5000, 's'), 100), !ContainsSubstring("ss"));
}

TEST_CASE("evidence counts characters, is clean, and cannot hide a name [M-184]") {
    std::string text;
    for (int i = 0; i < 20; ++i) text += "\xE2\x82\xAC";
    CHECK(evidence_text(text, 20) == text);
    CHECK(evidence_text(text, 5) == "[... 45 bytes left out ...]\n" + text.substr(45));
    CHECK(evidence_text("pass\xE2\x80\x8Bword=\x1B[31mhunter2") == "password=[redacted]");
    CHECK(evidence_text("a\r\nb\xFF") == "a\nb\xEF\xBF\xBD");
    CHECK(evidence_text("abc", 0) == "[... 3 bytes left out ...]\n");
}

TEST_CASE("hostile text is redacted in linear time [M-184]") {
    const auto piece =
        GENERATE(as<std::string>{}, "token=", "eyJ-", "eyJa.eyJ", "://a:", "bearer ", "password: \"", "-----BEGIN ",
                 "-----BEGIN PRIVATE KEY", "\\", "sk-", "--token ", "[redacted]", "token:[");
    std::string text;
    while (text.size() < 1'000'000) text += piece;
    CHECK_FALSE(redact(text).empty());
}
