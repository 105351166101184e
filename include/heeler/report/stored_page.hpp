// The page of a run from what a store keeps of it: for tools, and for runs that are long over.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/time.hpp>
#include <heeler/report/page_marks.hpp>
#include <heeler/report/run_page.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

/// What happened at one moment stays in its order. Not std::stable_sort: GCC 12's uses what Clang 19 warns of in C++20.
inline void sort_by_time(std::vector<PageMark>& marks) {
    std::multimap<WallTime, PageMark> by_time;
    for (PageMark& mark : marks) {
        const WallTime at = mark.at;
        by_time.emplace(at, std::move(mark));
    }
    marks.clear();
    for (auto& [at, mark] : by_time) marks.push_back(std::move(mark));
}

}  // namespace detail

/// `report`: `Watchdog::report`, or what a tool reads of the store. A store keeps no calls and no messages; a
/// `PageRecorder` does.
[[nodiscard]] inline RunPage stored_page(const Report& report, const History& known, WallTime now) {
    RunPage page;
    page.title = report.name.empty() ? report.run : report.name;
    page.facts = detail::page_facts(report);
    const auto add = [&](PageMark mark) { page.marks.push_back(std::move(mark)); };
    PageCurve curve{report.metric};
    for (const HeartbeatRow& row : report.heartbeats) {
        add({.at = row.at, .lane = PageLane::beat});
        if (row.value) curve.points.push_back({row.at, static_cast<double>(*row.value)});
    }
    for (const CheckpointRow& row : known.checkpoints) add(detail::page_mark(row));
    for (const Intervention& row : known.interventions) {
        for (const Action& action : known.actions)
            if (action.intervention == row.number) add(detail::page_mark(action, row.at));
        add(detail::page_mark(OutcomeEvent{{}, row.incident, row.action, row.outcome}, row.at));
    }
    for (const AlertRow& row : known.alerts) add(detail::page_mark(row, {}, row.created_at));
    for (const AuditRow& row : known.audit)
        if (row.kind != detail::heartbeats_record) add(detail::page_mark(row));
    detail::sort_by_time(page.marks);
    page.end = known.row && known.row->ended_at ? *known.row->ended_at : now;
    page.begin = page.end - report.total;
    if (!page.marks.empty()) {
        page.begin = std::min(page.begin, page.marks.front().at);
        page.end = std::max(page.end, page.marks.back().at);
    }
    if (!curve.points.empty()) page.curves.push_back(std::move(curve));
    return page;
}

}  // namespace heeler::inline HEELER_ABI
