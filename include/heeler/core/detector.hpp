// What a detector is: a fold and a verdict, and everything else that it may say. Erased into one table of functions
// where a class of runs turns it on.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <heeler/core/action.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/archive.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

template <class T>
concept HasKind = requires {
    { T::kind } -> std::convertible_to<std::string_view>;
};

template <class T>
concept HasSettings = std::default_initializable<typename T::Settings> && std::copyable<typename T::Settings>;

template <class T>
concept HasMemory = std::default_initializable<typename T::Memory> && std::movable<typename T::Memory>;

template <class T>
concept CanLearn = requires(const T& detector, typename T::Memory& memory, const typename T::Settings& settings,
                            const Observation& seen) {
    { detector.learn(memory, settings, seen) } -> std::same_as<void>;
};

template <class T>
concept CanCheck = requires(const T& detector, const typename T::Memory& memory, const typename T::Settings& settings,
                            const Run& run, Instant now) {
    { detector.check(memory, settings, run, now) } -> std::same_as<std::optional<Finding>>;
};

template <class T>
concept HasSavableMemory = Archivable<typename T::Memory>;

/// A fold and a verdict. The type itself has no state: `Settings` live in the class of runs, `Memory` with each run.
///
/// | member | what |
/// |---|---|
/// | `static constexpr std::string_view kind` | its name: in records, and by which its memory is found again |
/// | `Settings`, `Memory` | with defaults; a `Memory` that is not trivially copyable has `archive` |
/// | `learn(Memory&, const Settings&, const Observation&)` | folds; under the run's lock: must not block or call back |
/// | `check(const Memory&, const Settings&, const Run&, Instant) -> optional<Finding>` | judges; pure |
///
/// Optional, each looked up by name:
/// - `static constexpr EventMask listens = events<ToolCall, ...>`: `learn` is called for these only; else for all.
/// - `due(memory, settings, run, since) -> optional<Duration>`: the working time at which silence alone changes the
///   verdict. Without it the run is judged when something was observed or an interval ended.
/// - `due_waiting(memory, settings, run, since) -> optional<Elapsed>`: when, after `since`, a run that waits is to be
///   looked at all the same.
/// - `poll(Memory&, settings, run, checkpoint, now) -> optional<Sighting>`: asked before each judgement, also while the
///   run waits; what it saw goes on record.
/// - `static constexpr bool while_waiting = true`: `check` is asked while the run waits, too. Only findings that are no
///   unhealth count then.
/// - `details(memory, settings, run, finding) -> List<Detail>`: what an alert about its finding shows besides. Text
///   of the agent in it is sanitised and redacted on its way out.
/// - `by_name(Settings&, NamedSettings&)`: what its settings are called and which values they take. `define` refuses
///   others, and each can be set as `KIND.NAME` from a file or the environment wherever a class has the detector on.
/// - `validate(settings) -> Result<void>`: whether they fit each other, asked by `define`; an error refuses the class.
/// - `evidence_needed(settings) -> number`: how many new items without a finding prove that a repetition is over. Who
///   has it finds repetitions: more output alone is no recovery from one.
/// - `new_items(memory, settings) -> number`: how many items came since it last began anew (`Watermark`), and after the
///   last one of what it finds. Without it lines of output and tool calls are counted.
/// - `more_of_same(memory, settings, identity) -> optional<number>`: how many items came since it last began anew, if
/// they
///   all go on with what it had found, whose `Finding::identity` this is; absent if anything else came, or it cannot
///   tell. While they do, that a run gets new results is no recovery. Without it each new result is one.
/// - `describe(finding) -> string`: how its finding reads in an alert. Without it: rule and numbers.
/// - `explain(memory, settings, observation) -> Explanation`, static (`core/explanation.hpp`): why it speaks of an
///   observation that it has not learned yet, or does not, as plain data. Nothing of the engine calls it.
/// - `bound(settings, interval, period) -> string`: its line in `describe()`, within which time it sees what it looks
///   for, where the longest interval and the period between two cycles are these; indented by two blanks.
/// - `compose_action(memory, settings, run, kind) -> optional<Order>`: with what, and under which key, an action of
/// this kind is
///   asked for, in place of the library's own words; of several detectors the first that answers counts.
/// - `record_action(memory, settings, run, kind, outcome) -> optional<Record>`: what goes on record of an action that
/// was
///   carried out, after `learn` was told of it (`Acted`).
/// - `static constexpr std::uint32_t layout`: of the saved memory, 1 if absent. Raise it when `Memory` changes: what
///   older versions saved is dropped.
template <class T>
concept DetectorLike =
    HasKind<T> && HasSettings<T> && HasMemory<T> && HasSavableMemory<T> && CanLearn<T> && CanCheck<T>;

