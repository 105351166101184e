#include <heeler/text/redact.hpp>
#include <heeler/text/sanitise.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/slowed.hpp"

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
    CHECK(text::redact(example.text) == example.shown);
    CHECK(text::redact(example.shown) == example.shown);
}

TEST_CASE("keys of known services are redacted by how they begin [M-184]") {
    const std::string hex = "0123456789abcdef0123456789abcdef";
    const auto key = GENERATE_COPY(
        as<std::string>{}, "sk_live_51H8abcDEF0123456789", "rk_live_51H8abcDEF0123456789",
        "sk_test_51H8abcDEF0123456789", "npm_" + hex + "abcd", "pypi-AgEIcHlwaS5vcmcCJDU3" + hex,
        "AIzaSyA0123456789-abcdefghijklmnopqrst", "hf_abcDEF0123456789abcDEF0123456789ab",
        "whsec_abc/DEF+0123456789abcdefghij=", "SG.abcdefghij0123456789ab.abcdefghij0123456789abcdefghij0123456789abc",
        "SK" + hex, "AC" + hex, "ya29.a0AfH6SMBx0123456789abcdef", "xapp-1-A012345678-0123");
    const std::string before = GENERATE(as<std::string>{}, "", "key ", "x='", "https://host/?k=", "(", "\\n\"");
    CHECK(text::redact(before + key) == before + "[redacted]");
    CHECK(text::redact(before + key + "' and more") == before + "[redacted]' and more");
}

TEST_CASE("secrets of commands, headers, webhooks and URLs are redacted [M-184]") {
    const auto example = GENERATE(values<Case>({
        {"https://hooks.slack.com/services/T00000000/B00000000/XXXXxxxx0000 ok",
         "https://hooks.slack.com/services/[redacted] ok"},
        {"curl -u bob:hunter2 https://host/x", "curl -u bob:[redacted] https://host/x"},
        {"curl -ubob:hunter2 https://host/x", "curl -ubob:[redacted] https://host/x"},
        {"curl https://host -sSu 'bob:hunter 2' -v", "curl https://host -sSu 'bob:[redacted]' -v"},
        {"/usr/bin/curl --user=bob:hunter2 x", "/usr/bin/curl --user=bob:[redacted] x"},
        {"curl -s \\\n  -u bob:hunter2 x", "curl -s \\\n  -u bob:[redacted] x"},
        {"[\"curl\", \"-u\", \"bob:hunter2\", \"x\"]", "[\"curl\", \"-u\", \"bob:[redacted]\", \"x\"]"},
        {"{\"cmd\":\"curl -u \\\"bob:hunter2\\\" x\"}", "{\"cmd\":\"curl -u \\\"bob:[redacted]\\\" x\"}"},
        {"curl -b 'sid=abc; theme=dark' x", "curl -b 'sid=[redacted]; theme=[redacted]' x"},
        {"mysql -u root -phunter2 shop", "mysql -u root -p[redacted] shop"},
        {"mysqldump -p'hunter 2' shop", "mysqldump -p'[redacted]' shop"},
        {"mysql '-phunter 2' shop", "mysql '-p[redacted]' shop"},
        {"env 'DB_PASS=hunter 2' '--token=hunter 2' x", "env 'DB_PASS=[redacted]' '--token=[redacted]' x"},
        {"sshpass -p hunter2 ssh -p 2222 host", "sshpass -p [redacted] ssh -p 2222 host"},
        {"docker login -u bob -p hunter2 host", "docker login -u bob -p [redacted] host"},
        {"redis-cli -a hunter2 ping", "redis-cli -a [redacted] ping"},
        {"DB_PASS=hunter2 SMTP_PASS='a b' dbPass: x", "DB_PASS=[redacted] SMTP_PASS='[redacted]' dbPass: [redacted]"},
        {"Cookie: sid=abc; b=\"c d\"; e=f", "Cookie: sid=[redacted]; b=\"[redacted]\"; e=[redacted]"},
        {"-H 'Cookie: sid=abc' x", "-H 'Cookie: sid=[redacted]' x"},
        {"{\"cookie\": \"sid=abc; n=1\", \"x\": 1}", "{\"cookie\": \"sid=[redacted]; n=[redacted]\", \"x\": 1}"},
        {"set-cookie: sid=abc; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly; b=c",
         "set-cookie: sid=[redacted]; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly; b=[redacted]"},
        {"postgres://bob:hun#ter/2@db:5432/x", "postgres://bob:[redacted]@db:5432/x"},
        {"postgres://bob:hun@ter/2@db:5432/x", "postgres://bob:[redacted]@db:5432/x"},
        {"'https://bob:hun/ter?2@host/x'", "'https://bob:[redacted]@host/x'"},
        {"run --password \\\n  hunter2 --fast", "run --password \\\n  [redacted] --fast"},
    }));
    CHECK(text::redact(example.text) == example.shown);
    CHECK(text::redact(example.shown) == example.shown);
}

