#include "common/store_place.hpp"

#include "supervise/command_text.hpp"
#include "support/catch.hpp"

using common::ctl_command;
using common::StorePlace;
using supervise::command_text;

TEST_CASE("alerts print a command that reaches the store from anywhere [M-124]") {
    CHECK(ctl_command({"/var/it's/s.db", {}}) == R"(heeler-ctl --store 'sqlite:/var/it'\''s/s.db')");
    CHECK_THAT(ctl_command({"s.db", {}}), ContainsSubstring("'sqlite:/") && ContainsSubstring("/s.db'"));
    CHECK(ctl_command({{}, "postgres://db/x"}) == "heeler-ctl --store 'postgres://db/x'");
    CHECK(ctl_command({{}, "host=db dbname=x"}) == "heeler-ctl --store 'postgres:host=db dbname=x'");
    CHECK(ctl_command({{}, "postgres://db/x", "two words"}) ==
          "heeler-ctl --store 'postgres://db/x' --schema 'two words'");
}

TEST_CASE("no alert prints the password of a store [M-184]") {
    CHECK(ctl_command({{}, "postgres://bob:hunter2@db/x"}) == "heeler-ctl --store 'postgres://bob@db/x'");
    CHECK(ctl_command({{}, "host=db password=hunter2"}) == "heeler-ctl --store \"$HEELER_STORE\"");
    CHECK(ctl_command({{}, "postgres://db/x?password=hunter2"}) == "heeler-ctl --store \"$HEELER_STORE\"");
    CHECK(ctl_command({{}, "postgres://bob:h#2/@db/x"}) == "heeler-ctl --store 'postgres://bob@db/x'");
}

TEST_CASE("a command line is shown without what it was given in secret [M-184]") {
    CHECK(command_text({"sh", "-c", "echo done"}) == "sh -c 'echo done'");
    CHECK(command_text({"agent", "--token", "hun\xE2\x80\x8Bter2", "--fast"}) == "agent --token [redacted] --fast");
    CHECK(command_text({"agent",
                        "--tok\x1B"
                        "en=hunter2",
                        "--fast"}) == "agent --tokn=[redacted] --fast");  // as a terminal takes it in
    CHECK(command_text({"curl", "-u", "bob:hunter 2", "x"}) == "curl -u 'bob:[redacted]' x");
    CHECK(command_text({"agent", "--token", "hunter2", "--fast"}) == "agent --token [redacted] --fast");
    CHECK(command_text({"agent", "--token", "it's 2", "--fast"}) == "agent --token \"[redacted]\" --fast");
    CHECK(command_text({"agent", "--password=two words"}) == "agent '--password=[redacted]'");
    CHECK(command_text({"env", "DB_PASS=hunter2", "mysql", "-phunter 2"}) ==
          "env DB_PASS=[redacted] mysql '-p[redacted]'");
}
