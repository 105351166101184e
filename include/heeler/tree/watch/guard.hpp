// Decides what a reviewer may change, against the binding that is stored, and puts it on record first.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/callback.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/tree/recovery_batch.hpp>
#include <heeler/tree/scope_guard.hpp>
#include <heeler/tree/scope_pin.hpp>
#include <heeler/tree/watch/records.hpp>
#include <heeler/tree/watch/watched_trees.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Any thread; one question at a time.
class TreeGuard {
public:
    TreeGuard(WatchedTrees& trees, TreeRecords& records, const TreeSettings& settings)
        : trees_{trees}, records_{records}, settings_{settings} {}

    [[nodiscard]] ScopeAnswer check(const Mutation& mutation, const Callback<Result<void>()>& apply) {
        std::unique_lock one{lock_};
        auto asked = ask(mutation, {mutation}, apply != nullptr,
                         [&](const TaskTree& tree, const Scope& scope, ScopePin& pin, const TreeScan& scan,
                             const std::optional<BatchReceipt>&) {
                             ScopeAnswer answer = check_scope(tree, scope, mutation);
                             if (answer.allowed) answer = check_assignee(scope, mutation);
                             if (answer.allowed) answer = check_fresh(tree, scope, pin, scan, mutation);
                             return answer;
                         });
        return conclude(one, asked, mutation, apply, [&] { put_on_record(asked, std::nullopt, {mutation}); });
    }

    [[nodiscard]] ScopeAnswer batch(const BatchRequest& request, const Callback<Result<void>()>& apply) {
        std::unique_lock one{lock_};
        Mutation who;
        who.actor_agent = request.actor_agent;
        who.actor_run = request.actor_run;
        auto asked = ask(who, request.ops, apply != nullptr,
                         [&](const TaskTree& tree, const Scope& scope, ScopePin& pin, const TreeScan& scan,
                             const std::optional<BatchReceipt>& earlier) {
                             ScopePin moved = pin;
                             ScopeAnswer answer = check_batch(tree, scope, moved, scan, request, earlier);
                             for (const Mutation& each : request.ops)
                                 if (answer.allowed) answer = check_assignee(scope, each);
                             if (answer.allowed) pin = std::move(moved);
                             return answer;
                         });
        const bool watched = asked.scope.kind != ScopeKind::none;
        const bool answered = asked.earlier && asked.earlier->run == request.actor_run;
        if (watched && answered && asked.earlier->request_id == request.request_id) return asked.answer;
        const bool is_spent = answered && asked.earlier->answer.allowed;  // no later no takes its place
        return conclude(one, asked, who, apply, [&] {
            std::optional<BatchReceipt> receipt;
            if (!is_spent) receipt = {request.actor_run, request.request_id, asked.answer};
            put_on_record(asked, std::move(receipt), request.ops);
        });
    }

private:
    static constexpr std::size_t most_pins = 1024;
    static constexpr std::string_view mutation_record = "issue.task_watchdog_mutation";
    static constexpr std::string_view denial_record = "issue.task_watchdog_mutation_denied";

    /// What is asked, by whom, and how the tree stands now.
    struct Question {
        Scope scope{};
        ScopeAnswer answer{};
        ScopePin pin{};
        std::vector<PinGrant> grants{};  ///< of what is allowed
        std::optional<BatchReceipt> earlier{};
        std::optional<ScopePin> stored{};  ///< the watch's
    };

    /// Work is given to agents that can take it, by whatever change.
    [[nodiscard]] ScopeAnswer check_assignee(const Scope& scope, const Mutation& asked) {
        const bool assigns = asked.op == "assign" || asked.op == "create_child";
        if (scope.kind != ScopeKind::watchdog || !assigns || asked.to_person || asked.ref.empty())
            return granted("nobody is given work");
        const auto can = trees_.check_employable({scope.envelope.tenant, asked.ref});
        return can ? granted("the agent can be given work") : forbidden(text::one_line(can.error().message, 256));
    }

    /// Puts an answer on record and carries out what is allowed. Whoever acts in no review keeps nobody waiting.
    template <class Remember>
    [[nodiscard]] ScopeAnswer conclude(std::unique_lock<std::mutex>& one, Question& asked, const Mutation& who,
                                       const Callback<Result<void>()>& apply, Remember&& remember) {
        const bool watched = asked.scope.kind != ScopeKind::none;
        if (!watched) one.unlock();
        const bool allowed = asked.answer.allowed;
        if (watched) remember();
        // That it was allowed is still to be stored some time: so is that it was not, in the end. Otherwise the same
        // batch would be answered later as if it had been carried out.
        if (allowed && !asked.answer.allowed) remember();
        if (!asked.answer.allowed) return asked.answer;
        if (apply)
            if (const auto done = apply(); !done) {
                asked.answer = denied(Refusal::stale, "nothing was changed: " + done.error().message);
                if (watched) remember();
                return asked.answer;
            }
        if (!watched) return asked.answer;
        const bool is_done = apply && !asked.grants.empty();
        add_grants(asked.pin, std::move(asked.grants));
        keep(std::move(asked.pin));
        if (is_done) settle(who);
        return asked.answer;
    }

