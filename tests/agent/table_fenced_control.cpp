#include <heeler/agent/table_fenced_control.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

#include <heeler/effects/control_ref.hpp>
#include <heeler/testing/scripted_control.hpp>

#include "support/catch.hpp"

using namespace heeler;
using detail::ControlRef;

namespace {

struct Ticket {
    std::string token;
};

/// A table that answers as told.
struct ScriptedTable {
    Result<Ticket> claimed = Ticket{"secret"};
    Result<bool> released = true;
    Result<void> retired{};
    std::string calls{};

    Result<AgentClaimer> who = AgentClaimer::nobody;

    Result<Ticket> claim(const ActionRequest& request, bool repeatable) {
        calls += "claim " + std::string{request.run} + " " + std::to_string(request.attempt) + " " +
                 std::string{request.key} + (repeatable ? "!; " : "; ");
        return claimed;
    }
    Result<bool> release(std::string_view run, std::string_view key, std::string_view asker) {
        calls += "release " + std::string{run} + " " + std::string{key} + " " + std::string{asker} + "; ";
        return released;
    }
    Result<AgentClaimer> claimer(std::string_view) { return who; }
    Result<void> retire(std::string_view run, RunState how, std::uint64_t fence) {
        CHECK(fence == 9);
        calls += "retire " + std::string{run} + " " + std::string{name_of(how)} + "; ";
        return retired;
    }
    [[nodiscard]] static std::string prompt(const Ticket& ticket) { return "use " + ticket.token; }
};

struct OnlySpawns {
    Result<ActionDone> spawn(const ActionRequest&) { return ActionDone{"started"}; }
};

struct Keyed {
    static constexpr bool idempotent = true;
    Result<ActionDone> pause(const ActionRequest&) { return ActionDone{}; }
};

const ActionRequest asked{"r", "k", "brief", 4, "w1.3", 9};

}  // namespace

TEST_CASE("a wrapped control has the verbs that it has without the table", "[agent]") {
    ScriptedTable table;
    OnlySpawns only;
    TableFencedControl narrow{table, only};
    const ControlRef ref{narrow};
    CHECK(ref.act(ActionKind::spawn, asked)->note == "started");
    for (const ActionKind kind : {ActionKind::nudge, ActionKind::pause, ActionKind::resume, ActionKind::isolate,
                                  ActionKind::snapshot, ActionKind::terminate})
        CHECK(ref.act(kind, asked).error().code == ErrorCode::unsupported);
    CHECK(ref.prove_stopped("r").error().code == ErrorCode::unsupported);
    CHECK_FALSE(ref.idempotent());

    ScriptedControl all;
    all.answer_find(Found::absent);
    all.answer_prove_stopped(StopProof::stopped);
    all.set_idempotent(true);
    TableFencedControl wide{table, all};
    const ControlRef other{wide};
    for (const ActionKind kind : {ActionKind::nudge, ActionKind::pause, ActionKind::resume, ActionKind::isolate,
                                  ActionKind::snapshot, ActionKind::terminate, ActionKind::spawn})
        CHECK(other.act(kind, asked));
    CHECK(all.requests().size() == 7);
    CHECK(other.find("k") == Found::absent);
    CHECK(other.prove_stopped("r") == StopProof::stopped);
    CHECK(other.idempotent());
    Keyed keyed;
    CHECK(TableFencedControl{table, keyed}.idempotent());
}

TEST_CASE("a spawn is claimed before, told the new statements, and given back if it failed [M-098]") {
    ScriptedTable table;
    ScriptedControl inner;
    TableFencedControl control{table, inner};
    CHECK(control.spawn(asked));
    CHECK(table.calls == "claim r 4 k; ");
    CHECK(inner.requests().at(0).text == "brief\nuse secret");
    CHECK(inner.requests().at(0).key == "k");
    table.calls.clear();
    inner.answer(ControlVerb::spawn, ControlAnswer::timeout_but_done);
    CHECK(control.spawn(asked).error().code == ErrorCode::timed_out);
    CHECK(table.calls == "claim r 4 k; ");
    table.calls.clear();
    inner.answer(ControlVerb::spawn, ControlAnswer::reject);
    CHECK(control.spawn(asked).error().code == ErrorCode::rejected);
    CHECK(table.calls == "claim r 4 k; release r k w1.3; ");
    table.released = fail(ErrorCode::lost, "no server");
    CHECK(control.spawn(asked).error().message.find("not given back: no server") != std::string::npos);
    table.released = false;
    CHECK(control.spawn(asked).error().code == ErrorCode::timed_out);
    inner.clear();
    table.claimed = fail(ErrorCode::ended, "completed");
    CHECK(control.spawn(asked).error().code == ErrorCode::ended);
    CHECK(inner.requests().empty());
}

