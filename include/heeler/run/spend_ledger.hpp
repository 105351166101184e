// Adds up what runs spend, per lineage, owner and day, and holds it against the caps of their classes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/callback.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/spend.hpp>
#include <heeler/core/time.hpp>
#include <heeler/detect/spend_cap.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/rfc3339.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/sha256.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI {

/// The kinds of its alerts: a sum has come near to its cap, or has reached it.
inline constexpr std::string_view spend_near = "spend.near", spend_reached = "spend.reached";

/// Attach it (`watchdog.attach(ledger)`) before the first cycle. What a run reports as its `Usage` is counted in the
/// commit that stores the report, on the day (UTC) of that commit, and so exactly once whatever crashes; what it used
/// before a ledger was attached is not. Watchdogs on one store count together: each knows what the others have added
/// after `read_every` at the latest. A class has caps if it turns `SpendCap` on; people are told once when a sum
/// reaches a share of a cap, and again for another cap. Any thread may ask it.
class SpendLedger final : public detail::SpendPort {
public:
    /// Refers to the store, from the thread that ticks: the watchdog's own (`watchdog.store()`), or another handle on
    /// the same rows.
    template <class Store>
    explicit SpendLedger(Store& store, Duration read_every = std::chrono::seconds{10}) : read_every_{read_every} {
        static_assert(CountsSpend<Store>,
                      "heeler: a SpendLedger needs a store with `Result<List<SpendRow>> spent(std::int64_t day, const "
                      "std::vector<std::string>& lineages)` (README: Spend and its caps)");
        if constexpr (CountsSpend<Store>)
            ask_ = [&store](std::int64_t day, const std::vector<std::string>& lineages) {
                return detail::guarded(ErrorCode::io, "the store", [&] { return store.spent(day, lineages); });
            };
    }
    SpendLedger(const SpendLedger&) = delete;
    SpendLedger& operator=(const SpendLedger&) = delete;

    /// By all runs on the day of the last cycle.
    [[nodiscard]] Spent today() const {
        const std::lock_guard guard{lock_};
        return all_;
    }
    [[nodiscard]] Spent today(std::string_view owner) const {
        const std::lock_guard guard{lock_};
        const auto known = owners_.find(owner);
        return known == owners_.end() ? Spent{} : known->second;
    }
    /// By a run and those that it goes on with; `first` is the id of the first of them. Absent: no run of theirs with a
    /// cap is watched here.
    [[nodiscard]] std::optional<Spent> lineage(std::string_view first) const {
        const std::lock_guard guard{lock_};
        const auto known = lineages_.find(first);
        return known == lineages_.end() || !known->second.known ? std::nullopt : std::optional{known->second.sum};
    }

    // --- for the watchdog ---

    [[nodiscard]] Result<void> read(Instant now) override {
        const std::int64_t day = detail::spend_day(now.wall);
        std::vector<std::string> asked;
        bool all = false;
        {
            const std::lock_guard guard{lock_};
            offered_.clear();
            all = !read_at_ || day != day_ || now.elapsed - *read_at_ >= read_every_;
            for (auto each = lineages_.begin(); each != lineages_.end();) {
                if (!each->second.known || (all && each->second.used)) asked.push_back(each->first);
                const bool idle = now.elapsed - each->second.at > forgotten_after;
                each = idle ? lineages_.erase(each) : std::next(each);
            }
        }
        if (!all && asked.empty()) return {};
        const auto rows = ask_(all ? day : no_day, asked);
        if (!rows) return tl::unexpected<Error>(rows.error());
        const std::lock_guard guard{lock_};
        take(*rows, all ? day : no_day, asked);
        if (all) read_at_ = now.elapsed;
        return {};
    }

    void add(const detail::RunMemory& run, RunBatch& rows, Instant now) override {
        const Spent whole = detail::spent_by(*run.run.usage), had = detail::spent_by(run.run.spend->counted);
        const std::lock_guard guard{lock_};
        const std::string lineage = lineage_of(run);
        // It is asked for before the run is looked at. Nobody can have spent anything for one that goes on with none.
        if (run.version == 0 && run.rules().detectors.find<SpendCap>() != nullptr)
            lineages_.insert({lineage, {{}, run.verdict->restarts.lineage.empty(), true, now.elapsed, {}, {}}});
        std::string told;
        for (const AlertRow& row : rows.alerts)
            if (offered_.count(row.alert.key) == 1) told += row.alert.key + "\n";
        if (whole == had && told.empty()) return;
        rows.spend = {lineage,
                      owner_of(run),
                      std::move(told),
                      detail::spend_day(now.wall),
                      whole.tokens - had.tokens,
                      whole.micro_usd - had.micro_usd};
    }

