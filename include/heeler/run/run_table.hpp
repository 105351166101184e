// Where runs live in memory: slots in chunks that never move, with beats and deadlines in dense arrays.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include <heeler/core/finding.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Slots for up to 4,194,304 runs. `beat` may be called from any thread without a lock; `add` and `remove` take one.
/// A deadline is when the run must be looked at next; a quiet chunk is passed over by one comparison.
template <class Cell>
class RunTable {
public:
    static constexpr std::uint32_t chunk_runs = 1024;
    static constexpr std::uint32_t most_chunks = 4096;
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    RunTable() = default;
    RunTable(const RunTable&) = delete;
    RunTable& operator=(const RunTable&) = delete;
    ~RunTable() {
        for (auto& chunk : chunks_) delete chunk.load(std::memory_order_relaxed);
    }

    /// A free slot, its cell in the state that `remove` left it in. `fill(cell, handle)` comes before anybody else can
    /// see the handle, which stays good until `remove`. `nullopt` when the table is full.
    template <class Fill>
    [[nodiscard]] std::optional<RunHandle> add(Fill&& fill) {
        const auto index = take_free();
        if (!index) return std::nullopt;
        Chunk& chunk = *chunk_of(*index);
        Beat& beat = chunk.beats[*index % chunk_runs];
        beat.at.store(never, std::memory_order_relaxed);
        beat.over.store(false, std::memory_order_relaxed);
        beat.seq.store(0, std::memory_order_relaxed);
        beat.status.store(Status::healthy, std::memory_order_relaxed);
        const RunHandle handle{*index, beat.generation.load(std::memory_order_relaxed) + 1};  // odd: in use
        fill(cell_of(*index), handle);
        beat.generation.store(handle.generation, std::memory_order_release);
        return handle;
    }

    /// Ends all handles to the slot. Call it under the cell's lock, with the cell emptied. `elsewhere`: the run goes on
    /// with another watchdog, which is known until the slot has been used again.
    void remove(RunHandle handle, bool elsewhere = false) {
        const std::lock_guard guard{lock_};
        if (!current(handle)) return;
        Chunk& chunk = *chunk_of(handle.index);
        if (elsewhere) chunk.elsewhere[handle.index % chunk_runs].store(handle.generation, std::memory_order_relaxed);
        chunk.beats[handle.index % chunk_runs].generation.fetch_add(1, std::memory_order_release);
        chunk.deadlines[handle.index % chunk_runs].store(never, std::memory_order_relaxed);
        free_.push_back(handle.index);
    }

    /// The cell behind a handle; null if the run is over. Lock it, then ask `current` again.
    [[nodiscard]] Cell* find(RunHandle handle) const noexcept {
        if (!current(handle)) return nullptr;
        return &cell_of(handle.index);
    }

    [[nodiscard]] bool current(RunHandle handle) const noexcept {
        if (handle.index / chunk_runs >= chunk_count_.load(std::memory_order_acquire)) return false;
        return handle.generation % 2 == 1 &&
               chunk_of(handle.index)->beats[handle.index % chunk_runs].generation.load(std::memory_order_acquire) ==
                   handle.generation;
    }

    [[nodiscard]] bool is_elsewhere(RunHandle handle) const noexcept {
        if (handle.index / chunk_runs >= chunk_count_.load(std::memory_order_acquire)) return false;
        return handle.generation % 2 == 1 &&
               chunk_of(handle.index)->elsewhere[handle.index % chunk_runs].load(std::memory_order_relaxed) ==
                   handle.generation;
    }

    /// Notes a sign of life. Wait-free; false if the run is over. One of the same number as the last is the same again.
    bool beat(RunHandle handle, Elapsed when, std::uint64_t seq = 0) noexcept {
        if (!current(handle)) return false;
        Beat& beat = chunk_of(handle.index)->beats[handle.index % chunk_runs];
        if (beat.over.load(std::memory_order_relaxed)) return false;
        if (seq != 0) {
            const auto mark = static_cast<std::uint16_t>(1 + seq % 0xFFFF);
            if (beat.seq.load(std::memory_order_relaxed) == mark) return true;
            beat.seq.store(mark, std::memory_order_relaxed);
        }
        beat.at.store(when.time_since_epoch().count(), std::memory_order_relaxed);
        return true;
    }

