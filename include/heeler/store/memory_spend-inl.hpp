// How the store in memory adds up what was spent: for who counts it, and nobody else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/list.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/store/memory_store-inl.hpp>

namespace heeler::inline HEELER_ABI {

HEELER_INLINE Result<List<SpendRow>> MemoryStore::spent(std::int64_t day, const std::vector<std::string>& lineages) {
    const std::lock_guard lock{content_->mutex};
    detail::NameMap<bool> asked;
    for (const std::string& lineage : lineages) asked[lineage] = true;
    List<SpendRow> rows, sums;
    detail::NameMap<std::size_t> places;  // of sums
    for (SpendRow& row : content_->spend) {
        const std::string key =
            std::to_string(row.day) + '/' + std::to_string(row.owner.size()) + row.owner + row.lineage;
        const auto known = places.find(key);
        if (known == places.end()) {
            places.emplace(key, sums.size());
            sums.push_back(std::move(row));
            continue;
        }
        SpendRow& sum = sums[known->second];
        sum.tokens += row.tokens;
        sum.micro_usd += row.micro_usd;
        sum.told += row.told;
    }
    content_->spend.swap(sums);
    for (const SpendRow& row : content_->spend)
        if (row.day == day || asked.find(row.lineage) != asked.end()) rows.push_back(row);
    return rows;
}

}  // namespace heeler::inline HEELER_ABI
