// Mailboxes in the watchdog: between judging and delivering, once a cycle, whatever becomes of them.
#include <heeler/engine/runner.hpp>

#include <atomic>
#include <set>
#include <stdexcept>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/scripted_mailbox.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;
using heeler_test::ScriptedMailbox;

namespace {

std::string mail_alerts_of(const CycleReport& report) {
    std::string text;
    for (const auto& event : bench::all_of<AlertEvent>(report))
        if (event.row.alert.kind.starts_with("mail.")) text += event.row.alert.kind + " ";
    return text;
}

}  // namespace

TEST_CASE("mail is looked into between judging and delivering [M-128]") {
    Bench b;
    ScriptedMailbox box;
    box.add("u", MailKind::urgent);
    box.add("n", MailKind::needs_response, 3601s);
    box.add("c", MailKind::command);
    REQUIRE(b.dog->attach(box));
    CycleReport report = b.dog->tick();
    CHECK(box.done == std::vector<std::string>{"c"});
    CHECK(box.marked == std::vector<std::string>{"c"});
    CHECK(b.notifier.sent().empty());
    report.absorb(b.dog->deliver());
    CHECK(mail_alerts_of(report) == "mail.urgent mail.pending_responses ");
    CHECK(b.after(30s).events.empty());
    CHECK(b.notifier.sent().size() == 2);
}

TEST_CASE("what came of actions is no cycle that looks into mail [M-128]") {
    Bench b;
    ScriptedMailbox box;
    REQUIRE(b.dog->attach(box));
    (void)b.dog->tick(TickCause::outcome);
    CHECK(box.looks == 0);
    for (const TickCause cause : {TickCause::startup, TickCause::period, TickCause::on_demand})
        (void)b.dog->tick(cause);
    CHECK(box.looks == 3);
    b.dog->detach_mail();
    (void)b.dog->tick();
    CHECK(box.looks == 3);
}

TEST_CASE("whatever a mailbox does, runs are judged and people told") {
    Bench b;
    ScriptedMailbox box;
    box.on_unread = []() -> Result<void> { throw std::runtime_error{"no mail today"}; };
    REQUIRE(b.dog->attach(box));
    const RunHandle run = b.stalled();
    CHECK(*b.dog->status(run) == Status::stalled);
    CHECK(b.acts == "inject:nudge done");
    CHECK(box.looks >= 2);
}

TEST_CASE("after a restart nobody is told twice and nothing done twice [M-128]") {
    Bench b;
    ScriptedMailbox box;
    box.add("u", MailKind::urgent);
    box.add("c", MailKind::command);
    box.on_mark = [] { return Result<void>{fail(ErrorCode::io, "read only")}; };
    REQUIRE(b.dog->attach(box));
    CHECK(mail_alerts_of(b.cycle()) == "mail.urgent ");
    b.boot();
    REQUIRE(b.dog->attach(box));
    CHECK(mail_alerts_of(b.cycle()).empty());
    CHECK(box.done.size() == 1);
}

TEST_CASE("settings of a mailbox that make no sense are refused") {
    Bench b;
    ScriptedMailbox box;
    MailSettings settings;
    settings.pending_response_threshold = -1s;
    CHECK(b.dog->attach(box, settings).error().code == ErrorCode::invalid_argument);
    (void)b.cycle();
    CHECK(box.looks == 0);
}

TEST_CASE("a quiet mailbox makes no noise, and no write") {
    Bench b;
    ScriptedMailbox box;
    box.add("s", MailKind::status, 9h);
    REQUIRE(b.dog->attach(box));
    const auto before = b.store.calls(StoreOperation::history) + b.store.calls(StoreOperation::commit);
    CHECK(b.after(30s).events.empty());
    CHECK(b.store.calls(StoreOperation::history) + b.store.calls(StoreOperation::commit) == before);
}

TEST_CASE("a runner's two threads tell of each message once [M-128]") {
    Bench b;
    struct Filling {
        std::atomic<int> mails{0};
        Result<std::vector<Mail>> unread() {
            std::vector<Mail> all;
            for (int i = 0; i < std::min(++mails, 50); ++i)
                all.push_back({std::to_string(i), "orchestrator", {}, MailKind::urgent, false, {}, {}});
            return all;
        }
        Result<void> mark_read(const std::string&) { return {}; }
    } box;
    REQUIRE(b.dog->attach(box));
    std::vector<std::thread> threads;
    threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) (void)b.dog->tick();
    });
    threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) (void)b.dog->deliver();
    });
    for (std::thread& each : threads) each.join();
    (void)b.cycle();
    std::set<std::string> keys;
    for (const auto& sent : b.notifier.sent()) keys.insert(sent.alert.key);
    CHECK(keys.size() == b.notifier.sent().size());
    CHECK(b.notifier.delivered().back().summary == "50 urgent messages in `orchestrator`");
}