    void stored(detail::RunMemory& run, const RunBatch& rows) override {
        const SpendRow& more = rows.spend;
        if (more.day < 0) return;
        UsageTotals& counted = run.run.spend.edit().counted;
        counted.tokens_in += more.tokens;  // only the sum of both directions is looked at
        counted.cost_usd = static_cast<double>(detail::micros_of(counted.cost_usd) + more.micro_usd) / 1e6;
        const std::lock_guard guard{lock_};
        if (more.day == day_) add_to_day(more);
        const auto lineage = lineages_.find(more.lineage);
        if (lineage != lineages_.end() && lineage->second.known) add_to(lineage->second.sum, more);
        note_told(more.told);
    }

    void look(detail::RunMemory& run, Instant now, AlertRow& words) override {
        const SpendCap::Settings* const of_class = run.rules().detectors.find<SpendCap>();
        if (of_class == nullptr) return;
        const SpendCap::Settings settings = SpendCap::for_run(*of_class, *run.run.spend);
        const std::lock_guard guard{lock_};
        const std::string id = lineage_of(run);
        Lineage& lineage = lineages_[id];
        const std::string owner = lineage.owner_of(run);
        lineage.used = true;
        lineage.at = now.elapsed;
        const RunSpend before = *run.run.spend;
        if (!lineage.known && (settings.lineage_tokens > 0 || settings.lineage_usd > 0)) {
            // After a restart, or taken over: the next cycle knows, and comes soon.
            if (before.of < SpendCap::no_cap && before.is_over()) return;
            RunSpend& asked = run.run.spend.edit();
            asked.spent = asked.cap = 1;
            asked.of = SpendCap::asked_for;
            run.next_cycle = std::min(run.next_cycle, now.elapsed + std::chrono::seconds{1});
            return;
        }
        const Spent whole = detail::spent_by(*run.run.usage), had = detail::spent_by(before.counted);
        const Spent more{whole.tokens - had.tokens, whole.micro_usd - had.micro_usd};
        std::array<std::int64_t, 6> sums{};
        put(sums, 0, lineage.sum, more);
        put(sums, 2, owners_[owner], more);
        put(sums, 4, all_, more);
        if (owner.empty()) sums[2] = sums[3] = unknown;
        RunSpend& after = run.run.spend.edit();
        SpendCap::note(settings, sums, after);
        const auto reached = [&](const RunSpend& spend) {
            return spend.of >= SpendCap::no_cap ? 0 : SpendCap::percent_reached(settings, spend.spent, spend.cap);
        };
        run.dirty |= before.of != after.of || before.cap != after.cap || reached(before) != reached(after);
        const auto caps = settings.caps();
        for (std::size_t sum = 0; sum < caps.size() && words.alert.key.empty(); ++sum) {
            if (caps[sum] <= 0 || sums[sum] < 0) continue;
            const int percent = SpendCap::percent_reached(settings, sums[sum], caps[sum]);
            if (percent > 0) tell(run, {sum, percent, sums[sum], caps[sum]}, sum < 2 ? id : owner, now, words);
        }
    }

private:
    static constexpr std::int64_t unknown = -1, no_day = -1;
    /// Of a lineage that nobody asked for.
    static constexpr Duration forgotten_after = std::chrono::hours{2};

    struct Lineage {
        Spent sum{};
        bool known = false;   ///< the store was asked
        bool used = true;     ///< since then somebody looked
        Elapsed at{};         ///< when that was
        std::string run{};    ///< that was looked at last
        std::string owner{};  ///< of that one: to read it from its spec is to decode all of that

        /// What was registered may turn out to be another run until it is stored.
        [[nodiscard]] const std::string& owner_of(const detail::RunMemory& of) {
            if (run != of.run.id || of.version == 0) owner = SpendLedger::owner_of(of);
            run = of.run.id;
            return owner;
        }
        void take_anew() {
            sum = {};
            known = true;
            used = false;
        }
    };

    struct Reached {
        std::size_t sum;
        int percent;
        std::int64_t spent;
        std::int64_t cap;
    };

    [[nodiscard]] static std::string lineage_of(const detail::RunMemory& run) {
        const std::string& first = run.verdict->restarts.lineage;
        return first.empty() ? std::string{run.run.id} : first;
    }
    [[nodiscard]] static std::string owner_of(const detail::RunMemory& run) { return run.spec.decoded().owner; }

    static void add_to(Spent& sum, const SpendRow& more) noexcept {
        sum.tokens += more.tokens;
        sum.micro_usd += more.micro_usd;
    }
    void add_to_day(const SpendRow& more) {
        add_to(all_, more);
        add_to(owners_[more.owner], more);
    }
    static void put(std::array<std::int64_t, 6>& sums, std::size_t at, const Spent& sum, const Spent& more) noexcept {
        sums[at] = sum.tokens + more.tokens;
        sums[at + 1] = sum.micro_usd + more.micro_usd;
    }

