// The detector of a watch: folds what its host changed and what was seen of the tree, and says when somebody is to be
// woken or told.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/detector.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/words.hpp>
#include <heeler/tree/conditions.hpp>
#include <heeler/tree/encoding.hpp>
#include <heeler/tree/tree_look.hpp>
#include <heeler/tree/wake_payload.hpp>
#include <heeler/tree/watch_state.hpp>

namespace heeler::inline HEELER_ABI {

/// Judges by time only how long a review is silent: what the watch sees of its tree is told to it as `look`, what its
/// host changes as `change`. Each stop that is new is found once; that a rung was climbed for it (`Watermark`), and
/// what came of it (`Acted`), is part of what it remembers.
struct TaskTreeRule {
    static constexpr std::string_view kind = "task_tree";
    static constexpr EventMask listens = events<Reading, Watermark, Acted>;
    static constexpr std::string_view look_reading = "look", change_reading = "change", guard_reading = "guard";

    using Settings = TreeSettings;
    using Memory = WatchState;

    [[nodiscard]] static Result<void> validate(const Settings& settings) {
        if (settings.most_attempts < 1 || settings.most_attempts > 20)
            return fail(ErrorCode::invalid_argument, "task_tree: most_attempts is " +
                                                         std::to_string(settings.most_attempts) +
                                                         "; it must be 1 to 20: somebody has to be told in the end");
        const auto is_within = [](Duration length, Duration least) {
            return length >= least && length <= detail::longest_setting;
        };
        if (!is_within(settings.review_limit, std::chrono::seconds{1}))
            return fail(ErrorCode::invalid_argument, "task_tree: review_limit must be 1 s to 10 years");
        if (!is_within(settings.rules.first_run_grace, {}) || !is_within(settings.foreign_grace, {}))
            return fail(ErrorCode::invalid_argument,
                        "task_tree: first_run_grace and foreign_grace must be 0 to 10 years");
        return {};
    }

    void learn(Memory& state, const Settings& settings, const Observation& seen) const {
        if (const auto* reading = std::get_if<Reading>(&seen.event))
            read(state, *reading, seen.at);
        else if (std::holds_alternative<Watermark>(seen.event))
            intend(state, settings, seen.at);
        else if (const auto* acted = std::get_if<Acted>(&seen.event))
            settle(state, *acted, seen.at);
    }

    [[nodiscard]] std::optional<Finding> check(const Memory& state, const Settings& settings, const Run& run,
                                               Instant now) const {
        if (state.host.owed) return state.host.finding(kind, run);
        const Duration silent = run.unseen_for(state.signed_at, now.elapsed);
        if (state.look.due == TreeDue::nothing || is_early(state, settings, silent)) return std::nullopt;
        const bool wakes = state.look.due == TreeDue::wake;
        Finding finding{wakes ? TreeCondition::stopped : given_up(state), Level::nudge, kind, {.rule = kind}};
        finding.evidence.add("leaves", static_cast<double>(state.look.leaf_count))
            .add("waits", static_cast<double>(state.look.waits))
            .add("attempt", wakes ? state.look.attempt : static_cast<double>(state.attempts.size()));
        if (state.look.when_silent) finding.evidence.add("silent_s", in_seconds(silent));
        finding.evidence.first = finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        if (std::string words = HostAnswers::describe(finding); !words.empty()) return words;
        if (const double silent = finding.evidence.fact("silent_s"); silent > 0)
            return text::concat("The review of the stopped tree shows no sign of life for ",
                                detail::words::lasting(silent));
        if (finding.condition == TreeCondition::unrestored)
            return text::concat("The tree stopped again, unchanged, after ",
                                detail::words::counted(finding.evidence.fact("attempt"), "review"));
        return text::concat("The whole tree has come to rest (", detail::words::count(finding.evidence.fact("leaves")),
                            " leaves)");
    }

    /// What people are told of a tree that nobody could restore: what stopped, who reviewed it, and each attempt.
    [[nodiscard]] List<Detail> details(const Memory& state, const Settings& settings, const Run&,
                                       const Finding& finding) const {
        const std::string& review = state.review.empty() ? state.look.review : state.review;
        return {{"watched", state.config.node},
                {"stopped", stopped_in_words(state.look)},
                {"reviewer", state.config.agent},
                {"review", review.empty() ? "none yet" : review},
                {detail_name::done, done_in_words(state)},
                {detail_name::next, next_in_words(state, settings, finding.condition, review)},
                {"history", history_of(state, finding.condition == TreeCondition::unreviewed), true}};
    }

