#include <heeler/alert/mail_check.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

const WallTime mail_day{1'800'000'000s};

Mail mail_of(std::string id, MailKind kind, Duration age = {}, std::string body = {}) {
    Mail mail;
    mail.id = std::move(id);
    mail.box = kind < MailKind::command ? "orchestrator" : "watchdog";
    mail.kind = kind;
    mail.age = age;
    mail.body = std::move(body);
    return mail;
}

/// "mail.urgent 2, mail.pending_responses 1".
std::string notices_of(const MailFindings& found) {
    std::string text;
    for (const MailNotice& notice : found.notices)
        text += (text.empty() ? "" : ", ") + notice.alert.kind + " " + notice.alert.details[1].value;
    return text;
}

std::string commands_of(const MailFindings& found) {
    std::string text;
    for (const NamedMail& each : found.commands) text += each.mail->id + " ";
    return text;
}

std::string key_of(const std::vector<Mail>& mails) {
    const auto found = look_through(mails, {}, mail_day);
    REQUIRE(found.notices.size() == 1);
    return found.notices[0].alert.key;
}

}  // namespace

TEST_CASE("people are told of urgent mail and of what waits for a response [M-128]") {
    std::vector<Mail> mails{mail_of("u1", MailKind::urgent),
                            mail_of("u2", MailKind::urgent, 5min, "the disk is full"),
                            mail_of("n1", MailKind::needs_response, 3600s),
                            mail_of("n2", MailKind::needs_response, 3601s, "may I merge?"),
                            mail_of("read", MailKind::urgent),
                            mail_of("s", MailKind::status, 9h)};
    mails[4].read = true;
    mails[3].from = "bob";
    const auto found = look_through(mails, {}, mail_day);
    CHECK(notices_of(found) == "mail.urgent 2, mail.pending_responses 1");
    CHECK(found.commands.empty());

    const Alert& urgent = found.notices[0].alert;
    CHECK(urgent.summary == "2 urgent messages in `orchestrator`");
    CHECK((urgent.severity == Severity::critical && urgent.run.id.empty() && urgent.at == mail_day));
    CHECK(urgent.issues == std::vector<std::string>{"5 min: the disk is full", "0 min: "});
    REQUIRE(urgent.details.size() == 3);
    CHECK((urgent.details[0].name == "mailbox" && urgent.details[0].value == "orchestrator"));
    CHECK((urgent.details[2].name == "messages" && urgent.details[2].is_json));
    CHECK(urgent.details[2].value == R"([{"age_minutes":5,"body":"the disk is full"},{"age_minutes":0,"body":""}])");

    const Alert& pending = found.notices[1].alert;
    CHECK(pending.summary == "1 message in `orchestrator` waiting for a response for more than 1h 0m");
    CHECK(pending.severity == Severity::warning);
    REQUIRE(pending.details.size() == 4);
    CHECK((pending.details[2].name == "oldest" && pending.details[2].value == text::rfc3339(mail_day - 3601s)));
    CHECK(pending.details[3].value == R"([{"age_minutes":60,"from":"bob","body":"may I merge?"}])");
}

TEST_CASE("nobody is told of what may still wait, was read or needs nothing [M-128]") {
    Mail read = mail_of("r", MailKind::needs_response, 9h);
    read.read = true;
    const std::vector<Mail> mails{read, mail_of("s", MailKind::status, 900h),
                                  mail_of("n", MailKind::needs_response, 3600s)};
    const auto found = look_through(mails, {}, mail_day);
    CHECK((found.notices.empty() && found.commands.empty() && found.without_id == 0));
    CHECK(look_through({}, {}, mail_day).notices.empty());
}

TEST_CASE("commands are those in the watchdog's own box, the oldest first [M-128]") {
    std::vector<Mail> mails{mail_of("q", MailKind::query), mail_of("c", MailKind::command, 1s),
                            mail_of("f", MailKind::config, 2s), mail_of("elsewhere", MailKind::command),
                            mail_of("read", MailKind::command)};
    mails[3].box = "orchestrator";
    mails[4].read = true;
    CHECK(commands_of(look_through(mails, {}, mail_day)) == "f c q ");
    MailSettings settings;
    settings.own_mailbox = "";
    CHECK(commands_of(look_through(mails, settings, mail_day)).empty());
    settings.own_mailbox = "orchestrator";
    CHECK(commands_of(look_through(mails, settings, mail_day)) == "elsewhere ");
}

