#include "holders.hpp"

#include <string>
#include <vector>

#include <heeler/text/duration.hpp>
#include <heeler/text/table.hpp>

#include "print.hpp"

namespace ctl {

namespace {

using heeler::HolderRow;

std::string lease_text(const HolderRow& row) {
    return row.live ? "live, " + heeler::text::spoken(row.left) + " left"
                    : "over for " + heeler::text::spoken(-row.left);
}

void print_json(const HolderRow& row) {
    heeler::text::JsonLine line;
    line.begin_object().key("type").string("holder").key("holder").string(row.name).key("epoch").number(row.epoch);
    line.key("live").boolean(row.live).key("left_s").number(heeler::in_seconds(row.left));
    line.key("runs").number(row.runs).end_object();
    print(line);
}

}  // namespace

Quit show_holders(const Options& options, Store& store) {
    const auto holders = store.holders();
    if (!holders) return store_failed(holders.error());
    std::vector<heeler::text::TableRow> rows;
    for (const HolderRow& row : *holders) {
        if (row.name == heeler::unnamed_holder) continue;
        if (options.json) print_json(row);
        rows.push_back({row.name, std::to_string(row.epoch), lease_text(row), std::to_string(row.runs)});
    }
    if (options.json) return {};
    if (rows.empty())
        print("No watchdog has a name here: at most one works on the store.\n");
    else
        print(heeler::text::to_table({"Watchdog", "Epoch", "Lease", "Runs"}, rows));
    return {};
}

}  // namespace ctl
