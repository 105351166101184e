#include <heeler/effects/mail_watch.hpp>

#include <functional>
#include <stdexcept>

#include "support/rooms.hpp"
#include "support/scripted_mailbox.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using heeler_test::PlainMailbox;
using heeler_test::ScriptedMailbox;
using rooms::House;

namespace {

/// A watch of mailboxes in a house; `again` makes another, as a process that starts again has it.
struct Office {
    House house;
    ScriptedMailbox box;
    MailSettings rules;
    std::unique_ptr<detail::MailWatch> mail_watch;

    Office() { again(); }

    void again() {
        mail_watch =
            std::make_unique<detail::MailWatch>(house.courier, house.ledger, house.held_lease, house.deliverer);
        mail_watch->watch(detail::MailboxRef{box}, rules);
    }

    CycleReport check() {
        CycleReport report;
        mail_watch->check(house.now(), report);
        return report;
    }
    /// Checks, then delivers.
    CycleReport cycle() {
        CycleReport report = check();
        mail_watch->tell(house.now(), report);
        house.clock.advance(30s);
        return report;
    }

    /// "mail.urgent 2 delivered" of one cycle.
    std::string told() { return told_in(cycle()); }
    static std::string told_in(const CycleReport& report) {
        std::string text;
        for (const auto& event : bench::all_of<AlertEvent>(report))
            text += (text.empty() ? "" : ", ") + event.row.alert.kind + " " + event.row.alert.details[1].value +
                    (event.row.state == AlertRow::State::delivered ? " delivered" : " given up");
        return text;
    }

    [[nodiscard]] std::size_t records(std::string_view kind) {
        const auto audit = house.history("").audit;
        return static_cast<std::size_t>(
            std::count_if(audit.begin(), audit.end(), [&](const AuditRow& row) { return row.kind == kind; }));
    }
};

/// Does something in the middle of a delivery, as another thread would.
struct Interrupted final : detail::NotifierPort {
    std::function<void()> meanwhile = [] {};  ///< of the next one
    std::vector<std::string> told{};

    Result<Receipt> send(const Alert& alert) override {
        told.push_back(alert.summary);
        std::exchange(meanwhile, [] {})();
        return Receipt{};
    }
    Result<void> serves(std::string_view) override { return {}; }
};

}  // namespace

TEST_CASE("an alert about mail goes out once, and again when a message joins [M-128]") {
    Office office;
    office.box.add("a", MailKind::urgent);
    CHECK(office.told() == "mail.urgent 1 delivered");
    CHECK(office.told().empty());
    office.box.add("b", MailKind::urgent);
    CHECK(office.told() == "mail.urgent 2 delivered");
    office.box.take("a");
    CHECK(office.told().empty());
    office.box.take("b");
    CHECK(office.told().empty());
    office.box.add("c", MailKind::urgent);
    CHECK(office.told() == "mail.urgent 1 delivered");
    const auto sent = office.house.notifier.sent();
    REQUIRE(sent.size() == 3);
    CHECK(sent[0].alert.key != sent[1].alert.key);
    CHECK(office.box.marked.empty());
    CHECK(office.records("mail.urgent") == 3);
}

TEST_CASE("each kind of alert stands for itself, and a message that a box lost sight of is no new one [M-128]") {
    Office office;
    office.box.add("a", MailKind::urgent);
    office.box.add("n", MailKind::needs_response, 3600s);
    CHECK(office.told() == "mail.urgent 1 delivered");
    office.box.mails[1].age = 3601s;
    CHECK(office.told() == "mail.pending_responses 1 delivered");
    const auto all = std::exchange(office.box.mails, {});
    CHECK(office.told().empty());
    office.box.mails = all;
    CHECK(office.told().empty());
}

