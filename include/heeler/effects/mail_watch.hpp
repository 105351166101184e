// Looks into mailboxes once a cycle: has commands to the watchdog carried out, and tells people what waits for them.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/alert/mail_check.hpp>
#include <heeler/alert/outbox.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/effects/courier.hpp>
#include <heeler/effects/deliverer.hpp>
#include <heeler/effects/mail_memory.hpp>
#include <heeler/effects/mailbox_ref.hpp>
#include <heeler/storage/ledger.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What a cycle asks of mailboxes. Reached through pointers, so that a program without them compiles nothing of it.
class MailPort {
public:
    MailPort() = default;
    MailPort(const MailPort&) = delete;
    MailPort& operator=(const MailPort&) = delete;
    virtual ~MailPort() = default;

    /// Waits for a check that is under way.
    virtual void watch(MailboxRef mailbox, MailSettings settings) = 0;
    /// Once a cycle, between judging and delivering.
    virtual void check(Instant now, CycleReport& report) = 0;
    /// Sends what is due; a failed one is tried again at once, a few times, then after the next check.
    virtual void tell(Instant now, CycleReport& report) = 0;
    /// Whether something is to be sent now.
    [[nodiscard]] virtual bool owes() const = 0;
};

/// A message is told of once, and a command carried out once. An alert is due when it is about at least one message
/// that no ended alert was about, and then about all that wait. `check` is for the thread that ticks, `tell` for the
/// one that delivers.
class MailWatch final : public MailPort {
public:
    MailWatch(Courier& courier, Ledger& ledger, const HeldLease& held_lease, Deliverer& deliverer)
        : courier_{courier}, held_lease_{held_lease}, deliverer_{deliverer}, memory_{ledger, courier} {}

    void watch(MailboxRef mailbox, MailSettings settings) override {
        const std::lock_guard one{checking_};
        const std::lock_guard guard{lock_};
        mailbox_ = mailbox;
        settings_ = std::move(settings);
        waiting_.clear();
    }

    void check(Instant now, CycleReport& report) override {
        const std::lock_guard one{checking_};
        if (!mailbox_.present() || !settings_.enabled || !held_lease_.holds()) return;
        const auto mails = mailbox_.unread();
        note(unreadable_, "mailbox", mails, report);
        if (mails) look(*mails, now, report);
        const std::lock_guard guard{lock_};
        for (Waiting& each : waiting_) each.due = true;
    }

    void tell(Instant now, CycleReport& report) override {
        while (held_lease_.holds()) {
            std::optional<std::uint32_t> retries;
            auto next = take_due(retries);
            if (!next) return courier_.record(now, report);
            if (!retries)
                for (const auto& known : deliverer_.registry().classes())
                    retries = detail::max_of(retries, known->rules.alerts.outbox.at_once);
            send(*std::move(next), 1 + retries.value_or(3), now, report);
        }
    }

    [[nodiscard]] bool owes() const override {
        const std::lock_guard guard{lock_};
        return any_of(waiting_, [](const Waiting& each) { return each.due; });
    }

private:
    static constexpr std::size_t most_commands = 100;  ///< in one cycle

    struct Waiting {
        AlertRow row{};
        std::vector<MailName> messages{};
        bool due = true;
        bool being_sent = false;
    };

    /// Answers whether it worked.
    template <class Answer>
    static bool note(SaidOnce& trouble, std::string_view where, const Answer& answer, CycleReport& report) {
        if (answer)
            trouble.over();
        else
            trouble.say(where, answer.error(), report);
        return answer.has_value();
    }

    void look(const std::vector<Mail>& mails, Instant now, CycleReport& report) {
        MailFindings found = look_through(mails, settings_, now.wall);
        note(nameless_, "mailbox", check_ids(found), report);
        if (found.notices.empty() && found.commands.empty()) return line_up({}, now);
        if (!note(unlearned_, "history", memory_.learn(now), report)) return;
        memory_.forget_but(found);
        line_up(std::move(found.notices), now);
        obey(found.commands, now, report);
    }

    [[nodiscard]] static Result<void> check_ids(const MailFindings& found) {
        if (found.without_id == 0) return {};
        return fail(ErrorCode::invalid_argument, std::to_string(found.without_id) +
                                                     " unread messages have no id and are passed over: a mailbox must "
                                                     "give each message an id of its own");
    }

