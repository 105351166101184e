// Clears the monitor's own context after the cycles of its classes.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <heeler/core/action.hpp>
#include <heeler/core/context_reset.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/effects/clear_rule.hpp>
#include <heeler/effects/context_ref.hpp>
#include <heeler/effects/queues.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/sha256.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// `begin` `end` and `leave` from the thread that ticks, the others from the one that delivers.
class ContextClearing {
public:
    void attach(ContextRef context) {
        const std::lock_guard guard{lock_};
        context_ = context;
    }
    [[nodiscard]] ContextClears clears() const {
        const std::lock_guard guard{lock_};
        return clears_;
    }

    /// Runs are judged, or what came of actions: until `leave` nothing is cleared, for something may be owed then.
    void begin() {
        const std::lock_guard guard{lock_};
        in_cycle_ = true;
    }
    /// All runs of the class were judged, and that is stored: its cycle is over when nothing of it is owed any more.
    void end(const RunClass& rules, Instant now) {
        const std::lock_guard guard{lock_};
        ended_[rules.name] = Ended{rules.context, rules.mode == Mode::shadow, now};
    }
    void leave() {
        const std::lock_guard guard{lock_};
        in_cycle_ = false;
    }

    /// Somebody could not be told of something about a run of this class; without one, of something else.
    void fail_to_tell(const std::string& class_name = {}) {
        const std::lock_guard guard{lock_};
        untold_[class_name] = true;
    }

    /// The clear that failed after the last cycle, before a new one begins. Where another thread judges, the one after
    /// the new cycle has to do.
    void again(Instant now, CycleReport& report) {
        ContextRef context;
        {
            const std::lock_guard guard{lock_};
            if (!failed_ || in_cycle_ || !ended_.empty()) return;
            context = context_;
        }
        if (context.present()) clear(context, false, now, report);
    }

    /// After everything that is due was carried out and sent. `owes_mail`: whether people are to be told of mail now.
    template <class OwesMail>
    void run(const Queues& queues, OwesMail&& owes_mail, Instant now, CycleReport& report) {
        ContextRef context;
        {
            const std::lock_guard guard{lock_};
            if (in_cycle_ || ended_.empty()) return;
            context = context_;
        }
        const auto size = context.present() ? context.size() : std::nullopt;
        bool clears = false, shadow = false;
        {
            const std::lock_guard guard{lock_};
            if (in_cycle_ || owes_mail()) return;
            for (const auto& [name, ended] : ended_) {
                // The cycle may have been judged on another thread while alerts were sent: later than `now`.
                const Instant at{detail::max_of(now.elapsed, ended.at.elapsed),
                                 detail::max_of(now.wall, ended.at.wall)};
                const CycleEnd end{queues.owed(name, at), untold_.contains(name) || untold_.contains(""), size};
                const ClearDecision decided = decide_clear(ended.settings, end);
                if (decided == ClearDecision::wait) return;
                clears |= decided == ClearDecision::clear;
                shadow |= ended.shadow;
            }
            for (const auto& [name, ended] : ended_) untold_.erase(name);
            untold_.erase("");
            ended_.clear();
        }
        if (clears && context.present()) clear(context, shadow, now, report);
    }

private:
    struct Ended {
        ContextSettings settings;
        bool shadow;
        Instant at;
    };

    void clear(const ContextRef& context, bool shadow, Instant now, CycleReport& report) {
        const auto size = context.size();
        const auto cleared = shadow ? Result<void>{} : context.clear();
        ActionEvent event;
        event.action.kind = ActionKind::clear;
        event.action.outcome = shadow ? ActionOutcome::skipped : cleared ? ActionOutcome::done : ActionOutcome::failed;
        if (shadow) event.action.outcome_from = OutcomeFrom::shadow;
        if (!cleared) event.action.note = text::evidence_text(cleared.error().message);
        const std::lock_guard guard{lock_};
        failed_ = !cleared;
        event.action.attempt = ++tries_;
        const std::string number = std::to_string(clears_.done + clears_.failed);
        event.action.key = text::sha256_hex("heeler clear 1\n" + text::rfc3339(now.wall) + "\n" + number).substr(0, 32);
        if (cleared) tries_ = 0;
        if (!cleared) {
            ++clears_.failed;
            report.error("context", {}, Error{cleared.error().code, event.action.note});
        } else if (!shadow) {
            ++clears_.done;
            clears_.last_size = size;
        }
        report.events.push_back(std::move(event));
        if (cleared && size && !shadow) report.events.push_back(AuditEvent{counters(now)});
    }

    /// Said, not stored: a record for each cycle would fill the store.
    [[nodiscard]] AuditRow counters(Instant now) const {
        text::JsonLine line;
        line.begin_object().key("clears").number(static_cast<std::int64_t>(clears_.done));
        line.key("last_size").number(static_cast<std::int64_t>(*clears_.last_size)).end_object();
        return {now.wall, "context", {}, std::move(line).text()};
    }

    mutable std::mutex lock_;
    ContextRef context_;
    ContextClears clears_;
    NameMap<Ended> ended_;     ///< cycles that are over but for what they owe, by class
    NameMap<bool> untold_;     ///< classes in whose cycle somebody could not be told
    std::uint32_t tries_ = 0;  ///< in a row that failed
    bool in_cycle_ = false;
    bool failed_ = false;  ///< the newest clear
};

}  // namespace heeler::inline HEELER_ABI::detail