TEST_CASE("an alert that fails is tried again at once, then in the next cycle [M-128]") {
    Office office;
    office.box.add("a", MailKind::urgent);
    office.house.notifier.answer_with({Delivery::fail});
    CycleReport report = office.cycle();
    CHECK(Office::told_in(report).empty());
    CHECK(bench::errors_of(report) == "notifier : the recording notifier was told to fail\n");
    REQUIRE(office.house.notifier.sent().size() == 4);
    CHECK(office.house.notifier.sent()[3].alert.attempt == 4);

    CycleReport same_cycle;
    office.mail_watch->tell(office.house.now(), same_cycle);
    CHECK(office.house.notifier.sent().size() == 4);
    CHECK(office.records("mail.urgent") == 0);

    office.house.notifier.answer_with({Delivery::raise, Delivery::no_recipient, Delivery::ok});
    report = office.cycle();
    const auto events = bench::all_of<AlertEvent>(report);
    REQUIRE(events.size() == 1);
    CHECK(events[0].row.attempts == 7);
    const auto sent = office.house.notifier.sent();
    CHECK(sent.front().alert.key == sent.back().alert.key);
    CHECK(office.told().empty());
}

TEST_CASE("an alert that fails is tried again as often as its classes say, or mail itself [M-128][M-121]") {
    const auto of_classes = GENERATE(0U, 1U, 5U);
    Office office;
    RunClass rules = presets::worker_monitor();
    rules.alerts.outbox.at_once = of_classes;
    office.house.define(rules);
    office.box.add("a", MailKind::urgent);
    office.house.notifier.answer_with({Delivery::fail});
    SECTION("the classes") {
        office.cycle();
        CHECK(office.house.notifier.sent().size() == of_classes + 1);
    }
    SECTION("mail") {
        office.rules.notification_retries = 2;
        office.again();
        office.cycle();
        CHECK(office.house.notifier.sent().size() == 3);
    }
}

TEST_CASE("alerts about mail go to the orchestrator, unless they have another route [M-120]") {
    const std::string route = GENERATE("orchestrator", "night");
    Office office;
    if (route == "night") office.rules.to = route;
    office.again();
    office.box.add("a", MailKind::urgent);
    office.box.add("b", MailKind::needs_response, 2h);
    CHECK(office.told() == "mail.urgent 1 delivered, mail.pending_responses 1 delivered");
    for (const auto& sent : office.house.notifier.sent()) CHECK(sent.alert.to == route);
}

TEST_CASE("an alert that waits says what is true when it goes out [M-128]") {
    Office office;
    office.rules.notification_retries = 0;
    office.again();
    office.box.add("a", MailKind::urgent);
    office.house.notifier.answer_with({Delivery::fail, Delivery::fail, Delivery::ok});
    CHECK(office.told().empty());
    office.box.add("b", MailKind::urgent);
    CHECK(office.told().empty());
    office.box.take("a");
    CHECK(office.told() == "mail.urgent 1 delivered");
    CHECK(office.house.notifier.sent().size() == 3);

    office.box.add("c", MailKind::urgent);
    office.house.notifier.answer_with({Delivery::fail, Delivery::ok});
    CHECK(office.told().empty());
    office.box.take("c");
    CHECK(office.told().empty());  // read meanwhile
}

TEST_CASE("an alert that can never go out is given up, once") {
    Office office;
    office.box.add("a", MailKind::urgent);
    office.house.notifier.answer_with({Delivery::permanent});
    CHECK(office.told() == "mail.urgent 1 given up");
    CHECK(office.house.notifier.sent().size() == 1);
    CHECK(office.told().empty());
}

TEST_CASE("after a restart nothing is told or done again [M-128]") {
    Office office;
    office.box.add("a", MailKind::urgent);
    office.box.add("b", MailKind::urgent);
    office.box.add("c", MailKind::command);
    office.box.on_mark = [] { return Result<void>{fail(ErrorCode::io, "read only")}; };
    CHECK(office.told() == "mail.urgent 2 delivered");
    office.again();
    office.box.on_mark = {};
    office.box.take("b");
    CHECK(office.told().empty());
    CHECK(office.box.done == std::vector<std::string>{"c"});
    CHECK(office.box.marked == std::vector<std::string>{"c"});
}

