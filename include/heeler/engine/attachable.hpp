// What `Watchdog::attach` takes, and what is said to a type that is nothing of it.
#pragma once

#include <string_view>
#include <type_traits>

#include <heeler/config.hpp>
#include <heeler/core/agent_control.hpp>
#include <heeler/core/context_reset.hpp>
#include <heeler/core/issue.hpp>
#include <heeler/core/mail.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/core/source.hpp>

namespace heeler::inline HEELER_ABI::detail {

#define HEELER_NAMES(verb)            \
    template <class T>                \
    concept Names_##verb = requires { \
        &T::verb;                     \
    };
HEELER_NAMES(unread)
HEELER_NAMES(mark_read)
HEELER_NAMES(file)
HEELER_NAMES(clear)
HEELER_NAMES(poll)
#undef HEELER_NAMES

template <class T>
concept NamesControlVerb = Names_inject<T> || Names_pause<T> || Names_resume<T> || Names_isolate<T> ||
    Names_snapshot<T> || Names_terminate<T> || Names_spawn<T> || Names_find<T> || Names_prove_stopped<T> ||
    Names_retire<T> || Names_misspelt_verb<T>;

template <class T>
concept NamesPart = NamesControlVerb<T> || Names_unread<T> || Names_mark_read<T> || Names_file<T> || Names_clear<T>;

/// A class name or a run in front of what is attached must not be taken for a run's own registration.
template <class Part>
concept MaybePart =
    std::is_class_v<std::remove_reference_t<Part>> && !std::is_same_v<std::remove_cvref_t<Part>, RunClass> &&
    !std::is_convertible_v<Part, std::string_view>;

/// Whether what was given is referred to and lives on; a temporary would be gone before the first cycle.
template <class Part>
consteval bool check_variable() {
    static_assert(
        std::is_lvalue_reference_v<Part>,
        "heeler: what is attached is referred to and must outlive the watchdog: give `attach` a variable, not "
        "a temporary (README: Handles and lifetimes)");
    return std::is_lvalue_reference_v<Part>;
}

/// What is nothing yet is held against what its verbs are the names of.
template <class T>
consteval void check_nearly_a_part() {
    static_assert(
        NamesPart<T>,
        "heeler: `attach` takes an AgentControl (`inject`, `pause`, ...), an IssueSink (`file`), a ContextReset "
        "(`clear`) or a Mailbox (`unread`, `mark_read`), and with a run or the name of a class in front a "
        "source (`poll`); this type is none of them (README: Where a new thing goes)");
    if constexpr (Names_unread<T> || Names_mark_read<T>)
        static_assert(check_mailbox<T>());
    else if constexpr (Names_file<T>)
        static_assert(check_issue_sink<T>());
    else if constexpr (Names_clear<T>)
        static_assert(check_context_reset<T>());
    else if constexpr (NamesControlVerb<T>)
        static_assert(check_control<T>());
}

/// For `attach(part)`.
template <class Part>
consteval bool check_part() {
    using T = std::remove_reference_t<Part>;
    constexpr bool is_part = AgentControlLike<T> || IssueSinkLike<T> || ContextResetLike<T> || MailboxLike<T>;
    if constexpr (AgentControlLike<T>) static_assert(check_control<T>());
    if constexpr (MailboxLike<T>) static_assert(check_mailbox<T>());
    if constexpr (!is_part && !std::is_base_of_v<SpendPort, T>) check_nearly_a_part<T>();
    return (is_part || std::is_base_of_v<SpendPort, T>)&&check_variable<Part>();
}

/// For `attach("class", part)`.
template <class Part>
consteval bool check_class_part() {
    using T = std::remove_reference_t<Part>;
    if constexpr (AgentControlLike<T>) static_assert(check_control<T>());
    if constexpr (GroupSourceLike<T> || (Names_poll<T> && !AgentControlLike<T>)) static_assert(check_group_source<T>());
    if constexpr (!AgentControlLike<T> && !GroupSourceLike<T> && !Names_poll<T>) {
        static_assert(NamesControlVerb<T>,
                      "heeler: with the name of a class `attach` takes an AgentControl (`inject`, `pause`, ...) or a "
                      "source of many runs (`poll`); this type is neither (README: Where a new thing goes)");
        if constexpr (NamesControlVerb<T>) static_assert(check_control<T>());
    }
    return (AgentControlLike<T> || GroupSourceLike<T>)&&check_variable<Part>();
}

/// For `attach(run, source)`.
template <class Part>
consteval bool check_run_part() {
    using T = std::remove_reference_t<Part>;
    static_assert(check_source<T>());
    return RunSourceLike<T> && check_variable<Part>();
}

}  // namespace heeler::inline HEELER_ABI::detail
