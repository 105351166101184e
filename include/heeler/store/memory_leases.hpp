// The leases of a store in memory: for MemoryStore.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/store/lease_rules.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// `now` is the store's time, whatever it counts from. One thread at a time.
class MemoryLeases {
public:
    [[nodiscard]] Result<Lease> claim(Claimant who, Duration length, Duration now) {
        if (const auto usable = check_lease(who, length); !usable) return tl::unexpected<Error>(usable.error());
        Entry& entry = entry_of(who.holder);
        const bool free = entry.owner.empty() || entry.until <= now;
        if (!free && entry.owner != who.owner)
            return tl::unexpected<Error>(name_is_taken("in memory", who.holder, entry.owner, entry.until - now));
        if (entry.owner != who.owner) ++entry.epoch;
        entry.owner = who.owner;
        entry.until = now + length;
        return Lease{std::string{who.holder}, entry.epoch};
    }

    void release(const Lease& lease, Duration now) {
        for (Entry& entry : entries_) {
            if (entry.name != lease.holder || entry.epoch != lease.epoch || entry.owner.empty()) continue;
            entry.owner.clear();
            entry.until = now;
        }
    }

    /// It is the newest of its holder and was not taken away, though it may have run out.
    [[nodiscard]] bool is_held(std::string_view holder, std::uint64_t epoch) const {
        for (const Entry& entry : entries_)
            if (entry.name == holder) return entry.epoch == epoch && !entry.owner.empty();
        return false;
    }

    /// Takes away every lease that ran out, but not that of `asker`. Answers them as they were, in order of names.
    [[nodiscard]] List<Lease> take_away(std::string_view asker, Duration now) {
        List<Lease> gone;
        for (Entry& entry : entries_) {
            if (entry.owner.empty() || entry.until > now || entry.name == asker || entry.name == unnamed_holder)
                continue;
            gone.push_back({entry.name, entry.epoch++});
            entry.owner.clear();
        }
        return gone;
    }

    /// In order of names, without their runs.
    [[nodiscard]] List<HolderRow> rows(Duration now) const {
        List<HolderRow> all;
        for (const Entry& entry : entries_)
            all.push_back({entry.name, entry.epoch, !entry.owner.empty() && entry.until > now, entry.until - now, 0,
                           entry.owner});
        return all;
    }

private:
    struct Entry {
        std::string name{};
        std::string owner{};  // empty: taken away or given up
        std::uint64_t epoch = 0;
        Duration until{};
    };

    Entry& entry_of(std::string_view holder) {
        auto place = entries_.begin();
        while (place != entries_.end() && place->name < holder) ++place;
        if (place == entries_.end() || place->name != holder) place = entries_.insert(place, {std::string{holder}});
        return *place;
    }

    List<Entry> entries_;  // in order of names
};

}  // namespace heeler::inline HEELER_ABI::detail