    [[nodiscard]] std::optional<Order> compose_action(const Memory& state, const Settings&, const Run& run,
                                                      ActionKind asked) const {
        if (asked == ActionKind::review)
            return Order{key_of("task_watchdog_review:", run, state.look),
                         review_comment(facts(state, run), !state.look.review.empty())};
        if (asked == ActionKind::wake)
            return Order{key_of("task_watchdog:", run, state.look), wake_payload(facts(state, run))};
        return std::nullopt;
    }

    /// That a stop is under review, once for each wake that is due, whatever comes of the wake.
    [[nodiscard]] std::optional<Record> record_action(const Memory& state, const Settings&, const Run& run,
                                                      ActionKind done, ActionOutcome outcome) const {
        const bool is_first = state.order.reviews == 1 && !state.order.left_out;
        if (done != ActionKind::review || outcome != ActionOutcome::done || !is_first) return std::nullopt;
        text::JsonLine line = labels(state, run.id, state.order.fingerprint);
        line.key("attempt").number(state.order.attempt).key("stoppedLeaves").begin_array();
        for (const std::string& leaf : state.look.leaf_ids) line.string(leaf);
        line.end_array().end_object();
        return Record{"issue.task_watchdog_triggered", std::move(line).text()};
    }

    /// An open object with what every record about a watch names.
    [[nodiscard]] static text::JsonLine labels(const Memory& state, std::string_view watch,
                                               std::string_view fingerprint) {
        text::JsonLine line;
        line.begin_object().key("watchdogId").string(watch).key("tenant").string(detail::shown_id(state.config.tenant));
        line.key("sourceIssueId").string(detail::shown_id(state.config.node)).key("watchdogIssueId");
        const std::string& review = state.review.empty() ? state.look.review : state.review;
        review.empty() ? line.null() : line.string(detail::shown_id(review));
        line.key("stopFingerprint");
        fingerprint.empty() ? line.null() : line.string(fingerprint);
        return line;
    }

private:
    [[nodiscard]] static WakeFacts facts(const Memory& state, const Run& run) {
        const TreeLook& look = state.look;
        WakeFacts facts;
        facts.watch = run.id;
        facts.tenant = state.config.tenant;
        facts.node = state.config.node;
        facts.title = look.title;
        facts.fingerprint = look.fingerprint;
        facts.attempt = look.attempt;
        facts.wake = state.triggers + 1u;
        facts.leaves = look.leaves;
        facts.leaf_count = look.leaf_count;
        facts.waits = look.waits;
        facts.wait_texts = look.wait_texts;
        facts.ahead = look.ahead;
        facts.instructions = state.config.instructions.value_or("");
        return facts;
    }

    [[nodiscard]] static std::string key_of(std::string_view what, const Run& run, const TreeLook& look) {
        return text::concat(what, run.id, ":", look.fingerprint, ":attempt:", std::to_string(look.number));
    }

    /// What is due is so only when the review is silent for long enough.
    [[nodiscard]] static bool is_early(const Memory& state, const Settings& settings, Duration silent) noexcept {
        return state.look.when_silent && silent < settings.review_limit;
    }

    [[nodiscard]] static const Condition& given_up(const Memory& state) noexcept {
        return state.look.when_silent ? TreeCondition::unreviewed : TreeCondition::unrestored;
    }

    [[nodiscard]] static std::string stopped_in_words(const TreeLook& look) {
        std::string text;
        for (const LeafSummary& leaf : look.leaves)
            text::append(text, text.empty() ? "" : ", ", leaf.id, ": ", leaf.status);
        if (look.leaf_count > look.leaves.size())
            text::append(text, ", and ", std::to_string(look.leaf_count - look.leaves.size()), " more");
        return text;
    }

    [[nodiscard]] static std::string done_in_words(const Memory& state) {
        double woken = 0, denials = 0;
        std::string_view denied;
        for (const WatchAttempt& attempt : state.attempts) {
            woken += was_woken(attempt.outcome) ? 1 : 0;
            denials += attempt.denials;
            if (!attempt.denied.empty()) denied = attempt.denied.back();
        }
        std::string text;
        if (woken > 0)
            text::append(text, "the reviewer was woken ", detail::words::counted(woken, "time"), " for this stop");
        if (denials > 0)
            text::append(text, "; ", detail::words::count(denials), " of its changes were refused, at last ", denied);
        const std::string host = state.host.in_words();
        if (text.empty() && host.empty()) return "nobody was woken";
        return text::concat(text, text.empty() || host.empty() ? "" : "; ", host);
    }

