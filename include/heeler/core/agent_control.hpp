// What a watchdog may do to agents: the verbs of an agent control, with their signatures.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <heeler/core/action.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>

// The verbs that act: `Result<ActionDone> verb(const ActionRequest&)`. The first list is of those that a host's control
// has; the engine asks for the others where a task tree is watched.
#define HEELER_AGENT_VERBS(each) \
    each(inject) each(pause) each(resume) each(isolate) each(snapshot) each(terminate) each(spawn)
#define HEELER_ACTING_VERBS(each) HEELER_AGENT_VERBS(each) each(review) each(wake) each(block)
// What hosts write by mistake for one of a control's verbs.
#define HEELER_MISSPELT_VERBS(each)                                                                            \
    each(Inject) each(injection) each(injct) each(inejct) each(Pause) each(puase) each(suspend) each(Resume)   \
        each(resmue) each(Isolate) each(Snapshot) each(snap_shot) each(snapShot) each(snaphot) each(Terminate) \
            each(terminat) each(terminte) each(termiante) each(kill) each(Spawn) each(spwan) each(Find)        \
                each(proveStopped) each(prove_stop) each(proof_stopped) each(Retire)

namespace heeler::inline HEELER_ABI {

/// The verbs of an agent control that do something to an agent.
#define HEELER_VERB(verb) verb,
enum class ControlVerb : std::uint8_t { HEELER_AGENT_VERBS(HEELER_VERB) };
#undef HEELER_VERB

#define HEELER_VERB(verb) #verb,
inline constexpr std::array control_verb_names = std::to_array<std::string_view>({HEELER_AGENT_VERBS(HEELER_VERB)});
#undef HEELER_VERB

namespace detail {

// A member of the name, whatever its type.
#define HEELER_VERB(verb)             \
    template <class T>                \
    concept Names_##verb = requires { \
        &T::verb;                     \
    };
HEELER_AGENT_VERBS(HEELER_VERB)
HEELER_VERB(find)
HEELER_VERB(prove_stopped)
HEELER_VERB(retire)
#undef HEELER_VERB

// One that is what the engine calls.
template <class T>
concept Has_retire = requires(T& control, const ActionRequest& asked) {
    { control.retire(asked, RunState::failed) } -> std::same_as<Result<ActionDone>>;
};
template <class T>
concept Has_find = requires(T& control, std::string_view key) {
    { control.find(key) } -> std::same_as<Result<Found>>;
};
template <class T>
concept Has_prove_stopped = requires(T& control, std::string_view run) {
    { control.prove_stopped(run) } -> std::same_as<Result<StopProof>>;
};
#define HEELER_VERB(verb)                                                    \
    template <class T>                                                       \
    concept Has_##verb = requires(T & control, const ActionRequest& asked) { \
        { control.verb(asked) } -> std::same_as<Result<ActionDone>>;         \
    };
HEELER_ACTING_VERBS(HEELER_VERB)
#undef HEELER_VERB

// What is written by mistake for one of them.
#define HEELER_VERB(verb) \
    || requires { &T::verb; }
template <class T>
concept Names_misspelt_verb = false HEELER_MISSPELT_VERBS(HEELER_VERB);
#undef HEELER_VERB

}  // namespace detail

/// What a watchdog may do to agents: at least one of these verbs, with these signatures; what is absent makes its
/// action `unsupported`.
template <class T>
concept AgentControlLike = detail::Has_inject<T> || detail::Has_pause<T> || detail::Has_resume<T> ||
    detail::Has_isolate<T> || detail::Has_snapshot<T> || detail::Has_terminate<T> || detail::Has_spawn<T> ||
    detail::Has_find<T> || detail::Has_prove_stopped<T> || detail::Has_retire<T>;

