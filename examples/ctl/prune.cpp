#include "prune.hpp"

#include <string>

#include <heeler/store/retention.hpp>

#include "print.hpp"

namespace ctl {

namespace {

using heeler::Pruned;

std::string counted(std::uint64_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

void print_pruned(const Options& options, const Pruned& all) {
    if (!options.json)
        return print("forgot " + counted(all.runs, "run", "runs") + ", " + counted(all.alerts, "alert", "alerts") +
                     " and " + counted(all.audit, "audit record", "audit records") + "\n");
    heeler::text::JsonLine line;
    line.begin_object().key("type").string("pruned").key("runs").number(all.runs);
    line.key("alerts").number(all.alerts).key("audit").number(all.audit).end_object();
    print(line);
}

/// Slice by slice, so that watchdogs at work on the store hardly wait.
heeler::Result<void> prune_all(Store& store, const heeler::Retention& retention, Pruned& all) {
    for (;;) {
        const auto slice = store.prune(retention);
        if (!slice) return tl::unexpected<heeler::Error>(slice.error());
        all.runs += slice->runs;
        all.alerts += slice->alerts;
        all.audit += slice->audit;
        all.spend += slice->spend;
        const std::uint64_t most = retention.most;
        if (slice->runs < most && slice->alerts < most && slice->audit < most && slice->spend < most) return {};
    }
}

}  // namespace

Quit prune(const Options& options, Store& store, heeler::Instant now) {
    heeler::Retention retention;
    retention.runs = now.wall - options.ages.ended;
    retention.alerts = now.wall - options.ages.alerts;
    retention.audit = now.wall - options.ages.audit;
    Pruned all;
    const auto done = prune_all(store, retention, all);
    print_pruned(options, all);
    if (!done) return store_failed(done.error());
    if (!options.compact) return {};
    const auto compacted = store.compact();
    return compacted ? Quit{} : store_failed(compacted.error());
}

}  // namespace ctl
