#include <heeler/text/hmac.hpp>

#include <string>

#include <heeler/text/base64.hpp>

#include "support/catch.hpp"

using heeler::text::base64;
using heeler::text::from_base64;
using heeler::text::hmac_sha256;

namespace {

std::string in_hex(const std::string& bytes) {
    std::string text;
    for (const char byte : bytes) {
        constexpr std::string_view digits = "0123456789abcdef";
        text += digits[static_cast<unsigned char>(byte) >> 4];
        text += digits[static_cast<unsigned char>(byte) & 15];
    }
    return text;
}

}  // namespace

TEST_CASE("HMAC-SHA-256 gives what RFC 4231 lists") {
    CHECK(in_hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")) ==
          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK(in_hex(hmac_sha256("Jefe", "what do ya want for nothing?")) ==
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(in_hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")) ==
          "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("base64 gives what RFC 4648 lists, and reads it") {
    const std::pair<std::string, std::string> vectors[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : vectors) {
        CHECK(base64(bytes) == text);
        CHECK(from_base64(text) == bytes);
    }
    CHECK(base64("\xfb\xff\xfe") == "+//+");
    CHECK(from_base64("Zg") == "f");
    CHECK_FALSE(from_base64("Z"));
    CHECK_FALSE(from_base64("Zm 9v"));
}
