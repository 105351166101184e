// What watches put on record outside cycles, durably, and whoever wants to read along.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/callback.hpp>
#include <heeler/engine/engine.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Any thread.
class TreeRecords {
public:
    explicit TreeRecords(Engine& engine) : engine_{engine} {}

    void tell(Callback<void(const AuditRow&)> reader) { reader_ = std::move(reader); }

    [[nodiscard]] Result<void> note(RunHandle run, const std::string& watch, const Reading* reading,
                                    std::vector<Record> records) {
        const WallTime now = engine_.wall_time();
        auto stored = engine_.note(run, reading, records);
        {
            const std::lock_guard guard{lock_};
            stored ? static_cast<void>(waiting_.erase(watch)) : static_cast<void>(waiting_.insert(watch));
        }
        if (stored && reader_)
            for (Record& record : records) reader_({now, std::move(record.kind), watch, std::move(record.body)});
        return stored;
    }

    /// What changed here and could not be stored is stored now, or an error again.
    [[nodiscard]] Result<void> store_rest(RunHandle run, const std::string& watch) {
        {
            const std::lock_guard guard{lock_};
            if (waiting_.count(watch) == 0) return {};
        }
        return note(run, watch, nullptr, {});
    }

private:
    Engine& engine_;
    std::mutex lock_;
    std::set<std::string> waiting_;  ///< watches whose newest change the store did not take
    Callback<void(const AuditRow&)> reader_;
};

}  // namespace heeler::inline HEELER_ABI::detail
