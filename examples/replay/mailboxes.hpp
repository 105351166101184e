// The mailboxes of a scenario, outside the process that looks into them: messages grow older, and stay when it dies.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/mail.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>

#include "process.hpp"

namespace replay {

class Mailboxes {
public:
    explicit Mailboxes(ProcessHandle process) : process_{std::move(process)} {}

    [[nodiscard]] bool empty() const { return mails_.empty(); }
    void set_time(heeler::Duration t) { t_ = t; }

    /// Its age is that of now. A message of the same id is replaced.
    void put(heeler::Mail mail) {
        if (mail.id.empty()) mail.id = "mail-" + std::to_string(mails_.size() + 1);
        mail.age -= t_;  // until it is asked for
        const auto same = std::find_if(mails_.begin(), mails_.end(), [&](auto& each) { return each.id == mail.id; });
        if (same == mails_.end())
            mails_.push_back(std::move(mail));
        else
            *same = std::move(mail);
    }

    [[nodiscard]] heeler::Result<std::vector<heeler::Mail>> unread() {
        if (process_->dead) return died();
        std::vector<heeler::Mail> found;
        for (const heeler::Mail& mail : mails_) {
            if (mail.read) continue;
            found.push_back(mail);
            found.back().age += t_;
        }
        return found;
    }
    [[nodiscard]] heeler::Result<void> mark_read(const std::string& id) {
        if (process_->dead) return died();
        for (heeler::Mail& mail : mails_) mail.read |= mail.id == id;
        return {};
    }
    [[nodiscard]] heeler::Result<void> carry_out(const heeler::Mail&) {
        if (process_->dead) return died();
        process_->passed(CrashPoint::after_action);
        return {};
    }

private:
    ProcessHandle process_;
    heeler::Duration t_{};
    std::vector<heeler::Mail> mails_;
};

}  // namespace replay