    void note_told(std::string_view marks) {
        for (std::size_t end = marks.find('\n'); end != marks.npos; end = marks.find('\n')) {
            told_.emplace(marks.substr(0, end));
            marks.remove_prefix(end + 1);
        }
    }

    /// Without a day: these rows are of the asked lineages alone.
    void take(const List<SpendRow>& rows, std::int64_t day, const std::vector<std::string>& asked) {
        if (day != no_day) {
            if (day != day_)  // what was told of sums of another day is never asked for again
                for (auto mark = told_.begin(); mark != told_.end();)
                    mark = mark->rfind("spend.lineage_", 0) == 0 ? std::next(mark) : told_.erase(mark);
            day_ = day;
            all_ = {};
            owners_.clear();
        }
        for (const std::string& id : asked)
            if (const auto known = lineages_.find(id); known != lineages_.end()) known->second.take_anew();
        const std::set<std::string_view> names(asked.begin(), asked.end());
        for (const SpendRow& row : rows) {
            if (day != no_day && row.day == day) add_to_day(row);
            if (names.count(row.lineage) == 1)
                if (const auto known = lineages_.find(row.lineage); known != lineages_.end())
                    add_to(known->second.sum, row);
            note_told(row.told);
        }
    }

    /// Unless people know of it already, or another run tells of it in this cycle.
    void tell(const detail::RunMemory& run, const Reached& reached, const std::string& whose, Instant now,
              AlertRow& words) {
        const std::string day = text::rfc3339(now.wall).substr(0, 10);
        const std::string_view sum = SpendCap::sums[reached.sum];
        std::string key = text::concat("spend.", sum, ".", std::to_string(reached.cap), ".",
                                       std::to_string(reached.percent), ".", reached.sum < 2 ? "" : day + ".",
                                       reached.sum < 4 ? text::sha256_hex(whose).substr(0, 16) : "");
        if (run.rules().mode == Mode::shadow) key += ".shadow";  // whose alerts nobody is sent
        if (told_.count(key) == 1 || !offered_.insert(key).second) return;
        const RunSpec spec = run.spec.decoded();
        const bool over = reached.percent == 100;
        Alert& alert = words.alert;
        alert.key = std::move(key);
        alert.kind = over ? spend_reached : spend_near;
        alert.to = text::sanitise(reached.sum < 2 && !spec.origin.empty() ? spec.origin : run.rules().alerts.to, 256);
        if (reached.sum < 2)
            alert.run = {text::shown_name(spec.id, 256),
                         text::shown_name(spec.name, 256),
                         {},
                         text::sanitise(spec.project, 256)};
        alert.severity = over ? Severity::critical : Severity::warning;
        const std::string name = text::shown_name(whose, 128);
        const std::string who = reached.sum < 2   ? "run " + name + ", with those that go on with it,"
                                : reached.sum < 4 ? "the runs of " + name
                                                  : std::string{"all runs"};
        alert.summary = text::concat(who, reached.sum < 2 ? " has spent " : " have spent ",
                                     SpendCap::amount(reached.sum, reached.spent), " of ",
                                     SpendCap::amount(reached.sum, reached.cap), reached.sum < 2 ? "" : " today");
        alert.details.push_back({"percent", std::to_string(reached.percent), true});
        const SpendCap::Settings* const settings = run.rules().detectors.find<SpendCap>();
        const bool ends = !over && reached.percent >= static_cast<int>(settings->wind_down * 100 + 0.5);
        const std::string until =
            text::concat("spend.", sum, " is raised", reached.sum < 2 ? "" : " or the day (UTC) is over");
        alert.details.push_back(
            {detail_name::next, over   ? "nobody is started for it until " + until
                                : ends ? "let the work come to an end: at 100 % nobody is started for it until " + until
                                       : "at 100 % nobody is started for it until " + until});
        alert.at = words.created_at = words.not_before = now.wall;
    }

    const Duration read_every_;
    Callback<Result<List<SpendRow>>(std::int64_t, const std::vector<std::string>&)> ask_;
    mutable std::mutex lock_;
    std::optional<Elapsed> read_at_;
    std::int64_t day_ = no_day;  ///< of the sums
    Spent all_;
    std::map<std::string, Spent, std::less<>> owners_;
    std::map<std::string, Lineage, std::less<>> lineages_;
    std::set<std::string> told_;     ///< marks
    std::set<std::string> offered_;  ///< in this cycle
};

}  // namespace heeler::inline HEELER_ABI