    /// What was carried out is accounted for before anybody else changes the same.
    void settle(const Mutation& who) {
        auto after = ask(who, {}, true,
                         [](const TaskTree& tree, const Scope& scope, ScopePin& pin, const TreeScan& scan,
                            const std::optional<BatchReceipt>&) {
                             if (scan.verdict != TreeVerdict::stopped) {
                                 note_creations(tree, scope, pin);
                                 return granted("the tree is in motion");
                             }
                             if (is_pinned_stop(scope, pin, scan)) return granted("the tree is as it was");
                             return repin(tree, scope, pin, scan);
                         });
        if (!after.answer.allowed) return;
        put_on_record(after, std::nullopt, {});
        keep(std::move(after.pin));
    }

    /// `judge(tree, scope, pin, scan, earlier)` answers about the tree as it is now; `mutations`: what is asked for.
    /// `hears`: what becomes of it. Then all that was allowed has been carried out, and where the tree rests as it was
    /// judged, that made no difference: just the same change is somebody else's.
    template <class Judge>
    [[nodiscard]] Question ask(const Mutation& who, const std::vector<Mutation>& mutations, bool hears, Judge&& judge) {
        Question asked;
        auto answer = trees_.with_news([&](const TaskTree& tree) -> Result<ScopeAnswer> {
            asked.scope = resolve_scope(tree, who, [&](const std::string& tenant, const std::string& node) {
                return binding_of(tree, {tenant, node});
            });
            asked.scope.offer = trees_.host().operations();
            const WatchBinding& watch = asked.scope.envelope;
            const auto state = watch.watch.empty() ? std::nullopt : trees_.state_of(watch.watch);
            TreeScan scan;
            if (state) {
                scan = scan_of(tree, *state, settings_.rules);
                asked.earlier = state->batch;
                asked.stored = state->pin;
            }
            asked.pin = pin_for(asked.scope, scan, asked.stored);
            if (awaits_only_own(asked.pin, scan)) scan = scan_of(tree, *state, without_grace(settings_.rules));
            if (hears && scan.verdict == TreeVerdict::stopped && is_pinned_stop(asked.scope, asked.pin, scan))
                asked.pin.authorised.clear();
            auto judged = judge(tree, asked.scope, asked.pin, scan, asked.earlier);
            if (judged.allowed) asked.grants = grants_of(tree, asked.scope, asked.pin, scan, mutations);
            return judged;
        });
        asked.answer = answer ? *std::move(answer) : forbidden("the tree cannot be read: " + answer.error().message);
        return asked;
    }

    [[nodiscard]] TreeScan scan_of(const TaskTree& tree, const WatchState& state, const TreeRules& rules) const {
        const WatchConfig& watch = state.config;
        return classify(tree, {watch.tenant, watch.node, state.revision, state.reviewed, nullptr}, rules,
                        trees_.engine.wall_time());
    }
    [[nodiscard]] static TreeRules without_grace(TreeRules rules) {
        rules.first_run_grace = {};
        return rules;
    }

    /// The snapshot of the stop that the run was woken for is taken when it acts first, if that is the stop still.
    [[nodiscard]] ScopePin pin_for(const Scope& scope, const TreeScan& scan, const std::optional<ScopePin>& stored) {
        const auto known = pins_.find(scope.run);
        if (known != pins_.end() && is_pin_of(known->second, scope)) return known->second;
        if (stored && is_pin_of(*stored, scope)) return *stored;  // an earlier process had it
        if (scan.fingerprint == scope.envelope.fingerprint) return pin_of(scope.run, scan, scope.envelope.revision);
        ScopePin none;
        none.run = scope.run;
        none.woken = none.fingerprint = scope.envelope.fingerprint;
        none.revision = scope.envelope.revision;
        return none;
    }

