// What the detectors remember of one run: one block, laid out by the run's class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/archive.hpp>
#include <heeler/core/detector.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/list.hpp>
#include <heeler/settings/ready_class.hpp>
#include <heeler/text/fingerprint.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Findings of one run in one cycle, worst first; of equals the one that was added first. Bounded, never allocates: of
/// too many the least are left out.
class Findings {
public:
    static constexpr std::size_t capacity = 16;

    Findings() noexcept {}  // NOLINT: what is not there is not made
    Findings(const Findings& other) noexcept : count_{other.count_} {
        std::uninitialized_copy(other.begin(), other.end(), all_);
    }
    Findings& operator=(const Findings& other) noexcept {
        if (this == &other) return *this;
        count_ = other.count_;
        std::uninitialized_copy(other.begin(), other.end(), all_);
        return *this;
    }
    ~Findings() = default;

    void add(const Finding& finding) noexcept {
        std::size_t place = count_;
        while (place > 0 && outranks(finding.condition, all_[place - 1].condition)) --place;
        if (place == capacity) return;
        if (count_ < capacity) std::construct_at(all_ + count_++);
        for (std::size_t i = count_ - 1; i > place; --i) all_[i] = all_[i - 1];
        all_[place] = finding;
    }
    void drop(const Condition& condition) noexcept {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count_; ++i)
            if (all_[i].condition != condition) all_[kept++] = all_[i];
        count_ = kept;
    }
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] const Finding* begin() const noexcept { return all_; }
    [[nodiscard]] const Finding* end() const noexcept { return all_ + count_; }

private:
    static_assert(std::is_trivially_copyable_v<Finding>);

    union {
        Finding all_[capacity];  ///< `count_` of them
    };
    std::size_t count_ = 0;
};

/// A detector in a set of them. Two may share a bit.
[[nodiscard]] inline std::uint32_t kind_bit(std::string_view detector) noexcept {
    return 1u << (text::fingerprint_text(detector) % 32);
}

/// Keeps its class. Takes no memory before something is learned. Saved by kind, so that a class which gains,
/// loses or reorders detectors keeps the rest.
class DetectorMemory {
public:
    DetectorMemory() = default;
    explicit DetectorMemory(Shared<const ReadyClass> of) : of_{std::move(of)} {}
    DetectorMemory(DetectorMemory&& other) noexcept
        : of_{std::move(other.of_)}, block_{std::exchange(other.block_, nullptr)} {}
    DetectorMemory& operator=(DetectorMemory&& other) noexcept {
        if (this == &other) return *this;
        clear();
        of_ = std::move(other.of_);
        block_ = std::exchange(other.block_, nullptr);
        return *this;
    }
    ~DetectorMemory() { clear(); }

    /// Null before it has one.
    [[nodiscard]] const Shared<const ReadyClass>& of_class() const noexcept { return of_; }

    void learn(const Observation& seen) {
        const auto& listeners = of_->listeners[seen.event.index()];
        if (listeners.empty()) return;
        if (block_ == nullptr) block_ = of_->make_memory();
        for (const DetectorSlot& slot : listeners) slot.ops->learn(block_ + slot.offset, slot.settings, seen);
    }

    /// What is looked at before each judgement. Of several sightings in one cycle the first counts.
    [[nodiscard]] std::optional<Sighting> poll(const Run& run, const LastCheckpoint& checkpoint, Instant now) {
        std::optional<Sighting> first;
        for (const DetectorSlot& slot : of_->detectors) {
            if (slot.ops->poll == nullptr) continue;
            auto seen = slot.ops->poll(edit(slot), slot.settings, run, checkpoint, now);
            if (!first) first = seen;
        }
        return first;
    }

    /// Of a run that waits only those detectors are asked that judge waits, too.
    template <class Take>
    void check(const Run& run, Instant now, Take&& take) const {
        std::optional<Finding> found;
        for (const DetectorSlot& slot : of_->detectors) {
            if (run.waiting_since && !slot.ops->while_waiting) continue;
            slot.ops->check(at(slot), slot.settings, run, now, found);
            if (found) take(*found);
        }
    }

    /// What an alert shows of a finding besides; what a host's detector throws leaves nothing.
    [[nodiscard]] List<Detail> details(const Run& run, const Finding& finding) const {
        List<Detail> shown;
        for (const DetectorSlot& slot : of_->detectors)
            if (slot.ops->kind == finding.kind && slot.ops->details != nullptr)
                static_cast<void>(
                    detail::survives([&] { shown = slot.ops->details(at(slot), slot.settings, run, finding); }));
        return shown;
    }

    /// How an action of this kind is asked for, where a detector says so.
    [[nodiscard]] std::optional<Order> compose_action(const Run& run, ActionKind kind) const {
        std::optional<Order> order;
        for (const DetectorSlot& slot : of_->detectors)
            if (slot.ops->compose_action != nullptr && !order)
                static_cast<void>(
                    detail::survives([&] { order = slot.ops->compose_action(at(slot), slot.settings, run, kind); }));
        return order;
    }

    /// What goes on record of an action that was carried out.
    [[nodiscard]] std::vector<Record> records(const Run& run, const Action& action) const {
        std::vector<Record> records;
        for (const DetectorSlot& slot : of_->detectors)
            if (slot.ops->record_action != nullptr)
                static_cast<void>(detail::survives([&] {
                    auto record = slot.ops->record_action(at(slot), slot.settings, run, action.kind, action.outcome);
                    if (record) records.push_back(*std::move(record));
                }));
        return records;
    }

    /// The run repeats itself: by the condition, or because its detector says how much proves that it is over.
    [[nodiscard]] bool is_repetition(const Finding& finding) const noexcept {
        if (finding.condition == Condition::loop_detected || finding.condition == Condition::error_cascade) return true;
        for (const DetectorSlot& slot : of_->detectors)
            if (slot.ops->kind == finding.kind) return slot.ops->evidence_needed != nullptr;
        return false;
    }

