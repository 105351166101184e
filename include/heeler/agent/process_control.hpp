// The agent control of a child command: inject through stdin, pause, resume, snapshot, terminate, each verified. POSIX.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heeler/agent/directory_snapshot.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/result.hpp>
#include <heeler/posix/child_process.hpp>
#include <heeler/posix/output_file.hpp>
#include <heeler/posix/process_identity.hpp>
#include <heeler/posix/process_strays.hpp>

namespace heeler::inline HEELER_ABI {

/// What one `read_output` found.
struct OutputRead {
    std::size_t bytes = 0;
    bool closed = false;        ///< nothing will ever follow
    std::uint64_t skipped = 0;  ///< bytes of an output file that were not read: it grows too fast
};

/// Controls one command and its descendants. The verbs are what a `Watchdog` calls; each says only what was seen, and
/// a verb on a command that is over answers `ended`. Any thread may call any function but `read_output`, which is for
/// one thread at a time. Destroying it closes input and output and kills nobody: call `terminate` first.
class ProcessControl {
public:
    /// The longest text that `inject` accepts, in bytes.
    static constexpr std::size_t max_inject_bytes = 16384;

    /// Starts `spec.argv`. Errors as of `start_child`.
    [[nodiscard]] static Result<ProcessControl> start(ProcessSpec spec) {
        auto child = start_child(spec);
        if (!child) return tl::unexpected<Error>(std::move(child.error()));
        return ProcessControl(std::move(spec), std::move(*child), true);
    }

    /// Takes over a command that an earlier process started and recorded. It cannot be spoken to, and its output is
    /// read only from `spec.output_file`, from its end. Of `spec`, argv and what prepares a command are not used.
    /// Errors: `ended` if nothing of it is left, `invalid_argument` if it does not lead its own group.
    [[nodiscard]] static Result<ProcessControl> adopt(const ProcessIdentity& identity, ProcessSpec spec = {}) {
        if (identity.pid <= 1 || identity.pgid != identity.pid || identity.start_time == 0)
            return fail(ErrorCode::invalid_argument, "cannot adopt process " + std::to_string(identity.pid) +
                                                         ": it needs a start time and must lead its own group");
        if (family_of(identity).members.empty() && strays_of(identity).empty())
            return fail(ErrorCode::ended, "process " + std::to_string(identity.pid) + " is over");
        ChildProcess child{identity, {}, {}, {}};
        if (!spec.output_file.empty()) {
            if (auto output = detail::open_output(spec.output_file, O_RDONLY)) child.output = std::move(*output);
            ::lseek(child.output.get(), 0, SEEK_END);
        }
        return ProcessControl(std::move(spec), std::move(child), false);
    }

    [[nodiscard]] const ProcessIdentity& identity() const noexcept { return state_->child.identity; }

    /// For poll(): readable when `read_output` has something. Nothing if output goes to a file: read it now and then.
    [[nodiscard]] int poll_fd() const noexcept { return output_in_file() ? -1 : state_->child.output.get(); }

    [[nodiscard]] bool output_in_file() const noexcept { return !state_->spec.output_file.empty(); }

    /// For poll(): readable when `read_errors` has something; negative if they are not apart, or over.
    [[nodiscard]] int errors_fd() const noexcept { return state_->child.errors.get(); }

    /// Whether `inject` has a way to the command.
    [[nodiscard]] bool can_inject() const noexcept { return static_cast<bool>(state_->child.input); }

    /// How far `read_output` may fall behind in an output file, in bytes.
    static constexpr std::uint64_t max_output_behind = std::uint64_t{16} << 20;

    /// Gives what the command has written to `sink(std::string_view)` in raw chunks, at most about `limit` bytes. Never
    /// waits. An output file that holds more than `spec.output_limit` is then emptied, and what it held is put into
    /// FILE.1; of one of which more than `max_output_behind` bytes wait, only the last of them are read. Errors:
    /// `unsupported` if there is no output to read, `io`.
    template <class Sink>
    [[nodiscard]] Result<OutputRead> read_output(Sink&& sink, std::size_t limit = 1 << 20) {
        FileDescriptor& output = state_->child.output;
        if (!output) {
            if (state_->output_closed) return OutputRead{0, true};
            return fail(ErrorCode::unsupported, "the output of an adopted command cannot be read");
        }
        if (output_in_file()) return read_file(sink, limit);
        auto result = read_pipe(output, sink, limit);
        if (result && result->closed) state_->output_closed = true;
        return result;
    }

