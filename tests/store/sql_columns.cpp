// The lists of columns from which the statements of both databases are made.
#include <heeler/store/sql_columns.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <heeler/store/stored_columns.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace heeler::detail;

namespace {

constexpr char few[] = "run, at bigint, body bytea";

std::size_t size_of(std::string_view list) {
    std::size_t count = 0;
    for (; !list.empty(); ++count) (void)take_column(list);
    return count;
}

/// `more`: columns that are no part of the row.
template <class Row>
void check_size(std::string_view list, std::size_t more) {
    const Row row{};
    columns(row, [&](const auto&... values) { CHECK(sizeof...(values) + more == size_of(list)); });
}

}  // namespace

TEST_CASE("a list of columns is written by its pattern", "[store]") {
    CHECK(std::string{sql_list<few>} == "run, at, body");
    CHECK(std::string{sql_list<few, "?#">} == "?1, ?2, ?3");
    CHECK(std::string{sql_list<few, "$#::@[]", 1>} == "$2::bigint[], $3::bytea[]");
    CHECK(std::string{sql_list<few, "% = excluded.%", 1, 2>} == "at = excluded.at");
    CHECK(std::string{sql_list<alert_columns, "?#", 8, 11>} == "?9, ?10, ?11");
    CHECK(std::string{word_of<AlertRow::State::pending>.text} == "'pending'");
}

TEST_CASE("a list has as many columns as its rows are stored in", "[store]") {
    check_size<RunRow>(run_columns, 0);
    check_size<CheckpointRow>(checkpoint_columns, 1);
    check_size<Intervention>(intervention_columns, 1);
    check_size<Action>(action_columns, 1);
    check_size<AuditRow>(audit_columns, 0);
    check_size<MuteRow>(mute_columns, 0);
    check_size<TallyRow>(tally_columns, 0);
    const AlertRow row{};
    const std::string body;
    columns(row, body, [](const auto&... values) { CHECK(sizeof...(values) + 1 == body_text_place); });
    CHECK(body_column + 1 == static_cast<int>(body_text_place));
}
