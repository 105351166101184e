// Which messages somebody must be told of now, and which are commands to the watchdog itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/mail.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/sha256.hpp>

namespace heeler::inline HEELER_ABI {

/// Stands for one message in one box, and for what is done about it.
using MailName = std::uint64_t;

/// One of the messages that were looked through.
struct NamedMail {
    const Mail* mail = nullptr;
    MailName name = 0;
};

/// One alert about the messages of one box. Its key follows from box, kind and ids alone.
struct MailNotice {
    Alert alert{};
    std::vector<MailName> messages{};  ///< all that it is about
};

struct MailFindings {
    std::vector<MailNotice> notices{};  ///< at most two a box
    std::vector<NamedMail> commands{};  ///< oldest first
    std::size_t without_id = 0;         ///< messages that were passed over
};

namespace detail {

inline constexpr std::size_t mails_shown = 16;  ///< of one alert; the others are counted

[[nodiscard]] inline MailName mail_name(AlertKind kind, const Mail& mail) {
    std::string text{name_of(kind)};
    for (const std::string_view part : {std::string_view{mail.box}, std::string_view{mail.id}})
        text.append(1, '\0').append(part);
    MailName name = 0;
    const auto digest = text::sha256(text);
    for (std::size_t i = 0; i < sizeof name; ++i) name = name << 8 | digest[i];
    return name;
}

/// The messages of one box about which one thing is done: each once, the oldest first.
template <class Matches>
[[nodiscard]] std::vector<NamedMail> mails_of(const std::vector<Mail>& mails, AlertKind kind, const std::string& box,
                                              Matches&& matches) {
    std::vector<NamedMail> found;
    for (const Mail& mail : mails)
        if (!mail.read && !mail.id.empty() && mail.box == box && matches(mail))
            found.push_back({&mail, mail_name(kind, mail)});
    // The first of a name counts, whatever the box holds twice.
    detail::sort(found, [](const NamedMail& a, const NamedMail& b) {
        return a.name != b.name ? a.name < b.name : a.mail < b.mail;
    });
    detail::drop_repeated(found, [](const NamedMail& a, const NamedMail& b) { return a.name == b.name; });
    detail::sort(found, [](const NamedMail& a, const NamedMail& b) {
        return a.mail->age != b.mail->age ? a.mail->age > b.mail->age : a.name < b.name;
    });
    return found;
}

/// Whatever a mailbox answers.
[[nodiscard]] inline Duration sane_age(const Mail& mail) {
    return detail::max_of(Duration{}, detail::min_of(mail.age, Duration{std::chrono::years{100}}));
}

[[nodiscard]] inline std::string shown_of_mail(const std::string& text, std::size_t cap) {
    return text::one_line(text::redacted(text, 4096), cap);
}
[[nodiscard]] inline std::int64_t age_minutes(const Mail& mail) {
    return std::chrono::duration_cast<std::chrono::minutes>(sane_age(mail)).count();
}

/// "12 min, from bob: the text".
[[nodiscard]] inline std::string mail_line(const Mail& mail) {
    std::string line = std::to_string(age_minutes(mail)) + " min";
    if (!mail.from.empty()) line += ", from " + shown_of_mail(mail.from, 64);
    return line + ": " + shown_of_mail(mail.body, 256);
}

inline void add_mail(text::JsonLine& list, const Mail& mail) {
    list.begin_object().key("age_minutes").number(age_minutes(mail));
    if (!mail.from.empty()) list.key("from").string(shown_of_mail(mail.from, 64));
    list.key("body").string(shown_of_mail(mail.body, 256)).end_object();
}

[[nodiscard]] inline std::string mail_key(AlertKind kind, std::vector<MailName> names) {
    detail::sort(names);
    std::string all;
    for (const MailName name : names) all += std::to_string(name) + ' ';
    return std::string{name_of(kind)} + '.' + text::sha256_hex(all).substr(0, 32);
}

/// `mailbox`, `count`, for those that wait `oldest` (when it was sent), and `messages`, a list.
[[nodiscard]] inline MailNotice mail_notice(AlertKind kind, const std::string& box, const std::vector<NamedMail>& mails,
                                            const MailSettings& settings, WallTime now) {
    const std::size_t count = mails.size();
    const bool pending = kind == AlertKind::mail_pending;
    MailNotice notice;
    for (const NamedMail& each : mails) notice.messages.push_back(each.name);
    Alert& alert = notice.alert;
    alert.key = mail_key(kind, notice.messages);
    alert.kind = name_of(kind);
    alert.to = settings.to;
    alert.severity = pending ? Severity::warning : Severity::critical;
    alert.at = now;
    text::JsonLine messages;
    messages.begin_array();
    for (std::size_t i = 0; i < detail::min_of(count, mails_shown); ++i) {
        alert.issues.push_back(mail_line(*mails[i].mail));
        add_mail(messages, *mails[i].mail);
    }
    messages.end_array();
    if (count > mails_shown) alert.issues.push_back("... and " + std::to_string(count - mails_shown) + " more");
    const std::string mailbox = text::one_line(box, 128);
    alert.details = {{"mailbox", mailbox}, {"count", std::to_string(count), true}};
    if (pending) alert.details.push_back({"oldest", text::rfc3339(in_calendar(now - sane_age(*mails.front().mail)))});
    alert.details.push_back({"messages", std::move(messages).text(), true});
    alert.summary = std::to_string(count) + (pending ? "" : " urgent") + (count == 1 ? " message" : " messages") +
                    " in `" + mailbox + "`";
    if (pending)
        alert.summary += " waiting for a response for more than " + text::spoken(settings.pending_response_threshold);
    return notice;
}

}  // namespace detail

/// What is wrong with the settings.
[[nodiscard]] inline Result<void> check_mail_settings(const MailSettings& settings) {
    if (settings.pending_response_threshold < Duration{})
        return detail::invalid("MailSettings::pending_response_threshold is " +
                               std::to_string(in_seconds(settings.pending_response_threshold)) +
                               " s; it must be 0 or more");
    if (settings.notification_retries.value_or(0) > 100)
        return detail::invalid("MailSettings::notification_retries is " +
                               std::to_string(*settings.notification_retries) + "; it must be 0 to 100");
    return {};
}

/// Nothing about what was read, needs no answer, or may still wait. Pure.
[[nodiscard]] inline MailFindings look_through(const std::vector<Mail>& mails, const MailSettings& settings,
                                               WallTime now) {
    using detail::mails_of;
    MailFindings found;
    const auto note = [&](AlertKind kind, const std::string& box, auto&& matches) {
        const auto those = mails_of(mails, kind, box, matches);
        if (!those.empty()) found.notices.push_back(detail::mail_notice(kind, box, those, settings, now));
    };
    const auto is_urgent = [](const Mail& mail) { return mail.kind == MailKind::urgent; };
    const auto is_late = [&](const Mail& mail) {
        return mail.kind == MailKind::needs_response && mail.age > settings.pending_response_threshold;
    };
    const auto is_command = [](const Mail& mail) { return is_for_watchdog(mail.kind); };
    const auto& boxes = settings.watch_mailboxes;
    for (auto box = boxes.begin(); box != boxes.end(); ++box) {
        bool named_before = false;
        for (auto before = boxes.begin(); before != box; ++before) named_before = named_before || *before == *box;
        if (named_before) continue;
        if (settings.check_urgent) note(AlertKind::mail_urgent, *box, is_urgent);
        if (settings.check_needs_response) note(AlertKind::mail_pending, *box, is_late);
    }
    if (!settings.own_mailbox.empty())
        found.commands = mails_of(mails, AlertKind::mail_command, settings.own_mailbox, is_command);
    for (const Mail& mail : mails) found.without_id += !mail.read && mail.id.empty() ? 1 : 0;
    return found;
}

}  // namespace heeler::inline HEELER_ABI