TEST_CASE("a claim without an answer stays open, and the run is given back only if nothing happened [M-098]") {
    ScriptedTable table;
    ScriptedControl inner;
    TableFencedControl control{table, inner};
    for (const ErrorCode code : {ErrorCode::lost, ErrorCode::io, ErrorCode::busy, ErrorCode::corrupt}) {
        table.claimed = fail(code, "no server");
        CHECK(control.spawn(asked).error().code == ErrorCode::busy);
    }
    for (const ErrorCode code : {ErrorCode::timed_out, ErrorCode::fenced, ErrorCode::rejected, ErrorCode::ended}) {
        table.claimed = fail(code, "says the row");
        CHECK(control.spawn(asked).error().code == code);
    }
    table.claimed = fail(ErrorCode::unknown_run, "enlist it");
    CHECK(control.spawn(asked).error().code == ErrorCode::rejected);
    CHECK(inner.requests().empty());

    struct Throws {
        Result<ActionDone> spawn(const ActionRequest&) { throw std::runtime_error{"halfway"}; }
    };
    Throws throws;
    ScriptedTable open;
    CHECK(TableFencedControl{open, throws}.spawn(asked).error().code == ErrorCode::timed_out);
    CHECK(open.calls == "claim r 4 k; ");
    inner.set_idempotent(true);
    CHECK(TableFencedControl{open, inner}.spawn(asked));
    CHECK(open.calls == "claim r 4 k; claim r 4 k!; ");
    open.calls.clear();
    inner.answer(ControlVerb::spawn, ControlAnswer::reject);
    ActionRequest again = asked;
    again.repeated = true;  // the first one may take effect yet
    CHECK(TableFencedControl{open, inner}.spawn(again).error().code == ErrorCode::timed_out);
    CHECK(open.calls == "claim r 4 k!; ");
}

TEST_CASE("what nobody claimed was not started, what somebody else claimed may be started yet [M-098]") {
    ScriptedTable table;
    OnlySpawns blind;
    TableFencedControl without{table, blind};
    CHECK(without.find("k") == Found::absent);
    table.who = AgentClaimer::we;
    CHECK(without.find("k") == Found::unknown);
    ScriptedControl inner;
    TableFencedControl control{table, inner};
    for (const Found answer : {Found::found, Found::absent, Found::unknown}) {
        inner.answer_find(answer);
        table.who = AgentClaimer::we;
        CHECK(control.find("k") == answer);
        table.who = AgentClaimer::somebody;
        CHECK(control.find("k") == (answer == Found::found ? Found::found : Found::unknown));
    }
    table.who = fail(ErrorCode::lost, "no server");
    CHECK(control.find("k").error().code == ErrorCode::lost);
}

TEST_CASE("a run that was terminated is over for its agents", "[agent]") {
    ScriptedTable table;
    ScriptedControl inner;
    TableFencedControl control{table, inner};
    CHECK(control.terminate(asked));
    CHECK(table.calls == "retire r terminated; ");
    table.retired = fail(ErrorCode::lost, "no server");
    CHECK(control.terminate(asked)->note.find("not retired: no server") != std::string::npos);
    table.calls.clear();
    inner.answer(ControlVerb::terminate, ControlAnswer::fail);
    CHECK_FALSE(control.terminate(asked));
    CHECK(table.calls.empty());
}

TEST_CASE("a run that was given up is over for its agents, and an inner control that keeps records hears of it",
          "[agent]") {
    struct Keeper {
        std::string heard{};
        Result<ActionDone> retire(const ActionRequest&, RunState how) {
            heard = name_of(how);
            return ActionDone{"kept"};
        }
    };
    ScriptedTable table;
    ScriptedControl inner;
    TableFencedControl plain{table, inner};
    CHECK(ControlRef{plain}.act(ActionKind::mark_failed, asked));
    CHECK(ControlRef{plain}.act(ActionKind::abandon, asked));
    CHECK(table.calls == "retire r failed; retire r abandoned; ");
    CHECK(inner.requests().empty());
    Keeper keeper;
    TableFencedControl told{table, keeper};
    CHECK(ControlRef{told}.act(ActionKind::abandon, asked)->note == "kept");
    CHECK(keeper.heard == "abandoned");
    table.retired = fail(ErrorCode::lost, "no server");
    CHECK(plain.retire(asked, RunState::failed).error().code == ErrorCode::lost);
}

TEST_CASE("a run that the watchdog gives up is over for its agents [M-100]") {
    ScriptedTable table;
    ScriptedControl inner;
    TableFencedControl control{table, inner};
    const ControlRef ref{control};
    CHECK(ref.act(ActionKind::mark_failed, asked));
    CHECK(ref.act(ActionKind::abandon, asked));
    CHECK(table.calls == "retire r failed; retire r abandoned; ");
    CHECK(inner.requests().empty());
    table.retired = fail(ErrorCode::lost, "no server");
    CHECK(ref.act(ActionKind::mark_failed, asked).error().code == ErrorCode::lost);
    CHECK(ControlRef{inner}.act(ActionKind::mark_failed, asked).error().code == ErrorCode::unsupported);
}