    /// The run has ended: no more beats, and the next look at it is due. Its slot stays until `remove`.
    void close(RunHandle handle, Elapsed now) noexcept {
        chunk_of(handle.index)->beats[handle.index % chunk_runs].over.store(true, std::memory_order_relaxed);
        sooner(handle.index, now);
    }

    [[nodiscard]] std::optional<Elapsed> last_beat(std::uint32_t index) const noexcept {
        const std::int64_t at = chunk_of(index)->beats[index % chunk_runs].at.load(std::memory_order_relaxed);
        if (at == never) return std::nullopt;
        return Elapsed{Duration{at}};
    }

    /// What people see of the run: written under its lock, read by anybody. Absent if the run is over.
    void show(RunHandle handle, Status status) noexcept {
        chunk_of(handle.index)->beats[handle.index % chunk_runs].status.store(status, std::memory_order_relaxed);
    }
    [[nodiscard]] std::optional<Status> status(RunHandle handle) const noexcept {
        if (!current(handle)) return std::nullopt;
        return chunk_of(handle.index)->beats[handle.index % chunk_runs].status.load(std::memory_order_relaxed);
    }

    /// The run is looked at no later than this. `sooner` only lowers; `look_at` sets.
    void sooner(std::uint32_t index, Elapsed when) noexcept {
        Chunk& chunk = *chunk_of(index);
        lower(chunk.deadlines[index % chunk_runs], when.time_since_epoch().count());
        lower(chunk.earliest, when.time_since_epoch().count());
    }
    void look_at(std::uint32_t index, std::optional<Elapsed> when) noexcept {
        Chunk& chunk = *chunk_of(index);
        const std::int64_t at = when ? when->time_since_epoch().count() : never;
        chunk.deadlines[index % chunk_runs].store(at, std::memory_order_relaxed);
        lower(chunk.earliest, at);
    }

    /// Calls `visit(index, deadline)` for the runs whose deadline is not after `now`. One thread at a time. `looks`:
    /// they are given other deadlines now, and whoever is not looked at then is to be left with `leave_due`; else these
    /// stand.
    template <class Visit>
    void each_due(Elapsed now, Visit&& visit, bool looks = true) {
        const std::int64_t limit = now.time_since_epoch().count();
        const std::uint32_t chunks = chunk_count_.load(std::memory_order_acquire);
        for (std::uint32_t c = 0; c < chunks; ++c) {
            Chunk& chunk = *chunks_[c].load(std::memory_order_relaxed);
            if (chunk.earliest.load(std::memory_order_relaxed) > limit) continue;
            // Raised before the look: whoever lowers a deadline meanwhile is seen by it, or lowers `earliest` after it.
            // That holds in one order of all of these accesses only, so none of them is relaxed.
            if (looks) chunk.earliest.exchange(never);
            std::int64_t earliest = never;
            for (std::uint32_t i = 0, used = chunk.used.load(); i < used; ++i) {
                const std::int64_t at = chunk.deadlines[i].load();
                if (at <= limit)
                    visit(c * chunk_runs + i, at);
                else if (at < earliest)
                    earliest = at;
            }
            lower(chunk.earliest, earliest);
        }
    }

    /// It stays due as long as it is.
    void leave_due(std::uint32_t index) noexcept {
        Chunk& chunk = *chunk_of(index);
        lower(chunk.earliest, chunk.deadlines[index % chunk_runs].load(std::memory_order_relaxed));
    }

    /// The earliest deadline of all runs.
    [[nodiscard]] std::optional<Elapsed> next_deadline() const noexcept {
        std::int64_t earliest = never;
        const std::uint32_t chunks = chunk_count_.load(std::memory_order_acquire);
        for (std::uint32_t c = 0; c < chunks; ++c)
            earliest = detail::min_of(
                earliest, chunks_[c].load(std::memory_order_relaxed)->earliest.load(std::memory_order_relaxed));
        if (earliest == never) return std::nullopt;
        return Elapsed{Duration{earliest}};
    }

    /// The handle of the run in a slot; one that is not current for a free slot.
    [[nodiscard]] RunHandle at(std::uint32_t index) const noexcept {
        return {index, chunk_of(index)->beats[index % chunk_runs].generation.load(std::memory_order_acquire)};
    }

