#include "damage.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>

#include "print.hpp"

namespace ctl {

heeler::List<heeler::DamagedRow> damage_of(const heeler::Snapshot& snapshot) {
    heeler::List<heeler::DamagedRow> damaged = snapshot.damaged;
    for (const heeler::StoredRun& run : snapshot.runs)
        if (!run.damage.empty()) damaged.push_back({run.row.id, run.damage});
    return damaged;
}

void sift(heeler::List<heeler::DecisionRow>& open, heeler::List<heeler::DamagedRow>& damaged) {
    for (const heeler::DecisionRow& row : open)
        if (!row.damage.empty()) damaged.push_back({row.run, row.damage});
    const auto is_damaged = [](const heeler::DecisionRow& row) { return !row.damage.empty(); };
    open.erase(std::remove_if(open.begin(), open.end(), is_damaged), open.end());
}

Quit name_damage(const heeler::List<heeler::DamagedRow>& damaged, bool json) {
    for (const heeler::DamagedRow& row : damaged) {
        std::fprintf(stderr, "heeler-ctl: %s: %s; it is left out\n",
                     row.run.empty() ? "no run" : ("run \"" + heeler::text::shown_name(row.run, 160) + '"').c_str(),
                     heeler::text::one_line(row.what, 1024).c_str());
        if (!json) continue;
        heeler::text::JsonLine line;
        line.begin_object().key("type").string("damaged").key("run").string(row.run);
        line.key("what").string(row.what).end_object();
        print(line);
    }
    return {damaged.empty() ? exit_ok : exit_store, {}};
}

}  // namespace ctl
