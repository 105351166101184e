// The text of the work where a host keeps it apart from the agents of its agents.
#include <heeler/agent/sqlite_agent_table.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "support/catch.hpp"
#include "support/real_process.hpp"

using namespace heeler;

namespace {

void write(const std::string& file, const char* sql) {
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &handle) == SQLITE_OK);
    CHECK(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(handle);
}

}  // namespace

TEST_CASE("a host's hook gives the text of a queue item that its row does not hold [M-100]") {
    const heeler_test::ScratchDirectory scratch;
    const std::string file = scratch / "agents.db";
    SqliteAgentTable agents{file};
    std::vector<std::string> items;
    agents.work_items([&](std::string_view item) {
        items.emplace_back(item);
        return item == "41" ? std::string{"Port the parser"} : std::string(item == "43" ? 300'000 : 0, 'w');
    });
    REQUIRE(agents.in_progress());
    write(file,
          "INSERT INTO agent_progress(run, queue_item_id) VALUES ('a', 41), ('b', 42), ('c', 43);"
          "INSERT INTO agent_progress(run, queue_item_id, work_item) VALUES ('d', 44, 'its own');"
          "INSERT INTO agent_progress(run) VALUES ('e')");
    const auto specs = agents.describe({"a", "b", "c", "d", "e"});
    REQUIRE(specs);
    REQUIRE(specs->size() == 5);
    CHECK((*specs)[0].work_item == "Port the parser");
    CHECK((*specs)[1].work_item.empty());
    CHECK((*specs)[2].work_item.size() == longest_work_item);
    CHECK((*specs)[2].work_item.ends_with("[the rest is with the queue item]"));
    CHECK((*specs)[3].work_item == "its own");
    CHECK((*specs)[4].work_item.empty());
    CHECK(items == std::vector<std::string>{"41", "42", "43"});
}
