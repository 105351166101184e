// The contracts between heeler and its host: clock, store, notifier, detector, ladder. This header is the map of the
// library.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include <heeler/core/alert.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/detector.hpp>  // IWYU pragma: export
#include <heeler/core/ladder.hpp>    // IWYU pragma: export
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

template <class T>
concept HasNow = requires(T& clock) {
    { clock.now() } -> std::same_as<Instant>;
};

/// Reads time: once per cycle, and once per `observe` that is not given an `Instant`. May be called from any thread.
template <class T>
concept ClockLike = HasNow<T>;

template <class T>
concept CanLoad = requires(T& store) {
    { store.load() } -> std::same_as<Result<Snapshot>>;
};

template <class T>
concept CanList = requires(T& store) {
    { store.list() } -> std::same_as<Result<List<DecisionRow>>>;
};

template <class T>
concept CanCommit = requires(T& store, const Batch& batch) {
    { store.commit(batch) } -> std::same_as<Result<Conflicts>>;
};

template <class T>
concept HasHistory = requires(T& store, std::string_view run) {
    { store.history(run) } -> std::same_as<Result<History>>;
};

/// Keeps runs, intents, alerts and decisions. A commit is atomic, but the rows of a run whose version moved are left
/// out and named. `load` gives what has not ended, `list` the decisions not applied yet. Called from one thread at a
/// time; every call must be bounded in time. It need not be copyable, nor do anything in its constructor.
template <class T>
concept StoreLike = CanLoad<T> && CanList<T> && CanCommit<T> && HasHistory<T>;

template <class T>
concept CanLease = requires(T& store, Claimant who, const Lease& lease, Duration length) {
    { store.claim(who, length) } -> std::same_as<Result<Lease>>;
    { store.release(lease) } -> std::same_as<Result<void>>;
};

template <class T>
concept CanClaimRuns = requires(T& store, const Claim& claim) {
    { store.claim_runs(claim) } -> std::same_as<Result<Claimed>>;
};

/// A store that several watchdogs share. Its own clock decides about leases.
///
/// `claim(who, length)` takes or renews the lease of the watchdog `who.holder` for the process `who.owner`: the same
/// epoch as long as nobody took it away, even after it ran out; the next one otherwise; `busy` while another process
/// has it. `release(lease)` ends it without anybody being missed. `claim_runs` first takes away every lease that ran
/// out, then gives runs that belong to no live lease (their version grows by one), or answers `fenced` if the asker's
/// own lease was lost. It names whose leases were taken away to one asker, and to another one when the lease of that
/// one is gone, until a commit says that people know (`Batch::told`). `commit` answers `fenced` likewise, as long as
/// the batch names a holder. The lease of `unnamed_holder` is never taken away when it ran out; a store with
/// `holders()` (`CanListHolders`) refuses a second watchdog without a name.
template <class T>
concept LeasingStoreLike = StoreLike<T> && CanLease<T> && CanClaimRuns<T>;

/// Gives one alert of a run, whatever became of it: asked before an alert is tried again. A store without it is asked
/// for the run's `history`.
template <class T>
concept CanFindAlert = requires(T& store, AlertKey which) {
    { store.alert(which) } -> std::same_as<Result<std::optional<AlertRow>>>;
};

template <class T>
concept CanListHolders = requires(T& store) {
    { store.holders() } -> std::same_as<Result<List<HolderRow>>>;
};

/// The longest time that one statement may take, if the store bounds it: with a lease it must be at most half of that.
template <class T>
concept HasStatementTimeout = requires(const T& store) {
    { store.statement_timeout() }
    noexcept->std::same_as<Duration>;
};

/// Optional: how people name the store on the command line of `heeler-ctl`, as a shell reads it and without any secret:
/// alerts print it in the commands that they offer. Empty, or absent: nobody else can reach the store.
template <class T>
concept HasPlace = requires(const T& store) {
    std::string{store.place()};
};

template <class T>
concept HasNotifierName = requires {
    { T::name } -> std::convertible_to<std::string_view>;
};

template <class T>
concept CanSend = requires(T& notifier, const Alert& alert) {
    { notifier.send(alert) } -> std::same_as<Result<Receipt>>;
};

template <class T>
concept HasServes = requires(T& notifier, std::string_view route) {
    notifier.serves(route);
};

/// Optional: whether anybody gets what is addressed to a route (`Alert::to`, empty: the default), as `define` asks for
/// the routes of a class. The error names the routes that are known.
template <class T>
concept TellsRoutes = requires(const T& notifier, std::string_view route) {
    { notifier.serves(route) } -> std::same_as<Result<void>>;
};

/// Delivers one alert, once. Retry, back-off, order and dead letters belong to the outbox. One that would take long may
/// answer `under_way`, and say what came of it when it is called with the same key again; that is no attempt. Called
/// from one thread at a time, and `serves`, if there is one (`TellsRoutes`), from any. Optional: `std::string doubts()
/// const` says what in its settings is most likely misspelt; empty: nothing. `tags() const`: the tags of runs
/// that it asks for (`RoutedNotifier`), of which the watchdog says the same.
template <class T>
concept NotifierLike = HasNotifierName<T> && CanSend<T>;

template <class T>
consteval bool check_clock() {
    static_assert(HasNow<T>, "heeler: a Clock needs `heeler::Instant now()` (README: Write a clock)");
    return true;
}

template <class T>
consteval bool check_store() {
    static_assert(CanLoad<T>,
                  "heeler: a Store needs `heeler::Result<heeler::Snapshot> load()` (README: Write a store)");
    static_assert(
        CanList<T>,
        "heeler: a Store needs `heeler::Result<heeler::List<heeler::DecisionRow>> list()` (README: Write a store)");
    static_assert(CanCommit<T>,
                  "heeler: a Store needs `heeler::Result<heeler::Conflicts> commit(const heeler::Batch&)` (README: "
                  "Write a store)");
    static_assert(
        HasHistory<T>,
        "heeler: a Store needs `heeler::Result<heeler::History> history(std::string_view)` (README: Write a store)");
    return true;
}

template <class T>
consteval bool check_leasing_store() {
    static_assert(
        CanLease<T>,
        "heeler: a LeasingStore needs `heeler::Result<heeler::Lease> claim(heeler::Claimant, heeler::Duration)` "
        "and `heeler::Result<void> release(const heeler::Lease&)` (README: Write a store)");
    static_assert(CanClaimRuns<T>,
                  "heeler: a LeasingStore needs `heeler::Result<heeler::Claimed> claim_runs(const heeler::Claim&)` "
                  "(README: Write a store)");
    return true;
}

template <class T>
consteval bool check_notifier() {
    static_assert(HasNotifierName<T>,
                  "heeler: a Notifier needs `static constexpr std::string_view name` (README: Write a notifier)");
    static_assert(CanSend<T>,
                  "heeler: a Notifier needs `heeler::Result<heeler::Receipt> send(const heeler::Alert&)` (README: "
                  "Write a notifier)");
    static_assert(!HasServes<T> || TellsRoutes<T>,
                  "heeler: `serves` of a Notifier is `heeler::Result<void> serves(std::string_view route) const` "
                  "(README: Routes)");
    return true;
}

}  // namespace heeler::inline HEELER_ABI
