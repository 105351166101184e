// How the engine takes operators' decisions. Stands behind `engine-inl.hpp`, whose rooms it looks into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/alert/silence.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/cycle/notes.hpp>
#include <heeler/engine/answers.hpp>
#include <heeler/engine/engine-inl.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/edit_distance.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// A name that an operator wrote, held against those that there are.
class WrittenName {
public:
    explicit WrittenName(const std::string& written)
        : written_{written}, known_{written.empty()}, least_{text::too_far_from(written)} {}

    void see(std::string_view name) {
        known_ |= name == written_;
        const std::size_t distance = known_ ? least_ : text::edit_distance(written_, name);
        if (distance >= least_) return;
        least_ = distance;
        nearest_ = name;
    }

    /// None was written, or somebody has it.
    [[nodiscard]] bool known() const noexcept { return known_; }
    [[nodiscard]] const std::string& written() const noexcept { return written_; }
    [[nodiscard]] std::string nearest() const {
        return nearest_.empty() ? "" : text::concat(", the nearest is `", text::shown_name(nearest_, 160), "`");
    }
    [[nodiscard]] std::string doubt(std::string_view nobody_has) const {
        return text::concat(nobody_has, " `", text::shown_name(written_, 160), "`", nearest());
    }

private:
    const std::string& written_;
    std::string nearest_;
    bool known_;
    std::size_t least_;
};

/// Which names there are, of runs, their tags and classes, and of kinds of alerts.
class KnownNames {
public:
    KnownNames(Registry& registry, Ledger& ledger, Instant now) : registry_{registry}, ledger_{ledger}, now_{now} {}

    /// Whether a decision that is about this run, or all of them, can be. Where the store does not say, it is.
    [[nodiscard]] Result<void> check_run(const std::string& id) const {
        WrittenName run{id};
        see_run(run);
        if (run.known()) return {};
        return no_such_run(id, run.nearest());
    }

    /// What a silence names and nobody has: it may still come, so it is only said.
    [[nodiscard]] std::string doubts(const AlertMatch& about) const {
        WrittenName run{about.run}, of_class{about.class_name}, tag{about.tag}, kind{about.kind};
        see_run(run);
        if (!tag.known()) see_tags(tag);
        for (const std::string_view each : alert_kind_names)
            if (!is_about_watchdogs(each)) kind.see(each);
        for (const auto& each : registry_.classes()) {
            of_class.see(each->rules.name);
            for (const ConditionAlert& own : each->rules.alerts.conditions) {
                kind.see(own.kind);
                if (!own.over.empty()) kind.see(own.over);
            }
        }
        std::string text;
        const auto add = [&](const WrittenName& name, std::string_view nobody_has) {
            if (!name.known()) text::append(text, text.empty() ? "" : "; ", name.doubt(nobody_has));
        };
        add(run, "no run has the id");
        add(of_class, "no class has the name");
        add(tag, "no run that is watched has the tag");
        add(kind, "no alert has the kind");
        return text;
    }

private:
    /// Of runs that are not in memory the store knows: they are over, or another watchdog's.
    void see_run(WrittenName& run) const {
        if (run.known()) return;
        if (registry_.find(run.written())) return run.see(run.written());
        const auto stored = ledger_.history(now_, run.written());
        if (!stored || stored->row) return run.see(run.written());
        each_run([&](const WatchedRun& watched) { run.see(watched.run.id); });
    }
    void see_tags(WrittenName& tag) const {
        each_run([&](const WatchedRun& watched) {
            for (const std::string& each : watched.spec.tags()) tag.see(each);
        });
    }

    template <class See>
    void each_run(See&& see) const {
        auto& table = registry_.table();
        for (const RunHandle handle : table.all()) {
            WatchedRun* const watched = table.find(handle);
            if (watched == nullptr) continue;
            const std::lock_guard guard{watched->lock};
            if (table.current(handle)) see(*watched);
        }
    }

    Registry& registry_;
    Ledger& ledger_;
    Instant now_;
};

HEELER_INLINE Result<void> Engine::decide(DecisionRow decision) {
    const Instant now = parts_->clock.now();
    decision.at = now.wall;
    if (decision.verb == Verb::silence) {
        if (decision.about.run.empty()) decision.about.run = decision.run;
        decision.run.clear();
        if (auto good = check_silence(decision, now.wall); !good) return good;
    }
    decision.because = text::redact(decision.because);
    const KnownNames names{parts_->registry, parts_->ledger, now};
    if (auto good = names.check_run(decision.run); !good) return good;
    const std::string doubts = decision.verb == Verb::silence ? names.doubts(decision.about) : std::string{};
    const auto run = parts_->registry.find(decision.run);
    Batch batch;
    batch.decisions.push_back(std::move(decision));
    List<Change> none;
    auto stored = detail::durable(parts_->ledger.commit(none, std::move(batch), now));
    if (!stored) return stored;
    if (!doubts.empty()) parts_->cycle.say(notes::doubt({}, {"silence", doubts}), now);
    if (run) table_.sooner(run->index, now.elapsed);
    wake_if_sooner(now.elapsed);
    return stored;
}

HEELER_INLINE Result<List<DecisionRow>> Engine::silences() {
    const Instant now = parts_->clock.now();
    auto open = parts_->ledger.list(now);
    if (open)
        detail::drop_if(*open, [&](const DecisionRow& row) {
            return row.verb != Verb::silence || !row.until || now.wall >= *row.until || !row.damage.empty();
        });
    return open;
}

HEELER_INLINE Result<void> Engine::unsilence(std::uint64_t number, std::string_view by) {
    const Instant now = parts_->clock.now();
    const auto standing = silences();
    if (!standing) return tl::unexpected<Error>(standing.error());
    const auto is_it = [&](const DecisionRow& row) { return row.number == number; };
    if (!detail::any_of(*standing, is_it))
        return fail(ErrorCode::invalid_argument, text::concat("no silence ", std::to_string(number),
                                                              " is in force: `silences()` lists those that are"));
    List<Change> none;
    auto stored = detail::durable(parts_->ledger.commit(none, end_of_silence(number, by, now.wall), now));
    if (stored) wake_if_sooner(now.elapsed);
    return stored;
}

}  // namespace heeler::inline HEELER_ABI::detail
