#include "common/own_machine.hpp"

#include <string>

#include "support/catch.hpp"

TEST_CASE("an address leads to this machine by its host alone") {
    for (const char* const own :
         {"smtp://127.0.0.1", "smtp://127.0.0.1:25", "smtp://[::1]:25", "smtps://127.0.0.1/here",
          "smtp://user:word@127.0.0.1:25", "http://127.0.0.1?x=@mail.example.org"}) {
        CAPTURE(own);
        CHECK(common::is_on_own_machine(own));
    }
    for (const char* const other :
         {"smtp://127.0.0.1@mail.example.org", "smtp://127.0.0.1:25@mail.example.org:25",
          "smtp://[::1]@mail.example.org", "smtp://127.0.0.1.example.org", "smtp://127.0.0.10",
          "smtp://mail.example.org/127.0.0.1", "smtp://mail.example.org#127.0.0.1",
          "smtp://mail.example.org?@127.0.0.1", "smtp://localhost", "smtp://127.0.0.1\\@mail.example.org",
          "smtp://[::1].example.org", "smtp://", "127.0.0.1 and more", ""}) {
        CAPTURE(other);
        CHECK_FALSE(common::is_on_own_machine(other));
    }
}