template <class T>
consteval bool check_detector() {
    static_assert(HasKind<T>,
                  "heeler: a Detector needs `static constexpr std::string_view kind` (README: Write a detector)");
    static_assert(HasSettings<T>,
                  "heeler: a Detector needs a copyable type `Settings` with defaults (README: Write a detector)");
    static_assert(HasMemory<T>,
                  "heeler: a Detector needs a movable type `Memory` with defaults (README: Write a detector)");
    static_assert(
        HasSavableMemory<T>,
        "heeler: a Detector's `Memory` must be trivially copyable or have `archive` (README: Write a detector)");
    static_assert(CanLearn<T>,
                  "heeler: a Detector needs `void learn(Memory&, const Settings&, const heeler::Observation&) const` "
                  "(README: Write a detector)");
    static_assert(CanCheck<T>,
                  "heeler: a Detector needs `std::optional<heeler::Finding> check(const Memory&, const Settings&, "
                  "const heeler::Run&, heeler::Instant) const` (README: Write a detector)");
    return true;
}

/// How an action is asked for. The key names one effect for ever: the same effect has the same key, another has
/// another.
struct Order {
    std::string key{};
    std::string text{};
};

/// What a detector saw when it looked at a time of its own. All texts are literals.
struct Sighting {
    std::string_view record{};             ///< the kind of the record that is written
    std::string_view answer{};             ///< one word; empty: there is a message or a number
    std::string_view message{};            ///< in place of an answer
    std::optional<Duration> age{};         ///< of what it looked at; absent: there is none
    std::optional<std::int64_t> number{};  ///< in place of both
};

/// A detector of any type, as the engine calls it. Null: it has no such member.
struct DetectorOps {
    std::string_view kind;
    EventMask listens;
    std::uint32_t layout;
    std::size_t size;  ///< of its memory
    std::size_t alignment;
    bool while_waiting;
    void (*create)(void* memory);
    void (*destroy)(void* memory) noexcept;
    void (*archive)(void* memory, Archive& a);
    void (*learn)(void* memory, const void* settings, const Observation& seen);
    void (*check)(const void* memory, const void* settings, const Run& run, Instant now, std::optional<Finding>& found);
    std::optional<Duration> (*due)(const void* memory, const void* settings, const Run& run, Duration since);
    std::optional<Elapsed> (*due_waiting)(const void* memory, const void* settings, const Run& run, Elapsed since);
    std::optional<Sighting> (*poll)(void* memory, const void* settings, const Run& run,
                                    const LastCheckpoint& checkpoint, Instant now);
    Result<void> (*validate)(const void* settings);
    void (*by_name)(void* settings, NamedSettings& named);
    std::uint64_t (*evidence_needed)(const void* settings);
    std::uint64_t (*new_items)(const void* memory, const void* settings);
    std::optional<std::uint64_t> (*more_of_same)(const void* memory, const void* settings, std::uint64_t identity);
    std::string (*describe)(const Finding& finding);
    List<Detail> (*details)(const void* memory, const void* settings, const Run& run, const Finding& finding);
    std::string (*bound)(const void* settings, Duration interval, Duration period);
    std::optional<Order> (*compose_action)(const void* memory, const void* settings, const Run& run, ActionKind kind);
    std::optional<Record> (*record_action)(const void* memory, const void* settings, const Run& run, ActionKind kind,
                                           ActionOutcome outcome);
};