TEST_CASE("what is looked for can be set [M-128]") {
    std::vector<Mail> mails{mail_of("u", MailKind::urgent), mail_of("n", MailKind::needs_response, 61s)};
    MailSettings settings;
    settings.pending_response_threshold = 60s;
    CHECK(notices_of(look_through(mails, settings, mail_day)) == "mail.urgent 1, mail.pending_responses 1");
    settings.check_urgent = false;
    CHECK(notices_of(look_through(mails, settings, mail_day)) == "mail.pending_responses 1");
    settings.check_needs_response = false;
    CHECK(notices_of(look_through(mails, settings, mail_day)).empty());

    MailSettings boxes;
    boxes.watch_mailboxes = {"b", "a", "b"};
    mails = {mail_of("1", MailKind::urgent), mail_of("2", MailKind::urgent), mail_of("3", MailKind::urgent)};
    mails[0].box = mails[1].box = "a";
    mails[2].box = "b";
    CHECK(notices_of(look_through(mails, boxes, mail_day)) == "mail.urgent 1, mail.urgent 2");

    CHECK(check_mail_settings(settings));
    settings.pending_response_threshold = -1s;
    CHECK_THAT(check_mail_settings(settings).error().message, ContainsSubstring("is -1") && ContainsSubstring("0 or"));
    settings.pending_response_threshold = 0s;
    settings.notification_retries = 101;
    CHECK_THAT(check_mail_settings(settings).error().message, ContainsSubstring("101") && ContainsSubstring("to 100"));
}

TEST_CASE("an alert's key follows from box, kind and ids alone [M-128]") {
    const Mail a = mail_of("a", MailKind::urgent, 1s, "x");
    const Mail b = mail_of("b", MailKind::urgent, 2s);
    const std::string key = key_of({a, b});
    CHECK(key.starts_with("mail.urgent."));
    CHECK(key.size() == 44);
    Mail older = mail_of("a", MailKind::urgent, 9h, "another body");
    CHECK(key_of({b, older}) == key);
    CHECK(key_of({a, b, a}) == key);
    CHECK(key_of({a}) != key);
    Mail waits = a;
    waits.kind = MailKind::needs_response;
    waits.age = 2h;
    CHECK(key_of({waits}).substr(23) != key_of({a}).substr(12));
    MailSettings other_box;
    other_box.watch_mailboxes = {"other"};
    older.box = "other";
    CHECK(look_through(std::vector{older}, other_box, mail_day).notices[0].alert.key != key_of({a}));
}

TEST_CASE("however many messages there are, an alert shows few and counts all [M-128]") {
    std::vector<Mail> mails;
    for (int i = 0; i < 10'000; ++i)
        mails.push_back(mail_of("m" + std::to_string(i), MailKind::urgent, i * 1min, std::string(5000, 'x')));
    const auto found = look_through(mails, {}, mail_day);
    CHECK(notices_of(found) == "mail.urgent 10000");
    const Alert& alert = found.notices[0].alert;
    CHECK(found.notices[0].messages.size() == 10'000);
    REQUIRE(alert.issues.size() == 17);
    CHECK(alert.issues[0].starts_with("9999 min: "));
    CHECK(alert.issues[16] == "... and 9984 more");
    CHECK(alert.issues[0].size() < 300);
    CHECK(alert.details[2].value.size() < 6000);
}

TEST_CASE("what a message says is shown on one line, without controls and secrets") {
    std::vector<Mail> mails{mail_of("a", MailKind::urgent, {}, "one\ntwo\x1b[31m\xff password=hunter2hunter2")};
    mails[0].from = "eve\n0 min: I am a line of my own";
    mails[0].box = "a\nbox";
    MailSettings settings;
    settings.watch_mailboxes = {"a\nbox"};
    const Alert alert = look_through(mails, settings, mail_day).notices[0].alert;
    CHECK(alert.issues[0] == "0 min, from eve 0 min: I am a line of my own: one two\xEF\xBF\xBD password=[redacted]");
    CHECK(alert.summary == "1 urgent message in `a box`");
    CHECK(alert.details[0].value == "a box");
}

TEST_CASE("a message without an id is passed over and counted, and ages may be anything") {
    const std::vector<Mail> mails{mail_of("", MailKind::urgent), mail_of("", MailKind::command),
                                  mail_of("a", MailKind::needs_response, Duration::max()),
                                  mail_of("b", MailKind::needs_response, Duration::min())};
    const auto found = look_through(mails, {}, mail_day);
    CHECK(found.without_id == 2);
    CHECK(notices_of(found) == "mail.pending_responses 1");
    CHECK(found.commands.empty());
}