    /// The detector of this kind starts over when it is told to (`Watermark`).
    [[nodiscard]] bool begins_anew(std::string_view kind) const noexcept {
        for (const DetectorSlot& slot : of_->detectors)
            if (slot.ops->kind == kind && (slot.ops->listens & events<Watermark>) != 0) return true;
        return false;
    }

    /// Each of the detectors `kinds` has had so many new items that it would have found the same again. One that does
    /// not count goes by `items`, one that says no number by the highest of its class.
    [[nodiscard]] bool had_enough(std::uint32_t kinds, std::uint64_t items) const {
        bool any = false;
        for (const DetectorSlot& slot : of_->detectors) {
            const DetectorOps& ops = *slot.ops;
            if ((kinds & kind_bit(ops.kind)) == 0) continue;
            const std::uint64_t needed =
                ops.evidence_needed != nullptr ? ops.evidence_needed(slot.settings) : of_->enough_items;
            const std::uint64_t had = ops.new_items != nullptr ? ops.new_items(at(slot), slot.settings) : items;
            if (needed == 0 || had < needed) return false;
            any = true;
        }
        return any;
    }

    /// How many new items one of the detectors `kinds` has had that all go on with what it had found; absent: something
    /// else came, as far as any of them can tell.
    [[nodiscard]] std::optional<std::uint64_t> more_of_same(std::uint32_t kinds, std::uint64_t identity) const {
        std::optional<std::uint64_t> most;
        for (const DetectorSlot& slot : of_->detectors) {
            if ((kinds & kind_bit(slot.ops->kind)) == 0 || slot.ops->more_of_same == nullptr) continue;
            const auto same = slot.ops->more_of_same(at(slot), slot.settings, identity);
            if (same && (!most || *same > *most)) most = same;
        }
        return most;
    }

    /// What the detector of this kind remembers, as it is saved; absent if the class has none, or it learned nothing.
    [[nodiscard]] std::optional<std::string> saved(std::string_view kind, Instant now) const {
        for (const DetectorSlot& slot : of_->detectors)
            if (slot.ops->kind == kind && block_ != nullptr) {
                ArchiveWriter part{now};
                slot.ops->archive(block_ + slot.offset, part);
                return part.take();
            }
        return std::nullopt;
    }

    /// The earliest working time, not before `since`, at which silence alone can change a verdict.
    [[nodiscard]] std::optional<Duration> due(const Run& run, Duration since) const {
        std::optional<Duration> earliest;
        for (const DetectorSlot& slot : of_->detectors) {
            if (slot.ops->due == nullptr) continue;
            const auto moment = slot.ops->due(at(slot), slot.settings, run, since);
            if (moment && *moment >= since && (!earliest || *moment < *earliest)) earliest = moment;
        }
        return earliest;
    }

    /// When, after `since`, a run that waits is to be looked at all the same.
    [[nodiscard]] std::optional<Elapsed> due_waiting(const Run& run, Elapsed since) const {
        std::optional<Elapsed> earliest;
        for (const DetectorSlot& slot : of_->detectors) {
            if (slot.ops->due_waiting == nullptr) continue;
            const auto moment = slot.ops->due_waiting(at(slot), slot.settings, run, since);
            if (moment && *moment > since && (!earliest || *moment < *earliest)) earliest = moment;
        }
        return earliest;
    }

    /// Each part with its kind, its layout and its length; none if nothing was learned.
    void save(ArchiveWriter& to, Instant now) const {
        auto count = static_cast<std::uint32_t>(block_ == nullptr ? 0 : of_->detectors.size());
        to(count);
        for (std::size_t i = 0; i < count; ++i) {
            const DetectorSlot& slot = of_->detectors[i];
            ArchiveWriter part{now};
            slot.ops->archive(block_ + slot.offset, part);
            std::string_view kind = slot.ops->kind, bytes = part.bytes();
            std::uint32_t layout = slot.ops->layout;
            to(kind, layout, bytes);
        }
    }

    /// Takes up what was saved of the detectors that the class has, in whichever order; the others begin anew.
    void load(ArchiveReader& from, Instant now) {
        std::uint32_t count = 0;
        from(count);
        for (std::uint32_t i = 0; i < count && from.ok(); ++i) {
            std::string kind, bytes;
            std::uint32_t layout = 0;
            from(kind, layout, bytes);
            if (!from.ok() || !of_) return;
            for (const DetectorSlot& slot : of_->detectors)
                if (slot.ops->kind == kind) load_part(slot, layout, bytes, now);
        }
    }

private:
    void clear() noexcept {
        if (of_) of_->free_memory(std::exchange(block_, nullptr));
    }

    [[nodiscard]] const void* at(const DetectorSlot& slot) const noexcept {
        return (block_ != nullptr ? block_ : of_->blank()) + slot.offset;
    }
    [[nodiscard]] void* edit(const DetectorSlot& slot) {
        if (block_ == nullptr) block_ = of_->make_memory();
        return block_ + slot.offset;
    }

    void load_part(const DetectorSlot& slot, std::uint32_t layout, const std::string& bytes, Instant now) {
        if (layout != slot.ops->layout) return;
        ArchiveReader part{bytes, now};
        void* memory = edit(slot);
        slot.ops->archive(memory, part);
        if (part.ok() && part.at_end()) return;
        slot.ops->destroy(memory);
        slot.ops->create(memory);
    }

    Shared<const ReadyClass> of_;
    std::byte* block_ = nullptr;  ///< made when something is learned
};

}  // namespace heeler::inline HEELER_ABI::detail
