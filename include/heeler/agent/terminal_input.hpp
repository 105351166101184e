// Types a line into a terminal program as a person does: first the text, then, a moment later, Enter. POSIX.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <poll.h>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/posix/file_descriptor.hpp>
#include <heeler/text/one_line.hpp>

namespace heeler::inline HEELER_ABI {

/// Takes keystrokes: a pty, a pane of tmux. `write` takes all bytes or answers an error; after `flush` nothing of them
/// is kept back. Both are bounded in time.
template <class T>
concept TerminalLike = requires(T& terminal, std::string_view bytes) {
    { terminal.write(bytes) } -> std::same_as<Result<void>>;
    { terminal.flush() } -> std::same_as<Result<void>>;
};

/// From the text to Enter. A program that reads single keys takes what comes faster for pasted text, in which Enter is
/// a line break like any other; 100 ms were too few.
inline constexpr Duration submit_delay = std::chrono::milliseconds(200);

/// The longest line that is typed, in bytes. A terminal that edits lines itself holds no more.
inline constexpr std::size_t max_typed_bytes = 4095;

namespace detail {

inline void rest_for(Duration length) {
    const auto end = std::chrono::steady_clock::now() + length;
    while (std::chrono::steady_clock::now() < end) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        ::poll(nullptr, 0, std::max(0, static_cast<int>(left.count())));
    }
}

}  // namespace detail

/// `text` as keystrokes that only write: one line without controls, escape sequences and blanks at its end. Of a longer
/// one than `max_typed_bytes` start and end are kept around a note of what is missing.
[[nodiscard]] inline std::string typed_line(std::string_view text) {
    std::string line = text::one_line(text, max_typed_bytes);
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

/// Types `typed_line(text)`, flushes, waits `submit_delay`, types Enter (CR), flushes. Done means that the terminal has
/// it, not what the program made of it. After an error, or if this process is killed in between, the text may stand in
/// the program's input, not submitted: a terminal that remembers it (`take_back`) has it erased by the next line.
/// Errors: `invalid_argument` if nothing is left to type (Enter alone may approve something), those of the terminal.
template <TerminalLike Terminal>
[[nodiscard]] Result<void> submit_line(Terminal& terminal, std::string_view text) {
    const std::string line = typed_line(text);
    if (line.empty()) return fail(ErrorCode::invalid_argument, "there is no text to type: Enter alone is not pressed");
    Result<void> typed{};
    if constexpr (requires { terminal.take_back(); }) typed = terminal.take_back();
    if (typed) typed = terminal.write(line);
    if (typed) typed = terminal.flush();
    if (!typed) return typed;
    detail::rest_for(submit_delay);
    typed = terminal.write("\r");
    return typed ? terminal.flush() : typed;
}

/// The caller's side of a pty (`openpty`, `forkpty`) as `TerminalLike`. It becomes non-blocking, with every duplicate.
/// One thread at a time.
class PtyTerminal {
public:
    explicit PtyTerminal(FileDescriptor pty) : pty_{std::move(pty)} { set_non_blocking(pty_); }

    /// Errors: `rejected` if the program is gone or reads nothing, `timed_out` if it stopped reading for 2 s.
    [[nodiscard]] Result<void> write(std::string_view bytes) {
        pollfd other{pty_.get(), 0, 0};
        if (::poll(&other, 1, 0) > 0) return fail(ErrorCode::rejected, "the program behind the terminal is gone");
        return write_within(pty_, bytes, std::chrono::seconds(2));
    }

    /// Nothing is kept back here.
    [[nodiscard]] Result<void> flush() { return {}; }

    /// To read what the program shows.
    [[nodiscard]] const FileDescriptor& descriptor() const noexcept { return pty_; }

private:
    FileDescriptor pty_;
};

}  // namespace heeler::inline HEELER_ABI
