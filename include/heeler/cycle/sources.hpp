// Sources as a cycle knows them: which class has one, and what polls them once there is one to poll.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/time.hpp>
#include <heeler/cycle/whole_classes.hpp>
#include <heeler/run/source_ref.hpp>
#include <heeler/run/watched_run.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The sources of classes of runs. Any thread.
class GroupSources {
public:
    /// All runs of the class are read from this source.
    void watch(const std::string& class_name, GroupSourceRef source) {
        const std::lock_guard guard{lock_};
        if (source.present())
            sources_[class_name] = source;
        else
            sources_.erase(class_name);
    }
    [[nodiscard]] bool watches(const std::string& class_name) const {
        const std::lock_guard guard{lock_};
        return sources_.contains(class_name);
    }
    /// Of the class's source, see `PollRef`.
    [[nodiscard]] Duration checkpoint_every(const std::string& class_name) const {
        const std::lock_guard guard{lock_};
        const auto found = sources_.find(class_name);
        return found == sources_.end() ? Duration{} : found->second.checkpoint_every();
    }
    /// In order of the classes' names.
    [[nodiscard]] std::vector<std::pair<std::string, GroupSourceRef>> all() const {
        std::vector<std::pair<std::string, GroupSourceRef>> all;
        {
            const std::lock_guard guard{lock_};
            for (const auto& [name, source] : sources_) all.emplace_back(name, source);
        }
        detail::sort(all, [](const auto& a, const auto& b) { return a.first < b.first; });
        return all;
    }

    /// How far what a source told lay in the future of this watchdog, at most so far, in microseconds: one thread
    /// writes it.
    mutable std::atomic<std::int64_t> ahead{0};

private:
    mutable std::mutex lock_;
    NameMap<GroupSourceRef> sources_;
};

/// Reads sources, and takes in what they list. Reached through pointers, so that a program that attaches no source
/// compiles nothing of it.
class SourcePolling {
public:
    SourcePolling() = default;
    SourcePolling(const SourcePolling&) = delete;
    SourcePolling& operator=(const SourcePolling&) = delete;
    virtual ~SourcePolling() = default;

    /// See `SourceReader`.
    virtual void read(RunHandle handle, WatchedRun& watched, Instant now, CycleReport& report) = 0;
    virtual void read_groups(const std::vector<RunHandle>& runs, bool all, Instant now, CycleReport& report) = 0;

    /// See `ListedRuns`.
    virtual void refresh(std::vector<RunHandle>& runs, bool all, const WholeClasses& whole, Instant now,
                         CycleReport& report) = 0;
    virtual void drop_missing(Instant now, CycleReport& report) = 0;
    [[nodiscard]] virtual List<AuditRow> take_audit() = 0;
    [[nodiscard]] virtual std::optional<Elapsed> next(Instant now) const = 0;
};

}  // namespace heeler::inline HEELER_ABI::detail
