#include <heeler/agent/sql/agent_database.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <heeler/agent/sql/agent_statements.hpp>

#include "support/catch.hpp"

using namespace heeler;

namespace {

constexpr detail::AgentDialect scripted_dialect{'?', "", "", "now", "token", "max"};

struct ScriptedSql : detail::AgentSql<scripted_dialect> {
    static constexpr char poll[] = "poll";
    static constexpr char look[] = "look";
};

/// Answers every statement with as many rows as it is told to, in which nothing is written.
struct ScriptedLink {
    struct Row {
        template <class... Ts>
        void read(Ts&&...) {}
    };
    using Sql = ScriptedSql;

    int rows = 0;
    bool fails = false;
    std::vector<std::string>* asked = nullptr;

    Result<void> open() { return {}; }
    template <class Read, class... Values>
    Result<void> fetch(const char* sql, Read read, const Values&...) {
        asked->push_back(std::string{sql}.substr(0, std::string_view{sql}.find(' ')));
        if (fails) return fail(ErrorCode::busy, "it is held");
        for (int i = 0; i < rows; ++i) {
            Row row;
            read(row);
        }
        return {};
    }
    template <class Work>
    auto locked(Work work) -> decltype(work()) {
        return work();
    }
    static Error error(ErrorCode code, std::string_view said) { return {code, std::string{said}}; }
    static detail::AgentWords words() { return {}; }
};
static_assert(detail::AgentLink<ScriptedLink>);

}  // namespace

TEST_CASE("a row that should have changed and did not is a conflict") {
    std::vector<std::string> asked;
    detail::AgentDatabase one{ScriptedLink{1, false, &asked}};
    CHECK(one.raise({}, 1));
    CHECK(one.restore("r", 1));
    CHECK(asked == std::vector<std::string>{"INSERT", "UPDATE", "UPDATE", "DELETE"});
    for (const int rows : {0, 2}) {
        asked.clear();
        detail::AgentDatabase other{ScriptedLink{rows, false, &asked}};
        CHECK(other.raise({}, 1).error().code == ErrorCode::conflict);
        CHECK(other.renew({}).error().code == ErrorCode::conflict);
        CHECK(other.begin_again("r").error().code == ErrorCode::conflict);
        CHECK(other.restore("r", 1).error().code == ErrorCode::conflict);
        CHECK(other.retire("r", "failed", 0));  // a row that is over stays as it is
        CHECK(asked.back() == "UPDATE");        // nothing was forgotten
    }
}

TEST_CASE("what a database answers is rows, one or none, or its error") {
    std::vector<std::string> asked;
    detail::AgentDatabase none{ScriptedLink{0, false, &asked}};
    CHECK(none.poll({"r"})->empty());
    CHECK_FALSE(none.look("r")->has_value());
    CHECK_FALSE(none.claimer("k")->has_value());
    detail::AgentDatabase two{ScriptedLink{2, false, &asked}};
    CHECK(two.poll({"r", "s"})->size() == 2);
    CHECK((*two.look("r"))->ticket.run == "r");
    detail::AgentDatabase held{ScriptedLink{2, true, &asked}};
    CHECK(held.poll({"r"}).error().code == ErrorCode::busy);
    CHECK(held.look("r").error().code == ErrorCode::busy);
    CHECK(held.raise({}, 1).error().code == ErrorCode::busy);
    CHECK(held.restore("r", 1).error().code == ErrorCode::busy);
}