TEST_CASE("what was sent but not put on record is sent again under the same key [M-128]") {
    Office office;
    office.box.add("b", MailKind::urgent);
    office.box.add("a", MailKind::urgent);
    office.house.store.fail(StoreOperation::commit, ErrorCode::io);
    CycleReport report = office.cycle();
    CHECK(Office::told_in(report) == "mail.urgent 2 delivered");
    CHECK_THAT(bench::errors_of(report), ContainsSubstring("commit"));
    CHECK(office.cycle().errors == 0);  // said once
    office.again();
    office.house.store.heal();
    std::reverse(office.box.mails.begin(), office.box.mails.end());
    office.box.mails[0].age += 1h;
    CHECK(office.told() == "mail.urgent 2 delivered");
    const auto sent = office.house.notifier.sent();
    REQUIRE(sent.size() == 2);
    CHECK(sent[0].alert.key == sent[1].alert.key);
}

TEST_CASE("what the store did not take is put on record later [M-128]") {
    Office office;
    office.box.add("a", MailKind::urgent);
    office.house.store.fail(StoreOperation::commit, ErrorCode::busy);
    CHECK(office.told() == "mail.urgent 1 delivered");
    office.house.store.heal();
    CHECK(office.told().empty());
    CHECK(office.records("mail.urgent") == 1);
    CHECK(office.told().empty());
    CHECK(office.records("mail.urgent") == 1);
}

TEST_CASE("very many messages are remembered across a restart, in rows that are not too long [M-128]") {
    Office office;
    for (int i = 0; i < 2500; ++i) office.box.add(std::to_string(i), MailKind::urgent);
    CHECK(office.told() == "mail.urgent 2500 delivered");
    CHECK(office.records("mail.urgent") == 3);
    office.again();
    CHECK(office.told().empty());
    office.box.add("one more", MailKind::urgent);
    CHECK(office.told() == "mail.urgent 2501 delivered");
}