TEST_CASE("a secret that is broken over two lines is redacted whole [M-184]") {
    const auto example = GENERATE(values<Case>({
        {"password:\n  hunter2\nnext", "password:\n  [redacted]\nnext"},
        {"\"token\":\n    \"abc123\",\n", "\"token\":\n    \"[redacted]\",\n"},
        {"Authorization: Bearer\n  abc123def\n", "Authorization: Bearer\n  [redacted]\n"},
        {"ghp_0123456789abcdefghij\nABCDEF0123456789 done", "[redacted]\n[redacted] done"},
        {"ghp_0123456789abcdefghijklmnopqrstuvwx\nyz done", "[redacted]\n[redacted] done"},
        {"| sk-proj-0123456789abcdef |\n| 0123456789abcdefghij |", "| [redacted] |\n| [redacted] |"},
        {"key = \"npm_0123456789abcdef0123\"\n  \"456789abcdefgh01\"", "key = \"[redacted]\"\n  \"[redacted]\""},
        {"token=0123456789abcdef0123\r\n456789abcdef next", "token=[redacted]\r\n[redacted] next"},
        {"x eyJhbGciOi.eyJzdWIi\nOiIxMjM0NTY3.c2ln y", "x [redacted] y"},
    }));
    CHECK(text::redact(example.text) == example.shown);
    CHECK(text::redact(example.shown) == example.shown);
}

TEST_CASE("honest text that only resembles secrets is not redacted [M-184]") {
    const auto text = GENERATE(
        as<std::string>{}, "commit 0123456789abcdef0123456789abcdef01234567",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "id 123e4567-e89b-12d3-a456-426614174000", "aGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0IG9mIG9yZGluYXJ5IHNpemU=",
        "the word password stands in this sentence, and so does token", "forgot your password? ask",
        "cat: /etc/passwd: No such file or directory", "/home/bob/secrets/token.txt",
        "src/auth/password.cpp:12:5: error", "cd PWD=/home/bob OLDPWD=/tmp",
        "the bypass: use it, first_pass=3 compass: north", "Token::kind of Password::Kind",
        "https://host:8080/path#x@y", "https://registry.npmjs.org/@scope/name", "git@github.com:bob/repo.git",
        "https://host:$PORT/@scope/x", "http://[::1]:8080/a@b", "see https://host/x, a cookie: eaten",
        "ssh -p2222 host", "ls -u a:b", "grep -a foo:bar", "mkdir -p a/b", "mysql -p shop", "mysql --port 3306",
        "see https://x -a b:c", "curl -u bob https://host", "curl's -u takes user:name",
        "pypi-server-for-our-team-only", "npm_config_registry npm_lifecycle_event_name_is_long",
        "hf_transfer_enabled_for_this_machine", "sk-learn-model", "risk_live_streaming", "SG.", "ACCESS AC SK",
        "AIzawa said", "sk_live_streams_are_long_enough", "ghost_of_whsec", "step one\nstep2 done\nversion1.2.3",
        "done with\n0123456789abcdef\nas id", "password:\nuse the one from the vault", "mysql is up | ssh -pX",
        "tokens: 12, max_tokens=4096");
    CHECK(text::redact(text) == text);
}

