#include <heeler/agent/sql/agent_statements.hpp>

#include <string_view>

#include "support/catch.hpp"

using namespace heeler;

namespace {

constexpr detail::AgentDialect dialect{'%', "::t", "::n", "now()", "secret()", "largest"};

std::string_view said(const detail::AgentStatement& statement) { return static_cast<const char*>(statement); }

}  // namespace

TEST_CASE("a shared statement is said in the words of a database") {
    static constexpr detail::AgentStatement statement{dialect, "SET a = {now}, b = {token}, c = {most}(c, #12) AND ?3"};
    CHECK(said(statement) == "SET a = now(), b = secret(), c = largest(c, %1::n2) AND %3::t");
    static constexpr detail::AgentStatement plain{dialect, "WHERE token = :token RETURNING 'counted';"};
    CHECK(said(plain) == "WHERE token = :token RETURNING 'counted';");
}

TEST_CASE("no marker is left in a shared statement") {
    using Sql = detail::AgentSql<dialect>;
    for (const auto* const statement :
         {&Sql::insert, &Sql::archive, &Sql::raise, &Sql::renew, &Sql::begin_again, &Sql::restore, &Sql::claimer,
          &Sql::forget, &Sql::retire, &Sql::heartbeat, &Sql::question, &Sql::complete}) {
        INFO(said(*statement));
        CHECK(said(*statement).find_first_of("{}?#") == std::string_view::npos);
    }
}