    /// The same for what the command writes to standard error, if `spec.errors_apart`; else it is closed.
    template <class Sink>
    [[nodiscard]] Result<OutputRead> read_errors(Sink&& sink, std::size_t limit = 1 << 20) {
        if (!state_->child.errors) return OutputRead{0, true};
        return read_pipe(state_->child.errors, sink, limit);
    }

    /// Whether the command itself still runs (its descendants may outlive it: see `prove_stopped`).
    [[nodiscard]] bool alive() {
        const std::lock_guard<std::mutex> lock(state_->mutex);
        return leader_alive();
    }

    /// How the command ended, as a shell says it: its status, or 128 + the signal. Nothing while it runs, or if nobody
    /// can know (an adopted command).
    [[nodiscard]] std::optional<int> exit_status() {
        const std::lock_guard<std::mutex> lock(state_->mutex);
        static_cast<void>(leader_alive());
        return state_->status;
    }

    /// Writes the text and a newline to the command's standard input. Done means that the command can read it, not that
    /// it did. Errors: `rejected` if it has closed its input or does not read it, `timed_out` if it stopped reading in
    /// the middle for 2 s, `unsupported` if it was adopted, or reads something else.
    [[nodiscard]] Result<ActionDone> inject(const ActionRequest& request) {
        if (!alive()) return over();
        if (!can_inject())
            return fail(ErrorCode::unsupported,
                        state_->ours ? "the command reads something else" : "an adopted command cannot be spoken to");
        if (request.text.size() > max_inject_bytes)
            return fail(ErrorCode::invalid_argument, "the text has " + std::to_string(request.text.size()) +
                                                         " bytes; at most " + std::to_string(max_inject_bytes));
        for (const char byte : request.text)
            if ((static_cast<unsigned char>(byte) < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f)
                return fail(ErrorCode::invalid_argument, "the text holds a control character, which a terminal obeys");
        const std::string_view end = request.text.ends_with('\n') ? "" : "\n";
        const std::lock_guard<std::mutex> lock(state_->input_mutex);
        auto written =
            write_within(state_->child.input, std::string(request.text).append(end), std::chrono::seconds(2));
        if (!written) return tl::unexpected<Error>(std::move(written.error()));
        return ActionDone{"written to standard input"};
    }

    /// Stops the whole family with SIGSTOP. `timed_out` if it was signalled but not seen to stop within 2 s.
    [[nodiscard]] Result<ActionDone> pause(const ActionRequest&) {
        return signal_until(SIGSTOP, &detail::held, "stopped");
    }

    /// Lets the whole family go on with SIGCONT. `timed_out` if it was not seen to go on within 2 s.
    [[nodiscard]] Result<ActionDone> resume(const ActionRequest&) {
        return signal_until(SIGCONT, &detail::going, "running");
    }

    /// Copies `snapshot_source`; see `save_directory`. Works on an ended command too: its files are still there.
    [[nodiscard]] Result<ActionDone> snapshot(const ActionRequest& request) {
        return save_directory(state_->spec.snapshot_source, state_->spec.snapshot_destination, request.key);
    }

    /// Ends the family, and the descendants that left its session: SIGTERM (and SIGCONT, for paused ones),
    /// `term_grace`, SIGKILL, `kill_grace`. Done only if nobody of the family was seen afterwards; who had left the
    /// session is named, ended or not. Error: `failed` ("would not stop", and who). Blocks for up to both graces.
    [[nodiscard]] Result<ActionDone> terminate(const ActionRequest&) { return end(true); }

    /// The same, but descendants that left the session are only named: they may be meant to stay.
    [[nodiscard]] Result<ActionDone> terminate_session() { return end(false); }

    /// The living descendants that left the session, of all that were ever seen.
    [[nodiscard]] std::vector<ProcessRow> strays() {
        remember_strays();
        return living_strays();
    }

    /// `stopped` only if the command, its group and session, and all descendants that were ever seen are gone.
    [[nodiscard]] Result<StopProof> prove_stopped(std::string_view) {
        remember_strays();
        if (!gone() || !living_strays().empty()) return StopProof::running;
        return identity().start_time == 0 ? StopProof::unknown : StopProof::stopped;
    }

private:
    struct State {
        ProcessSpec spec;
        ChildProcess child;
        bool ours = false;  ///< a child of this process, so its end can be waited for
        std::mutex mutex;
        std::mutex input_mutex;
        bool over = false;
        std::optional<int> status;
        std::vector<ProcessRow> strays;
        bool output_closed = false;

        ~State() {
            if (!ours) return;
            ::waitpid(child.identity.pid, nullptr, WNOHANG);
            detail::OwnChildren::here().forget(child.identity.pid);
        }
    };

    ProcessControl(ProcessSpec spec, ChildProcess child, bool ours) : state_(std::make_unique<State>()) {
        state_->spec = std::move(spec);
        state_->child = std::move(child);
        state_->ours = ours;
    }

    template <class Sink>
    [[nodiscard]] static Result<OutputRead> read_pipe(FileDescriptor& from, Sink&& sink, std::size_t limit) {
        OutputRead result;
        auto ended = read_some(from, sink, limit, result);
        if (!ended) return tl::unexpected<Error>(std::move(ended.error()));
        result.closed = *ended;
        if (result.closed) from.close();
        return result;
    }

    /// Whether the end was reached: that of a pipe is 0, that of a terminal is EIO.
    template <class Sink>
    [[nodiscard]] static Result<bool> read_some(const FileDescriptor& from, Sink&& sink, std::size_t limit,
                                                OutputRead& result) {
        char chunk[16384];
        while (result.bytes < limit) {
            const ssize_t read = ::read(from.get(), chunk, sizeof chunk);
            if (read > 0) {
                sink(std::string_view(chunk, static_cast<std::size_t>(read)));
                result.bytes += static_cast<std::size_t>(read);
                continue;
            }
            if (read < 0 && errno == EINTR) continue;
            if (read < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
            if (read < 0 && errno != EIO)
                return tl::unexpected<Error>(system_error("cannot read output", errno, ErrorCode::io));
            return true;
        }
        return false;
    }

    /// Its end is only where the command has come to.
    template <class Sink>
    [[nodiscard]] Result<OutputRead> read_file(Sink&& sink, std::size_t limit) {
        const FileDescriptor& output = state_->child.output;
        OutputRead result;
        result.skipped = detail::OutputFile::skip(output, max_output_behind);
        do {
            const auto ended = read_some(output, sink, limit, result);
            if (!ended) return tl::unexpected<Error>(ended.error());
            if (!*ended) break;
        } while (detail::OutputFile::follow(output));
        result.skipped += detail::OutputFile::limit(output, state_->spec.output_file, state_->spec.output_limit);
        return result;
    }

    [[nodiscard]] static tl::unexpected<Error> over() { return fail(ErrorCode::ended, "the command is over"); }

    [[nodiscard]] bool leader_alive() {
        State& state = *state_;
        if (state.over) return false;
        const ProcessIdentity& leader = state.child.identity;
        if (!state.ours) {
            state.over = !identity_alive(leader);
            return !state.over;
        }
        // Left unreaped where /proc can tell the dead: until then its numbers cannot be given to anyone else.
        const int keep = leader.start_time != 0 ? WNOWAIT : 0;
        siginfo_t seen{};
        const int answer = ::waitid(P_PID, static_cast<id_t>(leader.pid), &seen, WEXITED | WNOHANG | keep);
        if (answer == 0 && seen.si_pid == 0) return true;
        state.over = true;
        if (answer == 0) state.status = seen.si_code == CLD_EXITED ? seen.si_status : 128 + seen.si_status;
        return false;
    }

    [[nodiscard]] Result<ActionDone> end(bool with_strays) {
        remember_strays();
        const std::vector<ProcessRow> before = living_strays();
        if (gone() && (!with_strays || before.empty())) return over();
        std::string how = "ended by SIGTERM";
        signal_all(SIGTERM, with_strays);
        signal_all(SIGCONT, with_strays);
        if (!wait_until_gone(state_->spec.term_grace, with_strays, SIGTERM)) {
            how = "ended by SIGKILL";
            const auto deadline = std::chrono::steady_clock::now() + state_->spec.kill_grace;
            do {
                remember_strays();
                signal_all(SIGKILL, with_strays);
            } while (!wait_until_gone(std::min<Duration>(state_->spec.kill_grace, std::chrono::milliseconds(50)),
                                      with_strays, SIGKILL) &&
                     std::chrono::steady_clock::now() < deadline);
            if (!gone())
                return fail(ErrorCode::failed, "would not stop: " + detail::listed_pids(family_of(identity()).members));
        }
        if (exit_status() == 128 + SIGKILL) how = "ended by SIGKILL";  // somebody else's, who was less patient
        const std::vector<ProcessRow> left = living_strays();
        std::vector<ProcessRow> ended;
        for (const ProcessRow& row : before)
            if (!detail::holds(left, row.pid)) ended.push_back(row);
        if (!ended.empty()) how += "; also ended, having left its session: " + detail::listed_pids(ended);
        if (!left.empty()) how += "; still alive, having left its session: " + detail::listed_pids(left);
        return ActionDone{how};
    }

    void signal_all(int signal, bool with_strays) {
        signal_family(signal);
        if (!with_strays) return;
        for (const ProcessRow& row : living_strays()) ::kill(row.pid, signal);
    }

    [[nodiscard]] bool gone() {
        if (alive()) return false;
        if (::kill(-identity().pgid, 0) != 0 && errno == ESRCH) return family_of(identity()).members.empty();
        return identity().start_time != 0 && family_of(identity()).members.empty();
    }

    /// The group at once, then who shares only the session; the other way round to let them go on, so that a shell
    /// never sees a job of its own stopped.
    void signal_family(int signal) {
        std::vector<pid_t> targets;
        bool in_group = identity().start_time == 0;
        for (const ProcessRow& row : family_of(identity()).members) {
            in_group = in_group || row.group == identity().pgid;
            if (row.group != identity().pgid) targets.push_back(row.pid);
        }
        if (in_group) targets.insert(signal == SIGCONT ? targets.end() : targets.begin(), -identity().pgid);
        for (const pid_t target : targets) ::kill(target, signal);
    }

    template <class Reached>
    [[nodiscard]] Result<ActionDone> signal_until(int signal, Reached reached, std::string_view state) {
        if (gone()) return over();
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
        while (true) {
            signal_family(signal);
            const std::vector<ProcessRow> members = family_of(identity()).members;
            std::vector<ProcessRow> others;
            for (const ProcessRow& row : members)
                if (!reached(row, members)) others.push_back(row);
            if (!members.empty() && others.empty())
                return ActionDone{std::string(state) + ": " + std::to_string(members.size()) + " processes"};
            if (gone()) return over();
            if (std::chrono::steady_clock::now() >= deadline)
                return fail(ErrorCode::timed_out,
                            "not seen " + std::string(state) + " within 2 s: " + detail::listed_pids(others));
            ::poll(nullptr, 0, 2);
        }
    }

    /// What strays started before they ended gets the same signal.
    [[nodiscard]] bool wait_until_gone(Duration length, bool with_strays, int signal) {
        const auto deadline = std::chrono::steady_clock::now() + length;
        for (;;) {
            if (gone() && (!with_strays || living_strays().empty())) {
                const std::vector<ProcessRow> more = with_strays ? remember_strays() : std::vector<ProcessRow>{};
                if (more.empty()) return true;
                for (const ProcessRow& row : more) ::kill(row.pid, signal);
            }
            if (std::chrono::steady_clock::now() >= deadline) return false;
            ::poll(nullptr, 0, 10);
        }
    }

    /// Answers those that were not known before.
    std::vector<ProcessRow> remember_strays() {
        const std::vector<ProcessRow> seen = strays_of(identity(), state_->spec.owns_orphans);
        std::vector<ProcessRow> more;
        const std::lock_guard<std::mutex> lock(state_->mutex);
        for (const ProcessRow& row : seen)
            if (!detail::holds(state_->strays, row.pid)) more.push_back(row);
        state_->strays.insert(state_->strays.end(), more.begin(), more.end());
        return more;
    }

    [[nodiscard]] std::vector<ProcessRow> living_strays() {
        const std::lock_guard<std::mutex> lock(state_->mutex);
        std::vector<ProcessRow> living;
        for (const ProcessRow& row : state_->strays)
            if (identity_alive({row.pid, row.group, row.start_time})) living.push_back(row);
        return living;
    }

    std::unique_ptr<State> state_;
};

}  // namespace heeler::inline HEELER_ABI