namespace detail {

/// What hooks are called with; asked of, never made.
template <class D>
struct HookInput {
    typename D::Memory& memory;
    typename D::Settings& settings;
    const Run& run;
    const LastCheckpoint& checkpoint;
    const Finding& finding;
    NamedSettings& named;
};

// Asked of the type: Clang 14 answers a `requires` inside a generic lambda with no. One of another signature is an
// error where it is called; one that is overloaded or a template has no address, and is asked for by a call.
// clang-format off
template <class D> concept HasListens = sizeof(&D::listens) > 0;
template <class D> concept HasLayout = sizeof(&D::layout) > 0;
template <class D> concept JudgesWaits = sizeof(&D::while_waiting) > 0;
template <class D>
concept HasDue = sizeof(&D::due) > 0 || requires(HookInput<D> a) { D{}.due(a.memory, a.settings, a.run, Duration{}); };
template <class D>
concept HasDueWaiting = sizeof(&D::due_waiting) > 0 ||
    requires(HookInput<D> a) { D{}.due_waiting(a.memory, a.settings, a.run, Elapsed{}); };
template <class D>
concept HasPoll = sizeof(&D::poll) > 0 ||
    requires(HookInput<D> a) { D{}.poll(a.memory, a.settings, a.run, a.checkpoint, Instant{}); };
template <class D>
concept HasValidate = sizeof(&D::validate) > 0 || requires(HookInput<D> a) { D{}.validate(a.settings); };
template <class D>
concept HasByName = sizeof(&D::by_name) > 0 || requires(HookInput<D> a) { D{}.by_name(a.settings, a.named); };
template <class D>
concept HasEvidenceNeeded = sizeof(&D::evidence_needed) > 0 ||
    requires(HookInput<D> a) { D{}.evidence_needed(a.settings); };
template <class D>
concept HasNewItems = sizeof(&D::new_items) > 0 || requires(HookInput<D> a) { D{}.new_items(a.memory, a.settings); };
template <class D>
concept HasMoreOfSame = requires(HookInput<D> a) { D{}.more_of_same(a.memory, a.settings, std::uint64_t{}); };
template <class D>
concept HasWordsOfItsOwn = sizeof(&D::describe) > 0 || requires(HookInput<D> a) { D{}.describe(a.finding); };
template <class D>
concept HasDetails = sizeof(&D::details) > 0 ||
    requires(HookInput<D> a) { D{}.details(a.memory, a.settings, a.run, a.finding); };
template <class D>
concept HasBound = sizeof(&D::bound) > 0 ||
    requires(HookInput<D> a) { D{}.bound(a.settings, Duration{}, Duration{}); };
template <class D>
concept HasComposeAction = sizeof(&D::compose_action) > 0 ||
    requires(HookInput<D> a) { D{}.compose_action(a.memory, a.settings, a.run, ActionKind{}); };
template <class D>
concept HasRecordAction = sizeof(&D::record_action) > 0 ||
    requires(HookInput<D> a) { D{}.record_action(a.memory, a.settings, a.run, ActionKind{}, ActionOutcome{}); };
// clang-format on

/// The functions of the table for one type.
template <class D>
struct DetectorCalls {
    using Memory = typename D::Memory;
    using Settings = typename D::Settings;

    /// One without data is kept nowhere.
    static constexpr bool keeps_nothing = std::is_empty_v<Memory>;

    static Memory& mem([[maybe_unused]] void* memory) noexcept {
        if constexpr (keeps_nothing) {
            static Memory none{};
            return none;
        } else {
            return *static_cast<Memory*>(memory);
        }
    }
    static const Memory& mem(const void* memory) noexcept { return mem(const_cast<void*>(memory)); }

