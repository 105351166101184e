// Which messages people were told of and which commands were carried out, so that a process that starts again knows it.
#pragma once

#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/alert/mail_check.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/effects/courier.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/record_numbers.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// A trouble that is said when it begins, not as long as it lasts.
class SaidOnce {
public:
    void say(std::string_view where, const Error& error, CycleReport& report) {
        if (!std::exchange(said_, true)) report.error(where, {}, error);
    }
    void over() noexcept { said_ = false; }

private:
    bool said_ = false;
};

/// What is remembered stands in records that belong to no run, as hexadecimal names. Any thread.
class MailMemory {
public:
    MailMemory(Ledger& ledger, Courier& courier) : ledger_{ledger}, courier_{courier} {}

    /// Reads what earlier processes did, once.
    [[nodiscard]] Result<void> learn(Instant now) {
        if (learned_) return {};
        const auto past = ledger_.history(now, "");
        if (!past) return tl::unexpected<Error>(past.error());
        std::vector<MailName> names;
        for (const AuditRow& row : past->audit)
            if (is_about_mail(row)) add_names(row.body, names);
        const std::lock_guard guard{lock_};
        know(names);
        learned_ = true;
        return {};
    }

    [[nodiscard]] bool knows(MailName name) const {
        const std::lock_guard guard{lock_};
        return is_in_sorted(known_, name);
    }

    /// Remembers that people were told, or that it was tried for good. Not durable before the courier's `record`.
    void add(const AlertRow& told, const std::vector<MailName>& messages, WallTime at) {
        const std::lock_guard guard{lock_};
        const std::vector<MailName> news = those_of(messages, false);
        know(news);
        for (std::size_t begin = 0; begin < news.size(); begin += names_in_a_row)
            courier_.note(row_about(told, {news.begin() + static_cast<std::ptrdiff_t>(begin), news.end()}, at));
    }

    /// Remembers what came of a command.
    AuditRow add(const NamedMail& command, const Result<void>& done, WallTime at) {
        const std::lock_guard guard{lock_};
        know({command.name});
        return courier_.note(row_about(command, done, at));
    }

    /// Keeps it bounded: what does not wait any more goes first.
    void forget_but(const MailFindings& waiting) {
        const std::lock_guard guard{lock_};
        if (known_.size() <= most_known) return;
        std::vector<MailName> names;
        for (const MailNotice& notice : waiting.notices) append_all(names, notice.messages);
        for (const NamedMail& command : waiting.commands) names.push_back(command.name);
        const std::vector<MailName> kept = those_of(names, true);
        known_.clear();
        know(kept);
    }

private:
    static constexpr std::size_t most_known = 20'000;    ///< more only as long as they wait
    static constexpr std::size_t names_in_a_row = 1000;  ///< a box may hold very many messages, a row should not

    [[nodiscard]] static bool is_about_mail(const AuditRow& row) noexcept {
        const auto kind = alert_kind_of(row.kind);
        return kind == AlertKind::mail_urgent || kind == AlertKind::mail_pending || kind == AlertKind::mail_command;
    }

    void know(const std::vector<MailName>& names) {
        append_all(known_, names);
        detail::sort(known_);
        drop_repeated(known_);
    }

    [[nodiscard]] std::vector<MailName> those_of(const std::vector<MailName>& names, bool known) const {
        std::vector<MailName> found;
        for (const MailName name : names)
            if (is_in_sorted(known_, name) == known) found.push_back(name);
        return found;
    }

    [[nodiscard]] static std::string hex(MailName name) {
        char text[17];
        std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(name));
        return text;
    }

    /// About the first of the messages.
    [[nodiscard]] static AuditRow row_about(const AlertRow& told, const std::vector<MailName>& messages, WallTime at) {
        std::string names;
        for (std::size_t i = 0; i < detail::min_of(messages.size(), names_in_a_row); ++i)
            names.append(names.empty() ? "" : " ").append(hex(messages[i]));
        text::JsonLine line;
        line.begin_object().key("key").string(told.alert.key);
        line.key("delivered").boolean(told.state == AlertRow::State::delivered);
        line.key("messages").string(names).end_object();
        return {at, told.alert.kind, {}, std::move(line).text()};
    }

    [[nodiscard]] static AuditRow row_about(const NamedMail& command, const Result<void>& done, WallTime at) {
        const Mail& mail = *command.mail;
        text::JsonLine line;
        line.begin_object().key("mailbox").string(text::one_line(mail.box, 128)).key("type").string(name_of(mail.kind));
        line.key("id").string(text::one_line(mail.id, 128)).key("outcome").string(done ? "done" : "failed");
        if (!done) line.key("note").string(text::redacted(done.error().message, 512));
        line.key("messages").string(hex(command.name)).end_object();
        return {at, std::string{name_of(AlertKind::mail_command)}, {}, std::move(line).text()};
    }

    static void add_names(const std::string& body, std::vector<MailName>& names) {
        text::RecordNumbers numbers{body, "messages", 16};
        while (const auto name = numbers.next()) names.push_back(static_cast<MailName>(*name));
    }

    Ledger& ledger_;
    Courier& courier_;
    bool learned_ = false;  ///< of the thread that ticks
    mutable std::mutex lock_;
    std::vector<MailName> known_;  ///< sorted
};

}  // namespace heeler::inline HEELER_ABI::detail
