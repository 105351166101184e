// Which process is meant, so that a process id that the system gave to somebody else is never signalled (Linux: /proc).
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <sys/types.h>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI {

/// A process and the group that it leads. Store it before the process begins to work; it stays valid until a reboot.
struct ProcessIdentity {
    pid_t pid = 0;
    pid_t pgid = 0;
    std::uint64_t start_time = 0;  ///< clock ticks since boot (field 22 of /proc/PID/stat); 0 = the system does not say
};

/// One line of the process table.
struct ProcessRow {
    pid_t pid = 0;
    pid_t parent = 0;
    pid_t group = 0;
    pid_t session = 0;
    char state = '?';  ///< R S D T t Z X, as the kernel names them
    int threads = 0;
    std::uint64_t start_time = 0;

    /// Over, only not yet waited for. A leader thread that ended before its siblings looks the same but has threads.
    [[nodiscard]] bool dead() const noexcept { return state == 'X' || (state == 'Z' && threads <= 1); }
    [[nodiscard]] bool stopped() const noexcept { return state == 'T' || state == 't'; }
};

/// Reads the content of `/proc/PID/stat`. The command name may hold blanks and brackets.
[[nodiscard]] inline std::optional<ProcessRow> parse_process_stat(std::string_view text) {
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string_view::npos) return std::nullopt;
    const std::string head(text.substr(0, name_end));
    const std::string rest(text.substr(name_end + 1));
    ProcessRow row;
    row.pid = static_cast<pid_t>(std::strtol(head.c_str(), nullptr, 10));
    int parent = 0;
    int group = 0;
    int session = 0;
    unsigned long long start_time = 0;
    const int read =
        std::sscanf(rest.c_str(), " %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d %*d %llu",
                    &row.state, &parent, &group, &session, &row.threads, &start_time);
    if (read != 6) return std::nullopt;
    row.parent = parent;
    row.group = group;
    row.session = session;
    row.start_time = start_time;
    return row;
}

/// What the system says about a process now; nothing if there is none, or no /proc.
[[nodiscard]] inline std::optional<ProcessRow> read_process(pid_t pid) {
    const std::string path = "/proc/" + std::to_string(pid) + "/stat";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
    if (!file) return std::nullopt;
    char text[1024];
    const std::size_t size = std::fread(text, 1, sizeof text, file.get());
    return parse_process_stat({text, size});
}

/// Every process that this one may see. Empty where there is no /proc.
[[nodiscard]] inline std::vector<ProcessRow> process_table() {
    std::vector<ProcessRow> rows;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), &::closedir);
    if (!folder) return rows;
    while (const dirent* const entry = ::readdir(folder.get())) {
        const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
        if (pid <= 0) continue;
        if (const auto row = read_process(pid)) rows.push_back(*row);
    }
    return rows;
}

/// Whether this very process still runs. A process that got the same number later is not it.
[[nodiscard]] inline bool identity_alive(const ProcessIdentity& identity) {
    const auto row = read_process(identity.pid);
    return row && !row->dead() && row->start_time == identity.start_time;
}

/// Who belongs to a process: `members` share its group or session, `strays` descend from it but left both.
struct ProcessFamily {
    std::vector<ProcessRow> members;
    std::vector<ProcessRow> strays;
};

namespace detail {

[[nodiscard]] inline bool holds(const std::vector<ProcessRow>& rows, pid_t pid) {
    for (const ProcessRow& row : rows)
        if (row.pid == pid) return true;
    return false;
}

/// Stopped, or unable to run before its stopped child does: a parent in vfork cannot be stopped any further.
[[nodiscard]] inline bool held(const ProcessRow& row, const std::vector<ProcessRow>& family) {
    if (row.stopped()) return true;
    for (const ProcessRow& other : family)
        if (row.state == 'D' && other.parent == row.pid && other.stopped()) return true;
    return false;
}

[[nodiscard]] inline bool going(const ProcessRow& row, const std::vector<ProcessRow>&) { return !row.stopped(); }

[[nodiscard]] inline std::string listed_pids(const std::vector<ProcessRow>& rows) {
    std::string text = rows.empty() ? "nobody of it can be seen" : "pid";
    for (const ProcessRow& row : rows) text += " " + std::to_string(row.pid);
    return text;
}

}  // namespace detail

/// The living family of `identity`. The system keeps a group's number while it has members, so if the number now leads
/// a process with another start time, nothing of the family is left. `rows`: who asks about the same moment more than
/// once gives one table, as a process that begins between two of them is in the second alone.
[[nodiscard]] inline ProcessFamily family_of(const ProcessIdentity& identity,
                                             const std::vector<ProcessRow>& rows = process_table()) {
    ProcessFamily family;
    for (const ProcessRow& row : rows)
        if (row.pid == identity.pid && row.start_time != identity.start_time) return family;
    std::vector<ProcessRow> known;
    for (const ProcessRow& row : rows) {
        if (row.start_time < identity.start_time) continue;
        if (row.group != identity.pgid && row.session != identity.pid && row.pid != identity.pid) continue;
        known.push_back(row);
        if (!row.dead()) family.members.push_back(row);
    }
    for (std::size_t next = 0; next < known.size(); ++next) {
        for (const ProcessRow& row : rows) {
            if (row.parent != known[next].pid || detail::holds(known, row.pid)) continue;
            known.push_back(row);
            if (!row.dead()) family.strays.push_back(row);
        }
    }
    return family;
}

}  // namespace heeler::inline HEELER_ABI