TEST_CASE("text without secrets stays as it is [M-184]") {
    const auto text =
        GENERATE(as<std::string>{}, "", "plain", "used tokens: 1234, total_tokens=5", "the password is empty",
                 "password=", "token: \nnext", "ssh://git@host/x", "https://host:80/a@b", "eyJ.eyJ", "sk-1", "AKIA1234",
                 "a:b ::: ://", "bearer", "secret: {", "-----BEGIN CERTIFICATE-----\nA", "Basic usage of Digest");
    CHECK(text::redact(text) == text);
}

TEST_CASE("exact values are redacted wherever they stand, overlapping ones too [M-184]") {
    text::Redactor redactor;
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

TEST_CASE("a secret with something invisible in it is redacted as it is seen [M-184]") {
    const std::string among =
        GENERATE(as<std::string>{}, "\xE2\x80\x8B", "\x1B", "\x1B[31m", "\x07", "\xC2\xAD", "\xEF\xBB\xBF",
                 std::string(1, '\0'), "\x1B]0;x\x07", "\x1B\xE2\x80\x8B", "\xEF\xB8\x8F", "\xCC\x81");
    CAPTURE(among);
    text::Redactor exact;
    REQUIRE(exact.add("correct horse battery"));
    REQUIRE(exact.add("pass" + among + "phrase"));
    const std::string key = "sk-ant-api03-AbCdEf0123456789AbCdEf0123456789";
    for (std::size_t at = 1; at < key.size(); ++at) {
        CAPTURE(at);
        const std::string text = "it uses " + key.substr(0, at) + among + key.substr(at) + " for now";
        CHECK(heeler::text::sanitise(text::redact(text), 1000) == "it uses [redacted] for now");
    }
    for (const std::string& text : {"--token hun" + among + "ter2", "--tok" + among + "en hunter2",
                                    "Authorization: Bearer hun" + among + "ter2abc", "PASSWORD=hunter" + among + "2"}) {
        CAPTURE(text);
        CHECK(heeler::text::sanitise(text::redact(text), 1000).find("hunter") == std::string::npos);
        CHECK(heeler::text::sanitise(text::redact(text), 1000).find("[redacted]") != std::string::npos);
    }
    CHECK(heeler::text::sanitise(exact.redact("a correct hor" + among + "se battery b"), 1000) == "a [redacted] b");
    CHECK(heeler::text::sanitise(exact.redact("a pass" + among + "phrase b"), 1000) == "a [redacted] b");
}

TEST_CASE("a secret that is seen hides none that an escape took a letter of [M-184]") {
    text::Redactor exact;
    REQUIRE(exact.add("correct horse battery"));
    const std::string text = "token=hunter2abc, correct hor\x1Bse bat\xE2\x80\x8Btery and \x1B[1mmore\x1B[0m\r\n";
    CHECK(heeler::text::sanitise(exact.redact(text), 1000) == "token=[redacted], [redacted] and more\n");
    CHECK(exact.evidence_text(text) == "token=[redacted], [redacted] and more\n");
    CHECK(exact.redact("\x1B[31mcorrect horse battery\x1B[0m") == "[redacted]\x1B[0m");
}

TEST_CASE("a secret is broken by whatever is shown as the end of a line [M-184]") {
    const std::string end = GENERATE(as<std::string>{}, "\n", "\r\n", "\r", "\xE2\x80\xA8");
    CAPTURE(end);
    const std::string text = "uses ghp_AbCdEfGhIjKl" + end + "MnOpQrStUvWxYz0123456789";
    CHECK_THAT(heeler::text::sanitise(text::redact(text), 1000), !ContainsSubstring("MnOp"));
    CHECK_THAT(text::redacted(text, 1000), !ContainsSubstring("MnOp"));
    CHECK_THAT(text::evidence_text(text), !ContainsSubstring("MnOp"));
}

TEST_CASE("text without secrets keeps what is invisible in it [M-184]") {
    const std::string text = "one\xE2\x80\x8Dtwo \x1B[31mthree\r\n\xFF";
    CHECK(text::redact(text) == text);
}

TEST_CASE("what an exact value kept from being seen is redacted as well [M-184]") {
    text::Redactor redactor;
    REQUIRE(redactor.add("<<value>>"));
    // The bracket ends what can be a host's name and user; without it the user is long enough to be a token.
    const std::string shown = redactor.redact("x://bob<<value>>eyJhbGciOi@host/path");
    CHECK(shown == "x://[redacted]@host/path");
    CHECK(redactor.redact(shown) == shown);
}

TEST_CASE("evidence is redacted before its end is kept [A-112] [M-184]") {
    const auto tail = std::string(6000, 'x') + std::string(4000, 'y');
    const auto kept = text::evidence_text("Authorization: Bearer abc\n" + tail);
    CHECK(kept.substr(kept.size() - 4000) == std::string(4000, 'y'));
    CHECK_THAT(kept, ContainsSubstring("bytes left out"));
    CHECK_THAT(kept, !ContainsSubstring("abc"));
    CHECK(kept.size() < 4050);
    CHECK(text::evidence_text("Authorization: Bearer abc " + std::string(10, 'x')) ==
          "Authorization: Bearer [redacted] xxxxxxxxxx");
    CHECK_THAT(text::evidence_text("token=" + std::string(5000, 's'), 100), !ContainsSubstring("ss"));
}

TEST_CASE("a secret is not cut in two before it is looked for [M-184]") {
    for (std::size_t fill = 0; fill < 200; ++fill) {
        const std::string text = std::string(fill, 'x') + " password=0123456789secret " + std::string(200 - fill, 'y');
        CHECK_THAT(text::redacted(text, 100), !ContainsSubstring("012") && !ContainsSubstring("ret"));
        CHECK(text::redacted(text, 100).size() <= 100);
    }
}

TEST_CASE("evidence counts characters, is clean, and cannot hide a name [M-184]") {
    std::string text;
    for (int i = 0; i < 20; ++i) text += "\xE2\x82\xAC";
    CHECK(text::evidence_text(text, 20) == text);
    CHECK(text::evidence_text(text, 5) == "[... 45 bytes left out ...]\n" + text.substr(45));
    CHECK(text::evidence_text("pass\xE2\x80\x8Bword=\x1B[31mhunter2") == "password=[redacted]");
    CHECK(text::evidence_text("a\r\nb\xFF") == "a\nb\xEF\xBF\xBD");
    CHECK(text::evidence_text("abc", 0) == "[... 3 bytes left out ...]\n");
}

TEST_CASE("hostile text is redacted in linear time [M-184]") {
    const auto piece = GENERATE(
        as<std::string>{}, "token=", "eyJ-", "eyJa.eyJ", "://a:", "bearer ", "password: \"", "-----BEGIN ",
        "-----BEGIN PRIVATE KEY", "\\", "sk-", "--token ", "[redacted]", "token:[", "curl -u", "curl -u,", "curl -u \"",
        "-u 'a\" ", "Cookie: a=\"", "cookie=a=;", "sk-sk-", "whsec_", "whsec_+/", "postgres://a:b/", "://a:b@", "hf_a1",
        "sk-a1\n", "eyJa0123456789\n", "token=\n", "mysql -p", "SG.", "npm_0123456789abcdef\n|");
    std::string text;
    while (text.size() < (heeler_test::is_slowed ? 200'000 : 1'000'000)) text += piece;
    CHECK_FALSE(text::redact(text).empty());
}
