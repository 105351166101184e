// What watches put on record outside cycles, durably, and whoever wants to read along.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/engine/engine.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Any thread.
class TreeRecords {
public:
    explicit TreeRecords(Engine& engine) : engine_{engine} {}

    void tell(std::function<void(const AuditRow&)> reader) { reader_ = std::move(reader); }

    [[nodiscard]] Result<void> note(RunHandle run, const std::string& watch, const Reading* reading,
                                    std::vector<Record> records) {
        const WallTime now = engine_.wall_time();
        auto stored = engine_.note(run, reading, records);
        if (stored && reader_)
            for (Record& record : records) reader_({now, std::move(record.kind), watch, std::move(record.body)});
        return stored;
    }

private:
    Engine& engine_;
    std::function<void(const AuditRow&)> reader_;
};

}  // namespace heeler::inline HEELER_ABI::detail
