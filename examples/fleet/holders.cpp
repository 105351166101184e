#include "holders.hpp"

#include <algorithm>
#include <cstdlib>

namespace fleet {

namespace {

/// Living runs by who holds them, and when that lease ran out (0: it is live, -1: nobody knows).
constexpr const char* by_holder =
    "SELECT extract(epoch FROM c.now), r.holder, r.epoch, r.runs, CASE WHEN l.name IS NULL THEN -1 "
    "WHEN l.until > extract(epoch FROM c.now) * 1e6 THEN 0 ELSE l.until / 1e6 END "
    "FROM (SELECT holder, epoch, count(*) AS runs FROM runs "
    "WHERE state NOT IN ('completed', 'failed', 'cancelled', 'terminated', 'abandoned') GROUP BY 1, 2) r "
    "LEFT JOIN leases l ON l.name = r.holder AND l.epoch = r.epoch AND l.owner <> '' "
    "CROSS JOIN (SELECT clock_timestamp() AS now) c";

constexpr const char* state_of =
    "SELECT extract(epoch FROM clock_timestamp()), epoch, (SELECT count(*) FROM actions a JOIN runs r ON r.id = a.run "
    "WHERE a.outcome = 'intended' AND r.holder = $1) FROM leases WHERE name = $1";

}  // namespace

Holders::Moment Holders::moment(const std::string& name) {
    const Rows rows = database_.ask(state_of, {name});
    if (rows.empty()) return {now(), {}, 0};
    return {std::atof(rows[0][0].c_str()), rows[0][1], std::atol(rows[0][2].c_str())};
}

bool Holders::look() {
    held_.clear();
    alive_ = 0;
    std::map<Term, Open> still;
    double now = 0;
    for (const auto& row : database_.ask(by_holder)) {
        const Term term{row[1], row[2]};
        const long runs = std::atol(row[3].c_str());
        const double ran_out = std::atof(row[4].c_str());
        now = std::atof(row[0].c_str());
        held_[term.first] += runs;
        alive_ += runs;
        const auto gone = gone_.find(term);
        if (ran_out == 0 && gone == gone_.end()) continue;
        // A lease that was taken away ran out after the last look at the earliest.
        double since = ran_out > 0 ? ran_out : looked_at_ > 0 ? looked_at_ : now;
        if (gone != gone_.end()) since = gone->second;
        still[term] = {since, runs};
        const auto before = open_.find(term);
        if (before == open_.end()) continue;
        still[term] = {std::min(since, before->second.since), std::max(runs, before->second.runs)};
    }
    if (now == 0) now = this->now();
    for (const auto& [term, open] : open_)
        if (still.count(term) == 0) end(term, open, now);
    open_ = std::move(still);
    looked_at_ = now;
    return alive_ > 0;
}

void Holders::close() {
    const double at = now();
    for (const auto& [term, open] : open_) end(term, open, at);
    open_.clear();
}

}  // namespace fleet
