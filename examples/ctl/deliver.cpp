#include "deliver.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <heeler/alert/group.hpp>
#include <heeler/alert/outbox.hpp>
#include <heeler/alert/receipt_note.hpp>
#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/edge.hpp>
#include <heeler/posix/this_process.hpp>
#include <heeler/storage/sole_watchdog.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>

#include "../common/channels.hpp"
#include "print.hpp"

namespace ctl {

namespace {

using heeler::AlertRow;

struct Count {
    int delivered = 0;
    int waiting = 0;  ///< tried in vain
    int left = 0;     ///< to a watchdog
};

/// Who else may deliver from this store, by name.
heeler::Result<std::set<std::string>> live_holders(Store& store) {
    auto holders = store.holders();
    if (!holders) return tl::unexpected<heeler::Error>(holders.error());
    std::set<std::string> names;
    for (const heeler::HolderRow& row : *holders)
        if (row.live && row.name != heeler::unnamed_holder) names.insert(row.name);
    return names;
}

/// A watchdog without a name left them, and no other one works on the store now.
bool is_left(const heeler::RunRow& run, const std::set<std::string>& holders) {
    return run.holder.empty() || (is_terminal(run.state) && holders.count(run.holder) == 0);
}

/// Into what is stored of its run now.
heeler::Result<void> keep(Store& store, const std::string& run, const AlertRow& row,
                          heeler::List<heeler::AuditRow> audit = {}) {
    const auto known = store.history(run);
    if (!known) return tl::unexpected<heeler::Error>(known.error());
    heeler::Batch batch;
    batch.durable = true;
    if (known->row) batch.runs.push_back({*known->row, {}, {}, {}, {row}, std::move(audit)});
    const auto stored = store.commit(batch);
    if (!stored) return tl::unexpected<heeler::Error>(stored.error());
    if (known->row && stored->empty()) return {};
    return heeler::fail(heeler::ErrorCode::conflict,
                        "somebody else changed the run " + heeler::text::shown_name(run, 160) + " meanwhile");
}

/// Asks the channels until each has it, or has failed. Who has it is stored at once: whoever ends this meanwhile, and
/// comes back, tells nobody twice.
heeler::Result<AlertRow> tell(common::Channels& channels, Store& store, const std::string& run, AlertRow row) {
    heeler::OutboxSettings settings;
    settings.give_up_after = heeler::Duration::max();  // whoever asks for it wants it
    for (;;) {
        row.alert.attempt = row.attempts + 1;
        const auto answer = channels.send(row.alert);
        const std::size_t had = row.alert.taken.size();
        const heeler::WallTime now = heeler::SystemClock{}.now().wall;
        row = heeler::after_attempt(std::move(row), settings, answer, now);
        const bool over = !heeler::is_under_way(answer);
        heeler::List<heeler::AuditRow> audit;
        if (answer && !answer->names.empty()) {
            audit.push_back(heeler::receipt_note(row, *answer, now));
            audit.back().run = run;
        }
        if (over || row.alert.taken.size() != had)
            if (auto kept = keep(store, run, row, std::move(audit)); !kept)
                return tl::unexpected<heeler::Error>(kept.error());
        if (over) return row;
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
}

/// Whether an alert waits for what becomes of another one that speaks for it, and if so, that is known.
bool follows(AlertRow& row, Store& store) {
    if (!heeler::detail::follows(row)) return false;
    const auto known = store.history(row.with_run);
    if (!known) return true;
    for (const AlertRow& other : known->alerts)
        if (other.alert.key == row.with_key && other.state == AlertRow::State::delivered)
            row.state = AlertRow::State::skipped;
    return true;
}

std::string said_of(const AlertRow& row) {
    const std::string how = row.state == AlertRow::State::delivered ? "delivered"
                            : row.state == AlertRow::State::skipped ? "told with another one"
                                                                    : "not delivered: " + heeler::reason_of(row);
    return row.alert.kind + " of " + heeler::text::shown_name(row.alert.run.id, 160) + ": " +
           heeler::text::one_line(how, 1024) + "\n";
}

heeler::Result<void> deliver_of(const std::string& run, Store& store, common::Channels& channels,
                                const std::set<std::string>& holders, Count& count) {
    const auto first = store.history(run);
    if (!first) return tl::unexpected<heeler::Error>(first.error());
    for (const AlertRow& waiting : first->alerts) {
        if (waiting.state != AlertRow::State::pending) continue;
        const auto known = store.history(run);
        if (!known) return tl::unexpected<heeler::Error>(known.error());
        if (!known->row || !is_left(*known->row, holders)) {
            ++count.left;
            continue;
        }
        heeler::Result<AlertRow> after{waiting};
        if (!follows(*after, store)) {
            after = tell(channels, store, run, waiting);
        } else if (after->state == AlertRow::State::pending) {
            ++count.left;
            continue;
        } else if (const auto kept = keep(store, run, *after); !kept) {
            after = tl::unexpected<heeler::Error>(kept.error());
        }
        if (!after) return tl::unexpected<heeler::Error>(after.error());
        print(said_of(*after));
        ++(after->state == AlertRow::State::pending || after->state == AlertRow::State::dead ? count.waiting
                                                                                             : count.delivered);
    }
    return {};
}

class Clock final : public heeler::detail::ClockPort {
public:
    heeler::Instant now() override { return heeler::SystemClock{}.now(); }
};

}  // namespace

Quit deliver_alerts(const Options& options, Store& store, heeler::Instant now) {
    auto channels = common::Channels::named(options.notify);
    if (!channels) return {exit_usage, channels.error().message};
    Clock clock;
    heeler::detail::ThisProcess process{clock, {}};
    heeler::detail::StoreEdge port{store};
    heeler::detail::SoleWatchdog alone{port, process};
    if (const auto may = alone.check(now); !may) return {exit_alert, may.error().message};
    const auto holders = live_holders(store);
    const auto waiting = store.undelivered();
    if (!holders || !waiting) return store_failed(holders ? waiting.error() : holders.error());
    std::vector<std::string> runs;
    for (const AlertRow& row : waiting->rows)
        if (row.state == AlertRow::State::pending &&
            std::find(runs.begin(), runs.end(), row.alert.run.id) == runs.end())
            runs.push_back(row.alert.run.id);
    Count count;
    Quit quit;
    for (const std::string& run : runs) {
        if (const auto may = alone.check(clock.now()); !may) return {exit_alert, may.error().message};
        if (const auto done = deliver_of(run, store, *channels, *holders, count); !done) {
            quit = store_failed(done.error());
            break;
        }
    }
    alone.leave();
    if (runs.empty()) print("No alert waits.\n");
    if (count.left > 0)
        print(std::to_string(count.left) + " left to the watchdog that watches, or takes up, their runs\n");
    if (quit.status == exit_ok && count.waiting > 0) quit = {exit_alert, "not everything was delivered"};
    return quit;
}

}  // namespace ctl
