// Descendants of a command that left its session: known by their parents, by a mark in the environment that they
// inherit, and, if the program wants that, as orphans that the system gives to it (Linux).
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include <heeler/core/result.hpp>
#include <heeler/posix/file_descriptor.hpp>
#include <heeler/posix/process_identity.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

/// Every command gets this variable; below a command that starts commands itself it holds several marks.
inline constexpr std::string_view family_variable = "HEELER_FAMILY=";
inline constexpr std::size_t max_mark = 48;

[[nodiscard]] inline std::string family_mark(const ProcessIdentity& identity) {
    return std::to_string(identity.pid) + "." + std::to_string(identity.start_time);
}

/// The marks that a process began with, separated by commas; empty if there are none, or if nobody may know.
[[nodiscard]] inline std::string marks_of(pid_t pid) {
    constexpr std::size_t longest = std::size_t{1} << 20;
    const std::string path = "/proc/" + std::to_string(pid) + "/environ";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
    std::string text(1, '\0');
    char part[16384];
    for (std::size_t size = 1; file && size > 0 && text.size() < longest;) {
        size = std::fread(part, 1, sizeof part, file.get());
        text.append(part, size);
    }
    const std::size_t at = text.find(std::string(1, '\0').append(family_variable));
    if (at == std::string::npos) return {};
    return text.c_str() + at + 1 + family_variable.size();
}

[[nodiscard]] inline bool holds_mark(std::string_view marks, std::string_view mark) {
    while (!marks.empty()) {
        const std::size_t end = std::min(marks.find(','), marks.size());
        if (marks.substr(0, end) == mark) return true;
        marks.remove_prefix(std::min(end + 1, marks.size()));
    }
    return false;
}

/// The children of this process that it started itself: every other one is an orphan that it was given.
class OwnChildren {
public:
    [[nodiscard]] static OwnChildren& here() {
        static OwnChildren one;
        return one;
    }

    /// `start` answers the new process.
    template <class Start>
    [[nodiscard]] pid_t add(Start&& start) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const pid_t pid = start();
        if (adopting_ && pid > 0) pids_.push_back(pid);
        return pid;
    }

    void forget(pid_t pid) {
        const std::lock_guard<std::mutex> lock(mutex_);
        pids_.erase(std::remove(pids_.begin(), pids_.end(), pid), pids_.end());
    }

    /// Who is a child already is no orphan.
    void adopt() {
        const std::lock_guard<std::mutex> lock(mutex_);
        adopting_ = true;
        const pid_t self = ::getpid();
        for (const ProcessRow& row : process_table())
            if (row.parent == self) pids_.push_back(row.pid);
    }

    /// What the process table says now of those that were adopted.
    [[nodiscard]] std::vector<ProcessRow> orphans() {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::vector<ProcessRow> found;
        if (!adopting_) return found;
        const pid_t self = ::getpid();
        for (const ProcessRow& row : process_table())
            if (row.parent == self && std::find(pids_.begin(), pids_.end(), row.pid) == pids_.end())
                found.push_back(row);
        return found;
    }

private:
    std::mutex mutex_;
    std::vector<pid_t> pids_;
    bool adopting_ = false;
};

}  // namespace detail

/// From now on a descendant of this process whose parent ends becomes its child, and can be found and ended with the
/// command that it came from (`ProcessSpec::owns_orphans`). For a program that starts whatever it starts from here on
/// with `start_child`, and calls `reap_orphans` now and then; children from before stay what they are. Error:
/// `unsupported`.
[[nodiscard]] inline Result<void> adopt_orphans() {
#if defined(__linux__)
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return tl::unexpected<Error>(system_error("cannot adopt orphans", errno, ErrorCode::unsupported));
    detail::OwnChildren::here().adopt();
    return {};
#else
    return fail(ErrorCode::unsupported, "this system gives orphans to nobody but its first process");
#endif
}

/// Lets go of adopted orphans that are over. Any thread.
inline void reap_orphans() {
    for (const ProcessRow& row : detail::OwnChildren::here().orphans())
        if (row.dead()) ::waitpid(row.pid, nullptr, WNOHANG);
}

/// The living descendants of a command that left its group and its session. With `orphans`, whatever orphan this
/// process was given since the command began is one.
[[nodiscard]] inline std::vector<ProcessRow> strays_of(const ProcessIdentity& identity, bool orphans = false) {
    const std::vector<ProcessRow> rows = process_table();
    ProcessFamily family = family_of(identity, rows);
    if (identity.start_time == 0) return std::move(family.strays);
    const std::string mark = detail::family_mark(identity);
    std::vector<ProcessRow> found = std::move(family.strays);
    const auto add = [&](const ProcessRow& row) {
        const bool new_one = !row.dead() && row.start_time >= identity.start_time && row.pid != identity.pid &&
                             !detail::holds(found, row.pid) && !detail::holds(family.members, row.pid);
        if (new_one) found.push_back(row);
    };
    if (orphans)
        for (const ProcessRow& row : detail::OwnChildren::here().orphans()) add(row);
    for (const ProcessRow& row : rows)
        if (row.start_time >= identity.start_time && detail::holds_mark(detail::marks_of(row.pid), mark)) add(row);
    for (std::size_t next = 0; next < found.size(); ++next)
        for (const ProcessRow& row : rows)
            if (row.parent == found[next].pid) add(row);
    return found;
}

}  // namespace heeler::inline HEELER_ABI