    [[nodiscard]] std::vector<RunHandle> all() const {
        std::vector<RunHandle> live;
        const std::uint32_t slots = chunk_count_.load(std::memory_order_acquire) * chunk_runs;
        for (std::uint32_t i = 0; i < slots; ++i)
            if (const RunHandle handle = at(i); handle.generation % 2 == 1) live.push_back(handle);
        return live;
    }

private:
    static constexpr std::uint32_t block_cells = 16;  ///< fewer than a chunk's: most tables are small

    struct Beat {
        std::atomic<std::int64_t> at{never};
        std::atomic<std::uint32_t> generation{0};
        std::atomic<bool> over{false};  ///< ended, but not removed yet
        std::atomic<Status> status{Status::healthy};
        std::atomic<std::uint16_t> seq{0};  ///< tells the last heartbeat from the next; 0: it had no number
    };
    static_assert(sizeof(Beat) == 16);
    struct Chunk {
        Beat beats[chunk_runs];
        std::atomic<std::int64_t> deadlines[chunk_runs];
        std::atomic<std::uint32_t> elsewhere[chunk_runs]{};  ///< the handle that went to others last
        Cell* cells[chunk_runs / block_cells]{};             ///< owned; made once, used again
        std::atomic<std::int64_t> earliest{never};
        std::atomic<std::uint32_t> used{0};  ///< so many of its slots were ever given away: the first ones

        Chunk() {
            for (auto& deadline : deadlines) deadline.store(never, std::memory_order_relaxed);
        }
        Chunk(const Chunk&) = delete;
        Chunk& operator=(const Chunk&) = delete;
        ~Chunk() {
            for (Cell* const block : cells) delete[] block;
        }
    };

    [[nodiscard]] std::optional<std::uint32_t> take_free() {
        const std::lock_guard guard{lock_};
        if (free_.empty() && !grow()) return std::nullopt;
        const std::uint32_t index = free_.back();
        Cell*& block = chunk_of(index)->cells[index % chunk_runs / block_cells];
        if (block == nullptr) block = new Cell[block_cells];
        free_.pop_back();
        std::atomic<std::uint32_t>& used = chunk_of(index)->used;
        if (used.load(std::memory_order_relaxed) <= index % chunk_runs) used.store(index % chunk_runs + 1);
        return index;
    }

    static void lower(std::atomic<std::int64_t>& value, std::int64_t to) noexcept {
        std::int64_t seen = value.load();
        while (to < seen && !value.compare_exchange_weak(seen, to)) {
        }
    }

    [[nodiscard]] Chunk* chunk_of(std::uint32_t index) const noexcept {
        return chunks_[index / chunk_runs].load(std::memory_order_acquire);
    }

    [[nodiscard]] Cell& cell_of(std::uint32_t index) const noexcept {
        return chunk_of(index)->cells[index % chunk_runs / block_cells][index % block_cells];
    }

    bool grow() {
        const std::uint32_t chunks = chunk_count_.load(std::memory_order_relaxed);
        if (chunks == most_chunks) return false;
        Chunk* const chunk = new Chunk;
        for (Beat& beat : chunk->beats) beat.generation.store(first_generation_, std::memory_order_relaxed);
        chunks_[chunks].store(chunk, std::memory_order_release);
        for (std::uint32_t i = chunk_runs; i > 0; --i) free_.push_back(chunks * chunk_runs + i - 1);
        chunk_count_.store(chunks + 1, std::memory_order_release);
        return true;
    }

    /// Another one for each table of the process, far from the others, so that a handle of another watchdog is stale
    /// here.
    [[nodiscard]] static std::uint32_t next_base() noexcept {
        static std::atomic<std::uint32_t> tables{0};
        return (tables.fetch_add(1, std::memory_order_relaxed) * 0x9E3779B1u) & ~1u;
    }

    const std::uint32_t first_generation_ = next_base();
    mutable std::mutex lock_;
    std::atomic<Chunk*> chunks_[most_chunks]{};  // owned
    std::atomic<std::uint32_t> chunk_count_{0};
    List<std::uint32_t> free_;
};

}  // namespace heeler::inline HEELER_ABI::detail
