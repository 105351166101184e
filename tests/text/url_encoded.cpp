#include <heeler/text/url_encoded.hpp>

#include <string_view>

#include "support/catch.hpp"

TEST_CASE("whatever a text holds, in an address it is one part of it") {
    using heeler::text::url_encoded;
    CHECK(url_encoded("Az09-._~") == "Az09-._~");
    CHECK(url_encoded("a/b?c=d&e #%+") == "a%2Fb%3Fc%3Dd%26e%20%23%25%2B");
    CHECK(url_encoded(std::string_view{"\0\n\xC3\xA9", 4}) == "%00%0A%C3%A9");
    CHECK(url_encoded("").empty());
}