    static void create([[maybe_unused]] void* memory) {
        if constexpr (!keeps_nothing) ::new (memory) Memory{};
    }
    static void destroy([[maybe_unused]] void* memory) noexcept {
        if constexpr (!keeps_nothing) static_cast<Memory*>(memory)->~Memory();
    }
    static void archive(void* memory, Archive& a) { a(mem(memory)); }
    static void learn(void* memory, const void* settings, const Observation& seen) {
        D{}.learn(mem(memory), *static_cast<const Settings*>(settings), seen);
    }
    static void check(const void* memory, const void* settings, const Run& run, Instant now,
                      std::optional<Finding>& found) {
        found = D{}.check(mem(memory), *static_cast<const Settings*>(settings), run, now);
    }
    static std::optional<Duration> due(const void* memory, const void* settings, const Run& run, Duration since) {
        return D{}.due(mem(memory), *static_cast<const Settings*>(settings), run, since);
    }
    static std::optional<Elapsed> due_waiting(const void* memory, const void* settings, const Run& run, Elapsed since) {
        return D{}.due_waiting(mem(memory), *static_cast<const Settings*>(settings), run, since);
    }
    static std::optional<Sighting> poll(void* memory, const void* settings, const Run& run,
                                        const LastCheckpoint& checkpoint, Instant now) {
        return D{}.poll(mem(memory), *static_cast<const Settings*>(settings), run, checkpoint, now);
    }
    /// First each setting by itself, then what the detector says of them together.
    static Result<void> validate(const void* settings) {
        if constexpr (HasByName<D>) {
            Settings copy = *static_cast<const Settings*>(settings);
            SettingLimits limits{D::kind};
            D{}.by_name(copy, limits);
            if (!limits.wrong.empty()) return fail(ErrorCode::invalid_argument, std::move(limits.wrong));
        }
        if constexpr (HasValidate<D>)
            return D{}.validate(*static_cast<const Settings*>(settings));
        else
            return {};
    }
    static void by_name(void* settings, NamedSettings& named) { D{}.by_name(*static_cast<Settings*>(settings), named); }
    static std::uint64_t evidence_needed(const void* settings) {
        return D{}.evidence_needed(*static_cast<const Settings*>(settings));
    }
    static std::uint64_t new_items(const void* memory, const void* settings) {
        return D{}.new_items(mem(memory), *static_cast<const Settings*>(settings));
    }
    static std::optional<std::uint64_t> more_of_same(const void* memory, const void* settings, std::uint64_t identity) {
        return D{}.more_of_same(mem(memory), *static_cast<const Settings*>(settings), identity);
    }
    static std::string describe(const Finding& finding) { return D{}.describe(finding); }
    static List<Detail> details(const void* memory, const void* settings, const Run& run, const Finding& finding) {
        return D{}.details(mem(memory), *static_cast<const Settings*>(settings), run, finding);
    }
    static std::string bound(const void* settings, Duration interval, Duration period) {
        return D{}.bound(*static_cast<const Settings*>(settings), interval, period);
    }
    static std::optional<Order> compose_action(const void* memory, const void* settings, const Run& run,
                                               ActionKind kind) {
        return D{}.compose_action(mem(memory), *static_cast<const Settings*>(settings), run, kind);
    }
    static std::optional<Record> record_action(const void* memory, const void* settings, const Run& run,
                                               ActionKind kind, ActionOutcome outcome) {
        return D{}.record_action(mem(memory), *static_cast<const Settings*>(settings), run, kind, outcome);
    }

    static constexpr DetectorOps table() noexcept {
        DetectorOps ops{};
        ops.kind = D::kind;
        ops.listens = every_event;
        ops.layout = 1;
        ops.size = keeps_nothing ? 0 : sizeof(Memory);
        ops.alignment = alignof(Memory);
        ops.create = &create;
        ops.destroy = &destroy;
        ops.archive = &archive;
        ops.learn = &learn;
        ops.check = &check;
        if constexpr (HasListens<D>) ops.listens = D::listens;
        if constexpr (HasLayout<D>) ops.layout = D::layout;
        if constexpr (HasDue<D>) ops.due = &due;
        if constexpr (HasDueWaiting<D>) ops.due_waiting = &due_waiting;
        if constexpr (HasPoll<D>) ops.poll = &poll;
        if constexpr (HasValidate<D> || HasByName<D>) ops.validate = &validate;
        if constexpr (HasByName<D>) ops.by_name = &by_name;
        if constexpr (HasEvidenceNeeded<D>) ops.evidence_needed = &evidence_needed;
        if constexpr (HasNewItems<D>) ops.new_items = &new_items;
        if constexpr (HasMoreOfSame<D>) ops.more_of_same = &more_of_same;
        if constexpr (HasWordsOfItsOwn<D>) ops.describe = &describe;
        if constexpr (JudgesWaits<D>) ops.while_waiting = D::while_waiting;
        if constexpr (HasDetails<D>) ops.details = &details;
        if constexpr (HasBound<D>) ops.bound = &bound;
        if constexpr (HasComposeAction<D>) ops.compose_action = &compose_action;
        if constexpr (HasRecordAction<D>) ops.record_action = &record_action;
        return ops;
    }
};

}  // namespace detail

template <DetectorLike D>
inline constexpr DetectorOps detector_ops = detail::DetectorCalls<D>::table();

}  // namespace heeler::inline HEELER_ABI
