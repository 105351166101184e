// A run class that was checked and made ready: its detectors looked up once, and where each keeps its memory of a run.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <variant>

#include <heeler/core/detector.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/core/shared.hpp>
#include <heeler/detect/loop.hpp>
#include <heeler/settings/contradictions.hpp>
#include <heeler/settings/validate.hpp>
#include <heeler/text/bits.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Loops that operators called wrong for a class, whichever of its versions a run has. Any thread.
class Mutes {
public:
    void add(std::uint64_t identity) {
        if (identity == 0) return;
        const std::lock_guard guard{lock_};
        if (!contains(identity)) identities_.push_back(identity);
        any_.store(true, std::memory_order_release);
    }
    [[nodiscard]] bool has(std::uint64_t identity) const {
        if (identity == 0 || !any_.load(std::memory_order_acquire)) return false;
        const std::lock_guard guard{lock_};
        return contains(identity);
    }

private:
    [[nodiscard]] bool contains(std::uint64_t identity) const noexcept {
        for (const std::uint64_t known : identities_)
            if (known == identity) return true;
        return false;
    }

    mutable std::mutex lock_;
    std::atomic<bool> any_{false};
    List<std::uint64_t> identities_;
};

/// One detector of a class, and where its memory lies in the block that each run has.
struct DetectorSlot {
    const DetectorOps* ops;
    const void* settings;
    std::size_t offset;
};

/// Never changes but for what is atomic; any thread.
class ReadyClass {
public:
    RunClass rules;
    const std::string version;     ///< of what it is set to, for who asks by what a verdict was reached
    const Elapsed defined;         ///< for the first time in this process
    List<DetectorSlot> detectors;  ///< in the order of the class
    /// Of these, by kind of observation, those that listen to it.
    List<DetectorSlot> listeners[std::variant_size_v<decltype(Observation::event)>];
    std::size_t memory_size = 0;  ///< of a run's block
    std::size_t memory_alignment = 1;
    std::uint64_t enough_items = 0;  ///< new items without a finding that prove that a repetition is over
    const Mutes& mutes;
    bool call_prints = false;  ///< one of them reads the fingerprints of calls
    /// What the class's detector of loops goes by; null: it has none.
    const Loop::Settings* loop = nullptr;
    /// Of the grid on which its runs are looked at together: the registration of the oldest, so that a restart keeps
    /// it.
    mutable std::atomic<Elapsed> origin;
    /// How often the class's source has checkpoints written; 0: it does not say.
    mutable std::atomic<Duration> checkpoint_every{Duration{}};
    mutable std::atomic<bool> replaced{false};  ///< runs without an open incident change over to the newer one

    /// What is wrong with the class, in the words of the part that is.
    [[nodiscard]] static Result<void> check(const RunClass& rules) {
        if (auto good = check_class(rules); !good) return good;
        for (const auto& entry : rules.detectors.entries()) {
            if (entry.ops->validate == nullptr) continue;
            if (auto good = entry.ops->validate(entry.settings.get()); !good) return good;
        }
        if (auto good = check_terminate(rules); !good) return good;
        return rules.ladder.validate();
    }

    ReadyClass(RunClass checked, const Mutes& muted, Elapsed since, std::string named = {})
        : rules{std::move(checked)}, version{std::move(named)}, defined{since}, mutes{muted}, origin{since} {
        for (const auto& entry : rules.detectors.entries()) {
            const DetectorOps& ops = *entry.ops;
            detectors.push_back({&ops, entry.settings.get(), 0});
            memory_alignment = detail::max_of(memory_alignment, ops.alignment);
            if (ops.evidence_needed != nullptr)
                enough_items = detail::max_of(enough_items, ops.evidence_needed(detectors.back().settings));
        }
        // The most aligned first: nothing is lost between two.
        for (std::size_t alignment = memory_alignment; alignment > 0; alignment /= 2)
            for (DetectorSlot& slot : detectors)
                if (slot.ops->alignment == alignment)
                    slot.offset = std::exchange(memory_size, memory_size + slot.ops->size);
        for (std::size_t kind = 0; kind < std::size(listeners); ++kind)
            for (const DetectorSlot& slot : detectors)
                if ((slot.ops->listens >> kind & 1u) != 0) listeners[kind].push_back(slot);
        for (const DetectorSlot& slot : listeners[zeros_behind(events<ToolCall>)])
            call_prints = call_prints || (slot.ops->listens & no_call_prints) == 0;
        loop = rules.detectors.find<Loop>();
        blank_ = make_memory();
    }
    /// Whether a detector listens to what is observed as `Event`.
    template <class Event>
    [[nodiscard]] bool listens() const noexcept {
        return !listeners[zeros_behind(events<Event>)].empty();
    }
    /// The next moment after `now` at which all its runs are looked at.
    [[nodiscard]] Elapsed together_after(Elapsed now) const noexcept {
        const Elapsed first = origin.load(std::memory_order_relaxed);
        const Duration period = rules.schedule.period;
        return first + ((now - first) / period + 1) * period;
    }
    ReadyClass(const ReadyClass&) = delete;
    ReadyClass& operator=(const ReadyClass&) = delete;
    ~ReadyClass() { free_memory(blank_); }

    /// A run's block, in which nothing was learned yet; null if no detector keeps anything.
    [[nodiscard]] std::byte* make_memory() const {
        if (memory_size == 0) return nullptr;
        auto* block = static_cast<std::byte*>(::operator new (memory_size, std::align_val_t{memory_alignment}));
        for (const DetectorSlot& slot : detectors) slot.ops->create(block + slot.offset);
        return block;
    }
    void free_memory(std::byte* block) const noexcept {
        if (block == nullptr) return;
        for (const DetectorSlot& slot : detectors) slot.ops->destroy(block + slot.offset);
        ::operator delete (block, std::align_val_t{memory_alignment});
    }
    /// What is read for the runs of which nothing was learned yet: nobody writes to it.
    [[nodiscard]] const std::byte* blank() const noexcept { return blank_; }

private:
    std::byte* blank_ = nullptr;
};

}  // namespace heeler::inline HEELER_ABI::detail
