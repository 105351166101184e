// How runs ended, in a file beside the store until the store has it: the store may be busy, full or gone just then.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/posix/regular_file.hpp>

namespace supervise {

struct EndNote {
    std::string run;
    heeler::RunState state = heeler::RunState::failed;
    std::optional<int> status;  ///< of the command, as a shell says it; nothing if nobody can know
    std::string at;             ///< RFC 3339

    /// "completed, status 0, at 2026-01-02T03:04:05Z".
    [[nodiscard]] std::string text() const;
    /// As the host tells it: what the watchdog itself ended has failed.
    [[nodiscard]] heeler::RunEnd end() const { return heeler::run_end_of(state).value_or(heeler::RunEnd::failed); }
};

/// One line per end that is not in the store yet. One thread at a time.
class EndNotes {
public:
    /// Reads what is there; a line that makes no sense is left out.
    explicit EndNotes(heeler::FilePlace place);

    /// In place of what was noted of the run before. Durable when it returns.
    [[nodiscard]] heeler::Result<void> put(EndNote note);

    /// The store has it. A note that is left is found to be recorded at the next start.
    void forget(const std::string& run);

    [[nodiscard]] const EndNote* of(const std::string& run) const;
    [[nodiscard]] const std::vector<EndNote>& all() const noexcept { return notes_; }

private:
    [[nodiscard]] heeler::Result<void> write() const;

    heeler::FilePlace place_;
    std::vector<EndNote> notes_;
};

}  // namespace supervise
