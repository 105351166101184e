// A message in a mailbox that the watchdog looks into, what it looks for, and the contract of such mailboxes.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// What a message wants of whoever reads it.
enum class MailKind : std::uint8_t {
    status,          ///< nothing; anything of normal or low priority that needs no answer
    urgent,          ///< to be read now
    needs_response,  ///< an answer, in time
    command,         ///< of the watchdog: do something
    config,          ///< of the watchdog: change settings
    query,           ///< of the watchdog: answer
};

inline constexpr std::array<std::string_view, 6> mail_kind_names{"status",  "urgent", "needs_response",
                                                                 "command", "config", "query"};

[[nodiscard]] constexpr std::string_view name_of(MailKind kind) noexcept {
    return mail_kind_names[static_cast<std::size_t>(kind)];
}

/// The watchdog itself is to do something.
[[nodiscard]] constexpr bool is_for_watchdog(MailKind kind) noexcept {
    return kind == MailKind::command || kind == MailKind::config || kind == MailKind::query;
}

struct Mail {
    std::string id{};  ///< no other message ever has it; a message without one is passed over, and that is said
    std::string box{};
    std::string from{};
    MailKind kind = MailKind::status;
    bool read = false;  ///< then it is passed over
    Duration age{};     ///< since it was sent, when the mailbox answers
    std::string body{};
};

/// What is looked for, and where.
struct MailSettings {
    bool enabled = true;
    /// Boxes that people are told about. (GCC 12 cannot compile a braced list here.)
    std::vector<std::string> watch_mailboxes = std::vector<std::string>(1, "orchestrator");
    std::string own_mailbox = "watchdog";  ///< the box with commands to the watchdog; empty: none
    /// A message may wait so long for an answer, this very length included.
    Duration pending_response_threshold = std::chrono::hours{1};
    bool check_urgent = true;
    bool check_needs_response = true;
    std::string to = "orchestrator";  ///< the route of the alerts, as `AlertSettings::to`; empty: the default one
    /// After the first attempt, at once; 0 to 100. Then with the next cycle. Absent: as a class of runs says
    /// (`OutboxSettings::at_once`), of several the most; 3 where none does.
    std::optional<std::uint32_t> notification_retries{};
};

template <class T>
concept HasUnread = requires(T& mailbox) {
    { mailbox.unread() } -> std::same_as<Result<std::vector<Mail>>>;
};

template <class T>
concept CanMarkRead = requires(T& mailbox, const std::string& id) {
    { mailbox.mark_read(id) } -> std::same_as<Result<void>>;
};

/// Boxes of messages: `unread()` answers the messages of all of them that nobody has read, `mark_read(id)` marks one.
/// Called from the thread that ticks, in each cycle: both must be bounded in time.
template <class T>
concept MailboxLike = HasUnread<T> && CanMarkRead<T>;

/// Carries out a message of the watchdog's own box: does a command, changes a setting, answers a query. Without it such
/// messages stay unread, and that is said. `busy`: not now, ask again in the next cycle; any other error is final.
template <class T>
concept CanCarryOut = requires(T& mailbox, const Mail& mail) {
    { mailbox.carry_out(mail) } -> std::same_as<Result<void>>;
};

namespace detail {

template <class T>
concept Names_carry_out = requires {
    &T::carry_out;
};

}  // namespace detail

template <class T>
consteval bool check_mailbox() {
    static_assert(HasUnread<T>,
                  "heeler: a Mailbox needs `heeler::Result<std::vector<heeler::Mail>> unread()` (README: "
                  "Write a mailbox)");
    static_assert(CanMarkRead<T>,
                  "heeler: a Mailbox needs `heeler::Result<void> mark_read(const std::string& id)` "
                  "(README: Write a mailbox)");
    static_assert(CanCarryOut<T> || !detail::Names_carry_out<T>,
                  "heeler: the verb `carry_out` of a Mailbox is `heeler::Result<void> carry_out(const heeler::Mail&)` "
                  "(README: Write a mailbox)");
    return true;
}

}  // namespace heeler::inline HEELER_ABI