    /// What waits to be sent is what is true now; an alert that is under way stays.
    void line_up(std::vector<MailNotice> notices, Instant now) {
        const std::lock_guard guard{lock_};
        drop_if(waiting_, [&](const Waiting& each) {
            return !each.being_sent &&
                   !any_of(notices, [&](const MailNotice& notice) { return notice.alert.key == each.row.alert.key; });
        });
        for (MailNotice& notice : notices) {
            if (find(notice.alert.key) != waiting_.end() || is_told(notice)) continue;
            Waiting& next = waiting_.emplace_back();
            next.row.created_at = next.row.not_before = now.wall;
            next.row.alert = std::move(notice.alert);
            next.messages = std::move(notice.messages);
        }
    }

    [[nodiscard]] List<Waiting>::iterator find(const std::string& key) {
        auto at = waiting_.begin();
        while (at != waiting_.end() && at->row.alert.key != key) ++at;
        return at;
    }

    /// Whether people were told of all of it, or are being told.
    [[nodiscard]] bool is_told(const MailNotice& notice) const {
        std::vector<MailName> under_way;
        for (const Waiting& each : waiting_)
            if (each.being_sent) append_all(under_way, each.messages);
        detail::sort(under_way);
        return !any_of(notice.messages,
                       [&](MailName name) { return !memory_.knows(name) && !is_in_sorted(under_way, name); });
    }

    void obey(const std::vector<NamedMail>& commands, Instant now, CycleReport& report) {
        std::size_t tried = 0;
        Result<void> done, marked;
        for (const NamedMail& command : commands) {
            if (!memory_.knows(command.name)) {
                if (!deliverer_.may_act() || !held_lease_.holds() || tried++ >= most_commands) continue;
                if (auto now_done = carry_out(command, now, report); !now_done) done = std::move(now_done);
            }
            if (!memory_.knows(command.name)) continue;
            if (auto now_marked = mailbox_.mark_read(command.mail->id); !now_marked) marked = std::move(now_marked);
        }
        note(undone_, "mailbox", done, report);
        note(unmarked_, "mailbox", marked, report);
    }

    /// What was tried is not tried again, whatever came of it. An error: it was not tried.
    [[nodiscard]] Result<void> carry_out(const NamedMail& command, Instant now, CycleReport& report) {
        if (!mailbox_.carries_out())
            return fail(ErrorCode::unsupported, "there are commands in `" + text::one_line(command.mail->box, 128) +
                                                    "`, but the mailbox has no verb `carry_out`");
        auto done = mailbox_.carry_out(*command.mail);
        if (!done && done.error().code == ErrorCode::busy) return done;
        report.events.push_back(AuditEvent{memory_.add(command, done, now.wall)});
        if (!done) report.error("mailbox", {}, done.error());
        courier_.record(now, report);
        return {};
    }

    [[nodiscard]] std::optional<AlertRow> take_due(std::optional<std::uint32_t>& retries) {
        const std::lock_guard guard{lock_};
        for (Waiting& each : waiting_) {
            if (!std::exchange(each.due, false)) continue;
            each.being_sent = true;
            retries = settings_.notification_retries;
            return each.row;
        }
        return std::nullopt;
    }

    void send(AlertRow row, std::uint32_t attempts, Instant now, CycleReport& report) {
        for (; attempts > 0 && row.state == AlertRow::State::pending; --attempts) {
            const auto answer = courier_.send(row, OutboxSettings{}, now, report);
            if (is_under_way(answer) && row.state == AlertRow::State::pending) return settle(row, now.wall);
        }
        settle(row, now.wall);
        if (row.state != AlertRow::State::delivered) deliverer_.context().fail_to_tell();
        if (row.state == AlertRow::State::pending)
            return report.error("notifier", {}, Error{ErrorCode::delivery_failed, row.last_error});
        report.events.push_back(AlertEvent{std::move(row)});
        courier_.record(now, report);
    }

    void settle(const AlertRow& row, WallTime at) {
        const std::lock_guard guard{lock_};
        const auto place = find(row.alert.key);
        if (place == waiting_.end()) return;  // the mailbox was let go meanwhile
        place->row = row;
        place->being_sent = false;
        if (row.state == AlertRow::State::pending) return;
        memory_.add(row, place->messages, at);
        waiting_.erase(place);
    }

    Courier& courier_;
    const HeldLease& held_lease_;
    Deliverer& deliverer_;
    MailMemory memory_;

    std::mutex checking_;  ///< of the mailbox, and of what is said about it
    MailboxRef mailbox_;
    MailSettings settings_;
    SaidOnce unreadable_, nameless_, unlearned_, unmarked_, undone_;

    mutable std::mutex lock_;  ///< of what waits; taken after `checking_`, before those of the memory
    List<Waiting> waiting_;
};

}  // namespace heeler::inline HEELER_ABI::detail
