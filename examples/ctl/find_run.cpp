#include "find_run.hpp"

#include <span>
#include <utility>
#include <vector>

#include <heeler/text/shown_name.hpp>

#include "../common/nearest.hpp"

namespace ctl {

namespace {

std::string quoted(const std::string& id) { return '"' + heeler::text::shown_name(id, 160) + '"'; }

Quit unknown(std::span<Store> stores, const std::string& id) {
    std::string message = "no run has the id " + quoted(id);
    std::vector<std::string> ids;
    for (Store& store : stores) {
        const auto rows = store.runs();
        if (!rows && stores.size() == 1) return store_failed(rows.error());
        if (!rows) {
            message += " (" + rows.error().message + ")";
            continue;
        }
        for (const heeler::RunRow& row : rows->rows) ids.push_back(row.id);
        for (const heeler::DamagedRow& row : rows->damaged) ids.push_back(row.run);
    }
    if (ids.empty()) return {exit_run, message + ": the store holds no run at all"};
    const auto near = common::nearest(id, ids);
    if (near.empty()) return {exit_run, message + "; `status --all` lists all " + std::to_string(ids.size())};
    message += "; nearest: ";
    for (const std::string& one : near) message += (&one == &near.front() ? "" : ", ") + quoted(one);
    return {exit_run, message};
}

}  // namespace

std::variant<heeler::History, Quit> find_run(Store& store, const std::string& id) {
    auto known = store.history(id);
    if (!known) return store_failed(known.error());
    if (!known->row && !known->damage.empty()) return Quit{exit_store, "run " + quoted(id) + ": " + known->damage};
    if (!known->row) return unknown({&store, 1}, id);
    return *std::move(known);
}

std::variant<Store, Quit> store_of(std::span<Store> stores, const std::string& id) {
    for (Store& store : stores) {
        const auto known = store.history(id);
        if (!known && stores.size() == 1) return store_failed(known.error());
        if (known && (known->row || !known->damage.empty())) return store;
    }
    return unknown(stores, id);
}

}  // namespace ctl
