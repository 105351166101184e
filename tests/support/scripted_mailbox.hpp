// A mailbox in memory that answers as told.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/mail.hpp>

namespace heeler_test {

struct ScriptedMailbox {
    std::vector<heeler::Mail> mails{};
    std::vector<std::string> done{};    ///< ids of what was carried out, in order
    std::vector<std::string> marked{};  ///< ids of what was marked as read, in order
    int looks = 0;                      ///< calls of `unread`
    std::function<heeler::Result<void>()> on_unread{};
    std::function<heeler::Result<void>()> on_mark{};
    std::function<heeler::Result<void>(const heeler::Mail&)> on_carry_out{};

    void add(std::string id, heeler::MailKind kind, heeler::Duration age = {}, std::string body = "a body") {
        const bool own = kind >= heeler::MailKind::command;
        mails.push_back({std::move(id), own ? "watchdog" : "orchestrator", {}, kind, false, age, std::move(body)});
    }
    void take(const std::string& id) {
        std::erase_if(mails, [&](const heeler::Mail& mail) { return mail.id == id; });
    }

    heeler::Result<std::vector<heeler::Mail>> unread() {
        ++looks;
        if (on_unread)
            if (auto answer = on_unread(); !answer) return tl::unexpected<heeler::Error>(answer.error());
        return mails;
    }
    heeler::Result<void> mark_read(const std::string& id) {
        if (on_mark)
            if (auto answer = on_mark(); !answer) return answer;
        marked.push_back(id);
        take(id);
        return {};
    }
    heeler::Result<void> carry_out(const heeler::Mail& mail) {
        done.push_back(mail.id);
        return on_carry_out ? on_carry_out(mail) : heeler::Result<void>{};
    }
};

/// Of nobody who carries anything out.
struct PlainMailbox {
    ScriptedMailbox inner{};

    heeler::Result<std::vector<heeler::Mail>> unread() { return inner.unread(); }
    heeler::Result<void> mark_read(const std::string& id) { return inner.mark_read(id); }
};

}  // namespace heeler_test
