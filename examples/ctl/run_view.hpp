// What the stored row of a run says about it now, decoded for people and programs.
#pragma once

#include <optional>
#include <string>

#include <heeler/core/batch.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/run/watched_run.hpp>

namespace ctl {

using Facts = heeler::detail::RunMemory;

/// What a run waits for.
struct Next {
    std::string what;
    std::optional<heeler::WallTime> at;
};

/// One run, as of one moment.
struct RunView {
    heeler::RunRow row;
    Facts facts;
    bool readable = true;  // false: of `facts` nothing is known
    std::optional<heeler::Duration> idle;
    heeler::Duration unwritten{};  // since the row was written
    Next next;
    std::string unobservable;  // nothing can be judged of it: since when, and why; empty: something can
    std::string flapping;      // its incidents come and go: since when; empty: they do not
    std::string poison;        // no fresh agent is started any more: since when; empty: they are
    std::string owner;         // who alone may snooze, continue or dismiss it; empty: anybody
};

/// `interventions`: of the run, oldest first.
[[nodiscard]] RunView view_of(heeler::RunRow row, const heeler::List<heeler::Intervention>& interventions,
                              heeler::Instant now);

/// The status, and beside it whether anything is known of the run now.
[[nodiscard]] std::string status_text(const RunView& view);

/// The open incident in a few words; empty: none.
[[nodiscard]] std::string incident_text(const RunView& view, heeler::Instant now);

/// What its host or an operator set for this run alone; empty: nothing.
[[nodiscard]] std::string limits_text(const RunView& view);

/// What operators said about the run, in a few words.
[[nodiscard]] std::string marks_text(const RunView& view, heeler::Instant now);

[[nodiscard]] std::string next_text(const RunView& view, heeler::Instant now);

/// Conditions that people read alike have names of their own here.
[[nodiscard]] std::string condition_name(const heeler::Condition& condition);

/// "5m 3s ago", "in 2h 0m".
[[nodiscard]] std::string relative(heeler::WallTime when, heeler::Instant now);

}  // namespace ctl