    /// What the watch does now, and what a person can do besides.
    [[nodiscard]] static std::string next_in_words(const Memory& state, const Settings& settings,
                                                   const Condition& found, const std::string& review) {
        const std::string reviewer = text::concat("`", state.config.agent, "`");
        if (found == TreeCondition::unreviewed)
            return text::concat("the tree is left alone until the review ", review, " ends or something in the tree ",
                                "changes; you can end the review, or set the watch anew to have ", reviewer,
                                " woken again");
        if (found == TreeCondition::unrestored)
            return text::concat("the tree is left alone until something in it changes; you can put it in motion, end ",
                                "the review ", review, " with another result, or set the watch anew to have ", reviewer,
                                " woken again");
        if (found == TreeCondition::unclear && !state.order.open)
            return text::concat(reviewer, " is woken once more at ",
                                text::rfc3339(state.wall_at(state.signed_at + settings.review_limit)),
                                " if its review shows no sign of life; you can look whether it is at work");
        return text::concat(state.host.next_in_words(),
                            "; you can mend what it refuses, or have another agent review by setting the watch anew");
    }

    [[nodiscard]] static std::string history_of(const Memory& state, bool is_silent) {
        text::JsonLine history;
        history.begin_array();
        for (const WatchAttempt& attempt : state.attempts) {
            const bool silent = is_silent && &attempt == &state.attempts.back();
            history.begin_object().key("attempt").number(attempt.attempt).key("at").string(text::rfc3339(attempt.at));
            history.key("outcome").string(name_of(silent ? WakeOutcome::silent : attempt.outcome));
            if (attempt.denials > 0) {
                history.key("denials").number(attempt.denials).key("denied").begin_array();
                for (const std::string& what : attempt.denied) history.string(what);
                history.end_array();
            }
            history.key("fingerprint").string(attempt.fingerprint).end_object();
        }
        history.end_array();
        return std::move(history).text();
    }

    static void read(Memory& state, const Reading& reading, Duration at) {
        if (reading.name == change_reading) {
            if (auto change = decoded<WatchChange>(reading.text)) take(state, *std::move(change));
        } else if (reading.name == look_reading) {
            if (auto look = decoded<TreeLook>(reading.text)) take(state, *std::move(look), at);
        } else if (reading.name == guard_reading) {
            if (auto note = decoded<GuardNote>(reading.text)) take(state, *std::move(note));
        }
    }

    static void take(Memory& state, GuardNote note) {
        if (note.batch) state.batch = std::move(note.batch);
        if (note.pin) state.pin = std::move(note.pin);
        if (state.attempts.empty()) return;  // of a stop that was reviewed meanwhile
        for (std::string& what : note.denied) state.attempts.back().deny(std::move(what));
    }

    static void take(Memory& state, WatchChange change) {
        if (!changes_anything(state, change)) return;
        state.active = change.arms;
        state.look = {};
        state.host = {};
        if (!change.arms) return;
        ++state.revision;  // so that no stop from before is the same
        state.reviewed_leaves.clear();
        state.config = std::move(change.config);
        forget_lineage(state);
    }

    static void forget_lineage(Memory& state) {
        state.lineage.clear();
        state.attempts.clear();
        state.pin.reset();
        state.host = {};
        state.restored = state.escalated = state.reminded = false;
        state.order.open = false;
    }

    static void take(Memory& state, TreeLook look, Duration at) {
        if (!look.reviewed.empty() && look.reviewed != state.reviewed) {
            state.reviewed_leaves =
                look.reviewed == state.order.fingerprint ? state.order.digests : std::vector<std::uint64_t>{};
            state.reviewed = look.reviewed;
            state.completed = look.at;
        }
        if (!look.reviewed.empty() && look.reviewed == state.lineage) forget_lineage(state);
        state.restored = look.restored;
        if (look.restored) note_restored(state);
        if (is_quiet(look.verdict)) state.host = {};  // nobody waits for what it was asked for
        if (look.foreign != state.foreign) {
            state.foreign = look.foreign;
            state.foreign_since = look.at;
        }
        if (!look.fingerprint.empty()) state.observed = look.fingerprint;
        if (look.adopted) state.review = look.review;
        if (std::exchange(state.sign, look.sign) != look.sign) state.signed_at = at;
        state.look = std::move(look);
        state.looked_at = at;
    }

