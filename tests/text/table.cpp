#include <heeler/text/table.hpp>

#include <string>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("fields make a table of Field and Value [M-017]") {
    const std::vector<text::TableField> fields = {{"Task", "build the parser"}, {"Expected", "600 s"}, {"Timeout", ""}};
    CHECK(text::to_table(fields) ==
          "| Field    | Value            |\n"
          "| -------- | ---------------- |\n"
          "| Task     | build the parser |\n"
          "| Expected | 600 s            |\n"
          "| Timeout  |                  |\n");
}

TEST_CASE("columns are padded by characters, not bytes") {
    CHECK(text::to_table(
              {"#", "caf\xC3\xA9"},
              {{"1", "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"}, {"22"}, {"3", "x", "extra"}}) ==
          "| #   | caf\xC3\xA9  |\n"
          "| --- | ----- |\n"
          "| 1   | \xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC |\n"
          "| 22  |       |\n"
          "| 3   | x     |\n");
    CHECK(text::to_table({"only"}, {}) == "| only |\n| ---- |\n");
}

TEST_CASE("a cell cannot break the table [M-017]") {
    const auto table = text::to_table({"a"}, {{"x|y\nz\x1B[31m\xFF"}, {std::string(2000, 'k')}});
    CHECK_THAT(table, ContainsSubstring("| x\\|y z\xEF\xBF\xBD"));
    CHECK(std::count(table.begin(), table.end(), '\n') == 4);
    CHECK(table.size() < 2200);
}
