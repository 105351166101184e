#include <heeler/run/heartbeat_log.hpp>

#include <string>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

List<HeartbeatRow> rows_from(std::uint32_t first, std::uint32_t last) {
    List<HeartbeatRow> rows;
    for (std::uint32_t n = first; n <= last; ++n)
        rows.push_back({n, n % 3 == 0 ? std::nullopt : std::optional<std::int64_t>{-5 + std::int64_t{n}},
                        n % 2 == 0 ? -1 : 1, WallTime{60s * n}});
    return rows;
}

void check_same(const List<HeartbeatRow>& a, const List<HeartbeatRow>& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        CAPTURE(i);
        CHECK((a[i].number == b[i].number && a[i].value == b[i].value));
        CHECK((a[i].delta == b[i].delta && a[i].at == b[i].at));
    }
}

}  // namespace

TEST_CASE("rows of a heartbeat log are read back from their record", "[run]") {
    const auto rows = rows_from(1, 40);
    const std::string body = detail::write_heartbeats(rows, 32);
    CHECK(body.starts_with(R"({"rows":[[1,60000000,-4,1],[2,120000000,-3,-1],[3,180000000,null,1],)"));
    List<HeartbeatRow> read;
    detail::read_heartbeats(body, read);
    check_same(read, rows_from(1, 32));
    detail::read_heartbeats(body, read);  // a record that came twice
    CHECK(read.size() == 32);
}

TEST_CASE("a log is put together from the store, from what waits for it and from memory", "[run]") {
    detail::RunMemory watched;
    History known;
    known.audit.push_back(
        {WallTime{}, std::string{detail::heartbeats_record}, "r", detail::write_heartbeats(rows_from(1, 32), 32)});
    known.audit.push_back({WallTime{}, "verdict", "r", R"({"rows":[[999,0,0,0]]})"});
    watched.unsaved.edit().audit.push_back(
        {WallTime{}, std::string{detail::heartbeats_record}, "r", detail::write_heartbeats(rows_from(33, 64), 32)});
    watched.rare.edit().heartbeats.edit() = rows_from(65, 101);
    check_same(detail::heartbeat_log(watched, known), rows_from(1, 101));
}

TEST_CASE("what is no record of a heartbeat log adds nothing, or what can be read of it", "[run]") {
    for (const char* const body :
         {"", "{}", "null", "x", "{\"rows\":[]}", "[[1]]", R"({"rows":[[1,2,3]]})", R"({"rows":[[-1,2,3,4]]})",
          R"({"rows":[[0,2,3,4]]})", R"({"rows":[[4294967296,2,3,4]]})", R"({"rows":[[99999999999999999999,2,3,4]]})",
          R"({"rows":-)", R"({"rows":nnnn})", R"({"rows":[[1,null,3,4]]})"}) {
        CAPTURE(body);
        List<HeartbeatRow> rows;
        detail::read_heartbeats(body, rows);
        CHECK(rows.empty());
    }
    List<HeartbeatRow> rows;
    detail::read_heartbeats(R"({"rows":[[1,2,3,4],[2,3)", rows);
    CHECK(rows.size() == 1);
}