    /// A wake that did not happen cannot have been in vain: the task still says what it said before.
    static void note_restored(Memory& state) {
        if (state.attempts.empty()) return;
        WakeOutcome& outcome = state.attempts.back().outcome;
        if (was_woken(outcome) || outcome == WakeOutcome::unknown) outcome = WakeOutcome::restored;
    }

    /// Of the newest wake.
    static void note_outcome(Memory& state, WakeOutcome outcome) {
        if (!state.attempts.empty()) state.attempts.back().outcome = outcome;
    }

    static void note_answer(Memory& state, const Acted& acted) {
        if (acted.kind == ActionKind::escalate) return;
        if (HostAnswers::is_refusal(acted.outcome)) note_outcome(state, WakeOutcome::refused);
        if (acted.outcome == ActionOutcome::unknown) note_outcome(state, WakeOutcome::unknown);
        if (acted.outcome == ActionOutcome::done && acted.kind == ActionKind::wake)
            note_outcome(state, WakeOutcome::woken);
    }

    /// A rung for what was found is stored with this.
    static void intend(Memory& state, const Settings& settings, Duration at) {
        if (std::exchange(state.host.owed, false) || is_early(state, settings, at - state.signed_at)) return;
        TreeLook& look = state.look;
        const TreeDue due = std::exchange(look.due, TreeDue::nothing);
        if (due != TreeDue::nothing && look.when_silent) note_outcome(state, WakeOutcome::silent);
        if (due == TreeDue::escalate) give_up(state);
        if (due == TreeDue::wake) order(state, at);
    }

    static void give_up(Memory& state) {
        state.escalated = true;
        state.host = {};
    }

    static void order(Memory& state, Duration at) {
        const TreeLook& look = state.look;
        const std::uint32_t reviews = look.retried ? state.order.reviews : 0;
        state.order = {true,    !look.review.empty(), look.attempt, look.number,
                       reviews, look.fingerprint,     look.digests, {}};
        if (look.retried) return;
        state.signed_at = at;
        if (state.lineage != look.fingerprint)
            forget_lineage(state);
        else
            state.reminded |= look.when_silent;
        state.order.open = true;
        state.lineage = look.fingerprint;
        state.restored = false;
        state.triggered = state.wall_at(at);
        state.attempts.push_back({look.attempt, look.fingerprint, *state.triggered, {}, {}, {}});
        ++state.triggers;
        count_wake(state, detail::short_of(look.fingerprint), look.number);
    }

    static void count_wake(Memory& state, std::uint64_t fingerprint, std::uint32_t number) {
        std::erase_if(state.woken, [&](const WokenFor& known) { return known.fingerprint == fingerprint; });
        if (state.woken.size() >= Memory::most_kept) state.woken.erase(state.woken.begin());
        state.woken.push_back({fingerprint, number});
    }

    /// The review is bound once it is certain that it is there; a wake that perhaps happened is not asked for again.
    static void settle(Memory& state, const Acted& acted, Duration at) {
        if (acted.from == OutcomeFrom::shadow) {  // it counts as done, and was not
            state.order.left_out = state.wall_at(at);
            return;
        }
        if (!is_quiet(state.look.verdict)) state.host.learn(acted, state.wall_at(at));
        note_answer(state, acted);
        if (acted.kind == ActionKind::review && acted.outcome == ActionOutcome::done) {
            if (!acted.note.empty() && acted.from == OutcomeFrom::answer) state.review = acted.note;
            state.bound = state.order.fingerprint;
            ++state.order.reviews;
        }
        const bool perhaps = acted.outcome == ActionOutcome::done || acted.outcome == ActionOutcome::unknown;
        if (acted.kind == ActionKind::wake && perhaps) {
            state.order.open = state.escalated = false;
            state.signed_at = at;
        }
        if (acted.kind == ActionKind::escalate && perhaps) state.escalated = true;  // also where the host refuses
    }
};

}  // namespace heeler::inline HEELER_ABI