TEST_CASE("what is remembered is bounded") {
    Office office;
    for (int i = 0; i < 25'000; ++i) office.box.add(std::to_string(i), MailKind::urgent);
    CHECK(office.told() == "mail.urgent 25000 delivered");
    CHECK(office.told().empty());  // all of it still waits
    const auto all = std::exchange(office.box.mails, {});
    office.box.add("a", MailKind::urgent);
    CHECK(office.told() == "mail.urgent 1 delivered");
    office.box.mails = {all[0]};
    CHECK(office.told() == "mail.urgent 1 delivered");
}

TEST_CASE("a command is carried out once, then marked as read [M-128]") {
    Office office;
    office.box.add("query", MailKind::query, 1s);
    office.box.add("config", MailKind::config, 2s);
    office.box.add("\x1b[1mcommand", MailKind::command, 3s);
    const CycleReport report = office.check();
    CHECK(office.box.done == std::vector<std::string>{"\x1b[1mcommand", "config", "query"});
    CHECK(office.box.marked == office.box.done);
    const auto rows = bench::all_of<AuditEvent>(report);
    REQUIRE(rows.size() == 3);
    CHECK((rows[0].row.kind == "mail.command" && rows[0].row.run.empty()));
    CHECK_THAT(rows[0].row.body,
               ContainsSubstring(R"({"mailbox":"watchdog","type":"command","id":"command","outcome":"done")"));
    CHECK(office.records("mail.command") == 3);
    CHECK(office.check().events.empty());
    CHECK(office.told().empty());
}

TEST_CASE("a command that could not be marked as read is not carried out again [M-128]") {
    Office office;
    office.box.add("c", MailKind::command);
    office.box.on_mark = [] { return Result<void>{fail(ErrorCode::io, "the server is away")}; };
    CHECK(bench::errors_of(office.check()) == "mailbox : the server is away\n");
    CHECK(office.check().errors == 0);  // said once
    office.box.on_mark = []() -> Result<void> { throw std::runtime_error{"still away"}; };
    CHECK(office.check().errors == 0);
    office.box.on_mark = {};
    CHECK(office.check().errors == 0);
    CHECK(office.box.done.size() == 1);
    CHECK(office.box.marked.size() == 1);
}

TEST_CASE("a command that fails is an error, and not carried out again [M-128]") {
    Office office;
    office.box.add("c", MailKind::command);
    office.box.on_carry_out = [](const Mail&) { return Result<void>{fail(ErrorCode::failed, "token=hunter2hunter2")}; };
    CycleReport report = office.check();
    CHECK(report.errors == 1);
    CHECK_THAT(bench::all_of<AuditEvent>(report).at(0).row.body,
               ContainsSubstring(R"("outcome":"failed","note":"token=[redacted]")"));
    CHECK(office.box.marked.size() == 1);

    office.box.add("d", MailKind::command);
    office.box.on_carry_out = [](const Mail&) -> Result<void> { throw std::runtime_error{"no"}; };
    CHECK_THAT(bench::errors_of(office.check()), ContainsSubstring("the mailbox threw: no"));
    CHECK(office.box.done == std::vector<std::string>{"c", "d"});
    CHECK(office.box.marked.size() == 2);
}

TEST_CASE("a command that cannot be carried out now is asked for again [M-128]") {
    Office office;
    office.box.add("c", MailKind::command);
    office.box.on_carry_out = [](const Mail&) { return Result<void>{fail(ErrorCode::busy, "later")}; };
    CHECK(bench::errors_of(office.check()) == "mailbox : later\n");
    CHECK(office.check().errors == 0);
    CHECK(office.box.marked.empty());
    office.box.on_carry_out = {};
    CHECK(bench::all_of<AuditEvent>(office.check()).size() == 1);
    CHECK(office.box.done.size() == 3);
    CHECK(office.box.marked.size() == 1);
}

TEST_CASE("while everything is frozen, commands wait and people are still told [M-128]") {
    Office office;
    office.box.add("c", MailKind::command);
    office.box.add("a", MailKind::urgent);
    office.house.deliverer.freeze(true);
    CHECK(office.told() == "mail.urgent 1 delivered");
    office.house.deliverer.freeze(false);
    office.house.process.freeze = true;
    (void)office.check();
    CHECK((office.box.done.empty() && office.box.marked.empty()));
    office.house.process.freeze = false;
    (void)office.check();
    CHECK(office.box.marked.size() == 1);
}

TEST_CASE("commands for a mailbox that carries out nothing wait, and that is said once [M-128]") {
    House house;
    PlainMailbox box;
    box.inner.add("c", MailKind::command);
    detail::MailWatch mail_watch{house.courier, house.ledger, house.held_lease, house.deliverer};
    mail_watch.watch(detail::MailboxRef{box}, {});
    CycleReport report;
    mail_watch.check(house.now(), report);
    CHECK_THAT(bench::errors_of(report), ContainsSubstring("no verb `carry_out`"));
    mail_watch.check(house.now(), report);
    CHECK(report.errors == 1);
    CHECK(box.inner.marked.empty());
}

TEST_CASE("a mailbox that fails or throws is said once until it works again") {
    Office office;
    office.box.on_unread = [] { return Result<void>{fail(ErrorCode::io, "no connection")}; };
    CHECK(bench::errors_of(office.cycle()) == "mailbox : no connection\n");
    CHECK(office.cycle().errors == 0);
    office.box.on_unread = []() -> Result<void> { throw 7; };
    CHECK(office.cycle().errors == 0);
    office.box.on_unread = {};
    CHECK(office.cycle().errors == 0);
    office.box.on_unread = []() -> Result<void> { throw 7; };
    CHECK_THAT(bench::errors_of(office.cycle()), ContainsSubstring("the mailbox threw"));
}

TEST_CASE("an alert is tried again while the mailbox cannot be read [M-128]") {
    Office office;
    office.box.add("a", MailKind::urgent);
    office.house.notifier.answer_with({Delivery::fail, Delivery::fail, Delivery::fail, Delivery::fail, Delivery::ok});
    CHECK(office.told().empty());
    office.box.on_unread = [] { return Result<void>{fail(ErrorCode::io, "no connection")}; };
    CHECK(office.told() == "mail.urgent 1 delivered");
}

TEST_CASE("until it is known what was done before, nothing is done [M-128]") {
    Office office;
    office.box.add("a", MailKind::urgent);
    office.box.add("c", MailKind::command);
    office.house.store.fail(StoreOperation::history, ErrorCode::io);
    CHECK_THAT(bench::errors_of(office.cycle()), ContainsSubstring("history : "));
    CHECK(office.cycle().errors == 0);
    CHECK((office.house.notifier.sent().empty() && office.box.done.empty()));
    office.house.store.heal();
    CHECK(office.told() == "mail.urgent 1 delivered");
    CHECK(office.box.done.size() == 1);
}

TEST_CASE("a message without an id is said once, and the others are looked at") {
    Office office;
    office.box.add("", MailKind::urgent);
    office.box.add("a", MailKind::urgent);
    const CycleReport report = office.cycle();
    CHECK_THAT(bench::errors_of(report), ContainsSubstring("1 unread messages have no id"));
    CHECK(Office::told_in(report) == "mail.urgent 1 delivered");
    CHECK(office.cycle().errors == 0);
}

TEST_CASE("a mailbox is looked into once a cycle, and not at all if that is off or it was let go [M-128]") {
    Office office;
    office.box.add("a", MailKind::urgent);
    (void)office.cycle();
    CHECK(office.box.looks == 1);
    office.rules.enabled = false;
    office.again();
    office.box.add("b", MailKind::urgent);
    CHECK(office.told().empty());
    office.rules.enabled = true;
    office.again();
    (void)office.check();
    office.mail_watch->watch({}, {});
    CHECK(office.told().empty());
    CHECK(office.box.looks == 2);
}

TEST_CASE("no more than a hundred commands are carried out in one cycle [M-128]") {
    Office office;
    for (int i = 0; i < 150; ++i) office.box.add(std::to_string(i), MailKind::command, 150s - i * 1s);
    (void)office.check();
    CHECK(office.box.done.size() == 100);
    CHECK(office.box.done.back() == "99");
    (void)office.check();
    CHECK(office.box.marked.size() == 150);
}

TEST_CASE("a watchdog that does not hold its place leaves mailboxes alone [M-128]") {
    Office office;
    office.box.add("a", MailKind::urgent);
    office.box.add("c", MailKind::command);
    office.house.held_lease.refuse(true);
    CHECK(office.cycle().events.empty());
    CHECK(office.box.looks == 0);
    office.house.held_lease.refuse(false);
    CHECK(office.told() == "mail.urgent 1 delivered");
}

TEST_CASE("mailboxes may be looked into while an alert is being sent [M-128]") {
    Office office;
    House& house = office.house;
    Interrupted notifier;
    detail::Courier courier{notifier, house.ledger, house.held_lease};
    detail::MailWatch mail_watch{courier, house.ledger, house.held_lease, house.deliverer};
    mail_watch.watch(detail::MailboxRef{office.box}, {});
    office.box.add("a", MailKind::urgent);
    office.box.add("b", MailKind::urgent);
    CycleReport report;
    const auto change = [&](auto&& how) {
        return [&, how] {
            how();
            mail_watch.check(house.now(), report);
        };
    };
    const auto cycle = [&] {
        mail_watch.check(house.now(), report);
        mail_watch.tell(house.now(), report);
        return std::exchange(notifier.told, {});
    };
    notifier.meanwhile = change([] {});
    CHECK(cycle() == std::vector<std::string>{"2 urgent messages in `orchestrator`"});
    CHECK(cycle().empty());

    office.box.add("c", MailKind::urgent);
    notifier.meanwhile = change([&] { office.box.take("a"); });
    CHECK(cycle() == std::vector<std::string>{"3 urgent messages in `orchestrator`"});

    office.box.add("d", MailKind::urgent);
    notifier.meanwhile = change([&] { office.box.add("e", MailKind::urgent); });
    CHECK(cycle() ==
          std::vector<std::string>{"3 urgent messages in `orchestrator`", "4 urgent messages in `orchestrator`"});
    CHECK(cycle().empty());

    office.box.add("f", MailKind::urgent);
    notifier.meanwhile = [&] { mail_watch.watch({}, {}); };
    CHECK(cycle().size() == 1);
    CHECK(report.ok());
}
