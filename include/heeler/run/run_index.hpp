// Finds the handle of a run by its id: lookups take no lock, wait for nobody and touch one short stretch of memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include <heeler/core/run.hpp>
#include <heeler/text/fingerprint.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// May be called from any thread. Ids are compared by 74-bit fingerprints, seeded anew in each process: that any two of
/// 4,194,304 share one happens once in 2,000 million such sets.
class RunIndex {
public:
    RunIndex() {
        grow();
        // Addresses that the system chose at random, so that nobody can prepare ids that collide.
        seed_ = text::combine(reinterpret_cast<std::uintptr_t>(this), reinterpret_cast<std::uintptr_t>(current()));
    }
    RunIndex(const RunIndex&) = delete;
    RunIndex& operator=(const RunIndex&) = delete;
    ~RunIndex() {
        for (const Table* table = current(); table != nullptr;) delete std::exchange(table, table->before);
    }

    [[nodiscard]] std::optional<RunHandle> find(std::string_view id) const noexcept {
        const Key key = key_of(id);
        std::optional<RunHandle> found;
        for (int tries = 0; tries < 8; ++tries)
            if (try_find(key, found)) return found;
        // Somebody adds and removes all the time: wait in line once.
        const std::lock_guard guard{writing_};
        (void)try_find(key, found);
        return found;
    }

    /// False if the id, or one with the same fingerprint, is there already; nothing is changed then. `handle` is one of
    /// a run: its index is below 4,194,304, its generation not 0.
    [[nodiscard]] bool add(std::string_view id, RunHandle handle) {
        const Key key = key_of(id);
        const std::lock_guard guard{writing_};
        if (slot_of(*current(), key).used()) return false;
        if ((used_ + 1) * 8 > current()->size * 7) grow();
        const Change change{changes_};
        slot_of(*current(), key).set(entry_of(key, handle));
        ++used_;
        return true;
    }

    void remove(std::string_view id) noexcept {
        const Key key = key_of(id);
        const std::lock_guard guard{writing_};
        Table& table = *current();
        Slot* hole = &slot_of(table, key);
        if (!hole->used()) return;
        const Change change{changes_};
        --used_;
        // Entries behind the hole move up, unless they stand nearer to their own place already.
        for (std::size_t at = table.next(table.at(*hole)); table.slots[at].used(); at = table.next(at)) {
            Slot& slot = table.slots[at];
            const Entry entry = slot.entry();
            if (((at - entry.print) & (table.size - 1)) < ((at - table.at(*hole)) & (table.size - 1))) continue;
            hole->set(entry);
            hole = &slot;
        }
        hole->place.store(0, std::memory_order_release);
    }

private:
    static constexpr unsigned index_bits = 22, print_bits = 10;  // of the second word, with 32 of the generation
    static constexpr std::uint64_t print_mask = ((std::uint64_t{1} << print_bits) - 1) << index_bits;

    struct Key {
        std::uint64_t print;
        std::uint64_t more;  ///< more of the fingerprint, at `print_mask`
    };
    /// The second word: generation, more of the fingerprint, index. 0: free.
    struct Entry {
        std::uint64_t print;
        std::uint64_t place;

        [[nodiscard]] bool used() const noexcept { return place != 0; }
        [[nodiscard]] bool has(Key key) const noexcept {
            return print == key.print && (place & print_mask) == key.more;
        }
        [[nodiscard]] RunHandle handle() const noexcept {
            return {static_cast<std::uint32_t>(place & ((1u << index_bits) - 1)),
                    static_cast<std::uint32_t>(place >> 32)};
        }
    };

    /// Stores release and loads acquire, so that a reader who saw any part of a change sees `changes_` moved as well.
    struct Slot {
        std::atomic<std::uint64_t> print{0};
        std::atomic<std::uint64_t> place{0};

        [[nodiscard]] Entry entry() const noexcept {
            return {print.load(std::memory_order_acquire), place.load(std::memory_order_acquire)};
        }
        [[nodiscard]] bool used() const noexcept { return entry().used(); }
        void set(Entry entry) noexcept {
            print.store(entry.print, std::memory_order_release);
            place.store(entry.place, std::memory_order_release);
        }
    };

    /// Open addressing with linear probing; never more than seven eighths full.
    struct Table {
        const std::size_t size;  ///< a power of two
        Slot* const slots;       // owned
        Table* const before;     // owned

        Table(std::size_t wanted, Table* former) : size{wanted}, slots{new Slot[wanted]}, before{former} {}
        Table(const Table&) = delete;
        Table& operator=(const Table&) = delete;
        ~Table() { delete[] slots; }
        [[nodiscard]] std::size_t next(std::size_t at) const noexcept { return (at + 1) & (size - 1); }
        [[nodiscard]] std::size_t at(const Slot& slot) const noexcept {
            return static_cast<std::size_t>(&slot - slots);
        }
    };

    /// While it lives, readers look again.
    class Change {
    public:
        explicit Change(std::atomic<std::uint64_t>& count) noexcept : count_{count} { add_one(); }
        ~Change() { add_one(); }
        Change(const Change&) = delete;
        Change& operator=(const Change&) = delete;

    private:
        void add_one() noexcept { count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
        std::atomic<std::uint64_t>& count_;
    };

    [[nodiscard, gnu::flatten]] Key key_of(std::string_view id) const noexcept {
        const XXH128_hash_t hash = XXH3_128bits_withSeed(id.data(), id.size(), seed_);
        return {hash.low64, hash.high64 & print_mask};
    }

    [[nodiscard]] static Entry entry_of(Key key, RunHandle handle) noexcept {
        return {key.print, std::uint64_t{handle.generation} << 32 | key.more | handle.index};
    }

    [[nodiscard]] Table* current() const noexcept { return table_.load(std::memory_order_acquire); }

    /// Where the key is, or the free slot where it would be.
    [[nodiscard]] static Slot& slot_of(const Table& table, Key key) noexcept {
        std::size_t at = key.print & (table.size - 1);
        for (Entry here = table.slots[at].entry(); here.used() && !here.has(key); here = table.slots[at].entry())
            at = table.next(at);
        return table.slots[at];
    }

    /// Looks without a lock; false if a change came in between.
    [[nodiscard]] bool try_find(Key key, std::optional<RunHandle>& found) const noexcept {
        const std::uint64_t before = changes_.load(std::memory_order_acquire);
        if (before % 2 != 0) return false;
        const Entry entry = slot_of(*current(), key).entry();
        if (changes_.load(std::memory_order_relaxed) != before) return false;
        found.reset();
        if (entry.used()) found = entry.handle();
        return true;
    }

    /// Earlier tables stay until the end, since readers may be in them; together they are smaller than the newest.
    void grow() {
        Table* const before = current();
        Table* const bigger = new Table{before == nullptr ? std::size_t{64} : before->size * 2, before};
        for (std::size_t at = 0; before != nullptr && at < before->size; ++at)
            if (const Entry entry = before->slots[at].entry(); entry.used())
                slot_of(*bigger, {entry.print, entry.place & print_mask}).set(entry);
        table_.store(bigger, std::memory_order_release);
    }

    std::atomic<Table*> table_{nullptr};
    std::atomic<std::uint64_t> changes_{0};  ///< odd while a writer is at work
    mutable std::mutex writing_;
    std::size_t used_ = 0;
    std::uint64_t seed_ = 0;
};

}  // namespace heeler::inline HEELER_ABI::detail
