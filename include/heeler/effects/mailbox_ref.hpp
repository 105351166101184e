// A mailbox, whatever its type, as the engine keeps it.
#pragma once

#include <string>
#include <vector>

#include <heeler/core/guard.hpp>
#include <heeler/core/mail.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Refers to a mailbox that must outlive it. What a mailbox throws is a failure.
class MailboxRef {
public:
    MailboxRef() = default;

    template <MailboxLike Mailbox>
    explicit MailboxRef(Mailbox& mailbox)
        : mailbox_{&mailbox},
          unread_{&ask_unread<Mailbox>},
          mark_read_{&ask_mark_read<Mailbox>},
          carry_out_{CanCarryOut<Mailbox> ? &ask_carry_out<Mailbox> : nullptr} {}

    [[nodiscard]] bool present() const noexcept { return mailbox_ != nullptr; }
    [[nodiscard]] bool carries_out() const noexcept { return carry_out_ != nullptr; }

    [[nodiscard]] Result<std::vector<Mail>> unread() const { return unread_(mailbox_); }
    [[nodiscard]] Result<void> mark_read(const std::string& id) const { return mark_read_(mailbox_, id); }
    /// Only if it `carries_out`.
    [[nodiscard]] Result<void> carry_out(const Mail& mail) const { return carry_out_(mailbox_, mail); }

private:
    static constexpr std::string_view who = "the mailbox";

    template <class Mailbox>
    static Result<std::vector<Mail>> ask_unread(void* self) {
        return guarded(ErrorCode::failed, who, [&] { return static_cast<Mailbox*>(self)->unread(); });
    }
    template <class Mailbox>
    static Result<void> ask_mark_read(void* self, const std::string& id) {
        return guarded(ErrorCode::failed, who, [&] { return static_cast<Mailbox*>(self)->mark_read(id); });
    }
    template <class Mailbox>
    static Result<void> ask_carry_out(void* self, const Mail& mail) {
        if constexpr (CanCarryOut<Mailbox>)
            return guarded(ErrorCode::failed, who, [&] { return static_cast<Mailbox*>(self)->carry_out(mail); });
        else
            return {};
    }

    void* mailbox_ = nullptr;
    Result<std::vector<Mail>> (*unread_)(void*) = nullptr;
    Result<void> (*mark_read_)(void*, const std::string&) = nullptr;
    Result<void> (*carry_out_)(void*, const Mail&) = nullptr;
};

}  // namespace heeler::inline HEELER_ABI::detail