template <class T>
consteval bool check_control() {
    using C = std::remove_reference_t<T>;
#define HEELER_VERB_CHECK(verb, Answer, Arguments)                                                                 \
    static_assert(detail::Has_##verb<C> || !detail::Names_##verb<C>,                                               \
                  "heeler: the verb `" #verb "` of an AgentControl is `heeler::Result<heeler::" #Answer "> " #verb \
                  "(" Arguments ")` (README: Write an agent control)");
#define HEELER_VERB(verb) HEELER_VERB_CHECK(verb, ActionDone, "const heeler::ActionRequest&")
    HEELER_AGENT_VERBS(HEELER_VERB)
#undef HEELER_VERB
    HEELER_VERB_CHECK(find, Found, "std::string_view key")
    HEELER_VERB_CHECK(prove_stopped, StopProof, "std::string_view run")
    HEELER_VERB_CHECK(retire, ActionDone, "const heeler::ActionRequest&, heeler::RunState")
#undef HEELER_VERB_CHECK
    static_assert(!detail::Names_misspelt_verb<C>,
                  "heeler: an AgentControl's verbs are `inject pause resume isolate snapshot terminate prove_stopped "
                  "spawn find retire`; one of this type's is misspelt (README: Write an agent control)");
    static_assert(AgentControlLike<C> || detail::Names_misspelt_verb<C>,
                  "heeler: an AgentControl needs at least one of the verbs `inject pause resume isolate snapshot "
                  "terminate prove_stopped spawn find retire` (README: Write an agent control)");
    return true;
}

namespace detail {

/// Whether a repeated key is harmless: the type's word, or the object's each time.
template <class Control>
[[nodiscard]] bool is_idempotent(Control& control) {
    if constexpr (requires {
                      { control.idempotent() } -> std::convertible_to<bool>;
                  })
        return control.idempotent();
    else if constexpr (requires {
                           { Control::idempotent } -> std::convertible_to<bool>;
                       })
        return Control::idempotent;
    else
        return false;
}

using ControlCall = Result<ActionDone> (*)(void* control, const ActionRequest& asked);

/// The verbs of one type of control, as functions that take the control first; null: it lacks the verb.
struct ControlVerbs {
#define HEELER_VERB(verb) ControlCall verb = nullptr;
    HEELER_ACTING_VERBS(HEELER_VERB)
#undef HEELER_VERB
    Result<ActionDone> (*retire)(void* control, const ActionRequest& asked, RunState how) = nullptr;
    Result<Found> (*find)(void* control, std::string_view key) = nullptr;
    Result<StopProof> (*prove_stopped)(void* control, std::string_view run) = nullptr;
    bool (*idempotent)(void* control) = nullptr;
};

template <class Control>
[[nodiscard]] consteval ControlVerbs verbs_of() {
    ControlVerbs verbs;
#define HEELER_VERB(verb)                                            \
    if constexpr (Has_##verb<Control>)                               \
        verbs.verb = [](void* control, const ActionRequest& asked) { \
            return static_cast<Control*>(control)->verb(asked);      \
        };
    HEELER_ACTING_VERBS(HEELER_VERB)
#undef HEELER_VERB
    if constexpr (Has_retire<Control>)
        verbs.retire = [](void* control, const ActionRequest& asked, RunState how) {
            return static_cast<Control*>(control)->retire(asked, how);
        };
    if constexpr (Has_find<Control>)
        verbs.find = [](void* control, std::string_view key) { return static_cast<Control*>(control)->find(key); };
    if constexpr (Has_prove_stopped<Control>)
        verbs.prove_stopped = [](void* control, std::string_view run) {
            return static_cast<Control*>(control)->prove_stopped(run);
        };
    verbs.idempotent = [](void* control) { return is_idempotent(*static_cast<Control*>(control)); };
    return verbs;
}

template <class Control>
inline constexpr ControlVerbs control_verbs = verbs_of<Control>();

}  // namespace detail

}  // namespace heeler::inline HEELER_ABI

#undef HEELER_AGENT_VERBS
#undef HEELER_ACTING_VERBS
#undef HEELER_MISSPELT_VERBS
