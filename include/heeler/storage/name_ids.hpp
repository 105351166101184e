// Which ids a name has had that comes and goes: `name`, `name#2`, `name#3`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/storage/ledger.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Nothing is kept here: what is registered and what is stored answers.
class NameIds {
public:
    NameIds(const Registry& registry, Ledger& ledger) : registry_{registry}, ledger_{ledger} {}

    /// `number` from 1.
    [[nodiscard]] static std::string id(const std::string& name, std::uint32_t number) {
        return number <= 1 ? name : name + "#" + std::to_string(number);
    }

    /// The highest number in use; 0 if there is none, nothing if the store cannot be read. The numbers have no gaps:
    /// twice as many questions as it has binary digits will do.
    [[nodiscard]] std::optional<std::uint32_t> last(const std::string& name, Instant now) {
        std::uint32_t used = 0;
        std::uint32_t free = 1;
        for (;; free *= 2) {
            const auto taken = is_used(id(name, free), now);
            if (!taken) return std::nullopt;
            if (!*taken) break;
            used = free;
        }
        while (free - used > 1) {
            const std::uint32_t middle = used + (free - used) / 2;
            const auto taken = is_used(id(name, middle), now);
            if (!taken) return std::nullopt;
            (*taken ? used : free) = middle;
        }
        return used;
    }

private:
    /// A row that cannot be read is one.
    [[nodiscard]] std::optional<bool> is_used(const std::string& id, Instant now) {
        if (registry_.find(id)) return true;
        const auto found = ledger_.history(now, id);
        if (!found && found.error().code != ErrorCode::corrupt) return std::nullopt;
        return !found || found->row.has_value();
    }

    const Registry& registry_;
    Ledger& ledger_;
};

}  // namespace heeler::inline HEELER_ABI::detail
