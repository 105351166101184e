// The detector of orphaned work: a node that an agent has in progress, and that nothing will take up again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/alert.hpp>
#include <heeler/core/detector.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>
#include <heeler/tree/conditions.hpp>
#include <heeler/tree/encoding.hpp>
#include <heeler/tree/host_answers.hpp>
#include <heeler/tree/tree_node.hpp>

namespace heeler::inline HEELER_ABI {

/// One look at a node that somebody worked on.
struct StrandedLook {
    WallTime at{};
    std::string tenant{};
    std::string node{};
    std::string agent{};
    std::optional<WallTime> created{};  ///< of a node on which there was no run yet
    bool live = false;                  ///< a run or a queued wake is there
    bool stranded = false;              ///< in progress, an agent's, and nothing moves

    void archive(auto& a) { a(at, tenant, node, agent, created, live, stranded); }
};

struct StrandedState {
    StrandedLook look{};
    std::optional<WallTime> woken{};
    bool moved = false;  ///< since the wake
    bool blocked = false;
    HostAnswers host{};

    void archive(auto& a) { a(look, woken, moved, blocked, host); }
};

/// Whether a node is an agent's work in progress that may be orphaned; people look after their own, and the watch of a
/// tree after its review.
[[nodiscard]] inline bool is_work_of_agent(const TreeNode& node) noexcept {
    return node.status == "in_progress" && !node.assignee_agent.empty() && node.assignee_user.empty() &&
           node.origin != review_origin && !node.hidden;
}

/// Finds it once to have it woken, and once more to have it marked as blocked, when what was woken is over or never
/// began. What was seen is told to it as `look`.
struct StrandedRule {
    static constexpr std::string_view kind = "stranded";
    static constexpr EventMask listens = events<Reading, Watermark, Acted>;

    struct Settings {
        Duration grace =
            std::chrono::seconds{15};  ///< from a wake, or from when it was made, to the first sign of a run
    };
    using Memory = StrandedState;

    [[nodiscard]] static Result<void> validate(const Settings& settings) {
        if (settings.grace >= Duration{}) return {};
        return fail(ErrorCode::invalid_argument, "stranded: grace cannot be negative");
    }

    void learn(Memory& state, const Settings&, const Observation& seen) const {
        if (const auto* reading = std::get_if<Reading>(&seen.event)) {
            auto look = reading->name == kind ? decoded<StrandedLook>(reading->text) : std::nullopt;
            if (!look) return;
            state.moved |= state.woken && look->live;
            if (look->live) state.host = {};
            state.look = *std::move(look);
        } else if (std::holds_alternative<Watermark>(seen.event)) {
            state.host.owed = false;
        } else if (const auto* acted = std::get_if<Acted>(&seen.event)) {
            state.host.learn(*acted, state.look.at);
            const bool perhaps = acted->outcome == ActionOutcome::done || acted->outcome == ActionOutcome::unknown;
            if (acted->kind == ActionKind::wake && perhaps) state.woken = state.look.at;
            if (acted->kind == ActionKind::block && perhaps) state.blocked = true;
        }
    }

    [[nodiscard]] std::optional<Finding> check(const Memory& state, const Settings& settings, const Run& run,
                                               Instant) const {
        if (state.host.owed) return state.host.finding(kind, run);
        if (!state.look.stranded || state.blocked) return std::nullopt;
        const auto waits_since = !state.woken ? state.look.created : state.moved ? std::nullopt : state.woken;
        const auto waited = waits_since ? state.look.at - *waits_since : settings.grace;
        if (waited < settings.grace && waited > -settings.grace) return std::nullopt;
        Finding finding{TreeCondition::stranded, Level::nudge, kind, {.rule = state.woken ? "again" : "no_live_path"}};
        finding.evidence.add("wakes", state.woken ? 1 : 0);
        finding.evidence.first = finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        if (std::string words = HostAnswers::describe(finding); !words.empty()) return words;
        return finding.evidence.fact("wakes") > 0 ? "Work in progress stopped again after it was taken up"
                                                  : "Work in progress that nothing will take up again";
    }

    /// What people are told of work whose host lets nobody take it up.
    [[nodiscard]] List<Detail> details(const Memory& state, const Settings&, const Run&, const Finding&) const {
        return {{"task", state.look.node},
                {"agent", state.look.agent},
                {detail_name::done, state.host.in_words()},
                {detail_name::next, next_in_words(state)}};
    }

    [[nodiscard]] std::optional<Order> compose_action(const Memory& state, const Settings&, const Run& run,
                                                      ActionKind asked) const {
        if (asked == ActionKind::wake) return Order{text::concat("orphan_recovery:", run.id, ":wake"), payload(state)};
        if (asked != ActionKind::block) return std::nullopt;
        return Order{
            text::concat("orphan_recovery:", run.id, ":block"),
            text::concat("Blocked by the watchdog: the agent `", text::shown_name(state.look.agent, 128),
                         "` was woken once to go on with this task; that came to an end, and the task is still in "
                         "progress with nobody at work. Somebody has to decide how it goes on.")};
    }

    [[nodiscard]] std::optional<Record> record_action(const Memory& state, const Settings&, const Run&, ActionKind done,
                                                      ActionOutcome outcome) const {
        if (outcome != ActionOutcome::done || (done != ActionKind::wake && done != ActionKind::block))
            return std::nullopt;
        text::JsonLine line;
        line.begin_object().key("tenant").string(text::one_line(state.look.tenant, 128));
        line.key("issueId")
            .string(text::shown_name(state.look.node, 128))
            .key("agent")
            .string(text::shown_name(state.look.agent, 128));
        line.end_object();
        return Record{done == ActionKind::wake ? "issue.orphan_recovery_woken" : "issue.orphan_recovery_blocked",
                      std::move(line).text()};
    }

private:
    [[nodiscard]] static std::string next_in_words(const Memory& state) {
        constexpr std::string_view by_hand = "; you can have it taken up, give it to somebody else, or end it";
        if (!state.host.unclear)
            return text::concat(state.host.next_in_words(), "; you can mend what it refuses, or give the task to ",
                                "somebody else");
        if (state.blocked) return text::concat("it is left alone", by_hand);
        return text::concat("it is marked as blocked if nothing takes it up", by_hand);
    }

    [[nodiscard]] static std::string payload(const Memory& state) {
        text::JsonLine line;
        line.begin_object().key("wakeReason").string("orphan_recovery").key("source").string("orphan_recovery");
        line.key("tenant")
            .string(text::one_line(state.look.tenant, 128))
            .key("issueId")
            .string(text::shown_name(state.look.node, 128));
        line.key("resumeIntent").boolean(true).end_object();
        return std::move(line).text();
    }
};

}  // namespace heeler::inline HEELER_ABI
