#include "find_run.hpp"

#include <cstddef>
#include <optional>
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

[[nodiscard]] bool is_known(Store& store, const std::string& id) {
    const auto known = store.history(id);
    return known && (known->row || !known->damage.empty());
}

}  // namespace

std::string id_of(std::span<Store> stores, const std::string& id_or_name) {
    for (Store& store : stores)
        if (is_known(store, id_or_name)) return id_or_name;
    const auto rank = [](const heeler::RunRow& row) { return std::pair{!is_terminal(row.state), row.created_at}; };
    std::optional<heeler::RunRow> found;
    std::size_t under_way = 0;
    for (Store& store : stores) {
        const auto rows = store.runs();
        if (!rows) continue;
        for (const heeler::RunRow& row : rows->rows) {
            if (row.name != id_or_name) continue;
            under_way += is_terminal(row.state) ? 0 : 1;
            if (!found || rank(row) > rank(*found)) found = row;
        }
    }
    return found && under_way <= 1 ? found->id : id_or_name;
}

std::variant<heeler::History, Quit> find_run(Store& store, const std::string& id) {
    auto known = store.history(id);
    if (!known) return store_failed(known.error());
    if (!known->row && !known->damage.empty()) return Quit{exit_store, "run " + quoted(id) + ": " + known->damage};
    if (!known->row) return unknown({&store, 1}, id);
    return *std::move(known);
}

std::variant<Store, Quit> store_of(std::span<Store> stores, const std::string& id) {
    for (Store& store : stores) {
        if (stores.size() == 1)
            if (const auto known = store.history(id); !known) return store_failed(known.error());
        if (is_known(store, id)) return store;
    }
    return unknown(stores, id);
}

}  // namespace ctl