    /// Who is watched how, as far as it is stored.
    [[nodiscard]] std::optional<WatchBinding> binding_of(const TaskTree& tree, const NodeRef& node) const {
        const std::string watch = watch_id(node);
        if (!trees_.engine.find(watch)) return std::nullopt;  // loads it after a restart
        const auto state = trees_.state_of(watch);
        if (!state) return std::nullopt;
        WatchBinding binding;
        binding.watch = watch;
        binding.tenant = state->config.tenant;
        binding.node = state->config.node;
        binding.review = review_of(tree, *state);
        binding.agent = state->config.agent;
        binding.fingerprint = state->bound;
        binding.revision = state->revision;
        binding.active = state->active;
        return binding;
    }

    /// A task that took the place of the one that is stored, for the same stop, is the review.
    [[nodiscard]] static std::string review_of(const TaskTree& tree, const WatchState& state) {
        const TreeNode* shown = tree.review_of(state.config.tenant, state.config.node, state.review);
        const bool replaced = shown != nullptr && !state.bound.empty() &&
                              (shown->origin_fingerprint.empty() || shown->origin_fingerprint == state.bound);
        return replaced ? shown->id : state.review;
    }

    void keep(ScopePin pin) {
        if (pins_.size() >= most_pins && pins_.find(pin.run) == pins_.end()) pins_.clear();  // they are taken anew
        pins_[pin.run] = std::move(pin);
    }

    /// What a reviewer asked and was answered; of the host's own words only what names things.
    [[nodiscard]] static Record record_of(const Question& asked, const Mutation& mutation) {
        WatchState state;
        state.config.tenant = asked.scope.envelope.tenant;
        state.config.node = asked.scope.envelope.node;
        state.review = asked.scope.envelope.review;
        text::JsonLine line = TaskTreeRule::labels(state, asked.scope.envelope.watch, asked.scope.envelope.fingerprint);
        line.key("runId").string(shown_id(asked.scope.run)).key("op").string(shown_id(mutation.op));
        line.key("target").string(shown_id(mutation.target));
        if (!mutation.parent.empty()) line.key("parent").string(shown_id(mutation.parent));
        if (!mutation.ref.empty()) line.key("ref").string(shown_id(mutation.ref));
        line.key("reason").string(asked.answer.reason).end_object();
        return {std::string{asked.answer.allowed ? mutation_record : denial_record}, std::move(line).text()};
    }

    /// As people read it.
    [[nodiscard]] static std::string denial_of(const Question& asked, const Mutation& mutation) {
        std::string text = text::concat(shown_id(mutation.op), " ", shown_id(mutation.target));
        if (!mutation.ref.empty()) text::append(text, " ", shown_id(mutation.ref));
        return text::redact(text::concat(text, ": ", text::one_line(asked.answer.reason, 256)));
    }

    /// What nobody could tell from the tree: that it changed because of the run, or will. As it is if all goes well.
    [[nodiscard]] static std::optional<ScopePin> pin_to_store(Question& asked) {
        ScopePin pin = asked.pin;
        if (asked.answer.allowed) add_grants(pin, asked.grants);
        const bool is_plain = pin.authorised.empty() && pin.fingerprint == pin.woken;
        if (asked.stored == pin || (is_plain && !asked.stored)) return std::nullopt;
        return asked.stored = std::move(pin);
    }

    /// What is allowed is on record before it is done; what cannot be put on record is not allowed. A refusal stands
    /// in any case.
    void put_on_record(Question& asked, std::optional<BatchReceipt> receipt, const std::vector<Mutation>& ops) {
        const std::string& watch = asked.scope.envelope.watch;
        const auto handle = watch.empty() ? std::nullopt : trees_.engine.handle_of(watch);
        if (!handle) {
            if (asked.answer.allowed) asked.answer = forbidden("the watch is not held here any more");
            return;
        }
        std::vector<Record> records;
        GuardNote note{std::move(receipt), pin_to_store(asked), {}};
        for (std::size_t i = 0; i < min_of(ops.size(), max_batch_ops); ++i) {
            records.push_back(record_of(asked, ops[i]));
            if (!asked.answer.allowed) note.denied.push_back(denial_of(asked, ops[i]));
        }
        const std::string text = encoded(note);
        const Reading reading{TaskTreeRule::guard_reading, text};
        const bool learns = note.batch || note.pin || !note.denied.empty();
        if (!learns && records.empty()) return;
        const auto stored = records_.note(*handle, watch, learns ? &reading : nullptr, std::move(records));
        if (!stored && asked.answer.allowed)
            asked.answer = forbidden("what is allowed cannot be put on record: " + stored.error().message);
    }

    WatchedTrees& trees_;
    TreeRecords& records_;
    const TreeSettings& settings_;
    std::mutex lock_;
    std::map<std::string, ScopePin> pins_;  ///< by run of a reviewer
};

}  // namespace heeler::inline HEELER_ABI::detail
