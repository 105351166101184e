// The descriptors that heeler-supervise was started with: which of them the command gets, and where heeler-supervise
// speaks.
#pragma once

#include <string>

#include <heeler/core/result.hpp>
#include <heeler/posix/child_process.hpp>
#include <heeler/posix/file_descriptor.hpp>

#include "options.hpp"

namespace supervise {

/// What the command reads, and what a person should know about it (mostly nothing).
struct CommandInput {
    heeler::ProcessInput kind = heeler::ProcessInput::none;
    heeler::FileDescriptor given;  ///< if it reads messages: what the first of them are made of
    std::string note;
};

/// First of all: a file that is opened later must not become standard input, output or errors.
void open_closed_streams();

/// Whether the command reads messages as JSON lines, and hears what the watchdog says that way.
[[nodiscard]] bool reads_messages(const Options& options);

/// Whether it shows each message again that it has read.
[[nodiscard]] bool shows_messages(const Options& options);

/// From now on this process reads nothing itself: who writes to a pipe learns that the command has closed it.
[[nodiscard]] CommandInput take_input(const Options& options);

/// Reads, writes and shows nothing any more, so that nobody at the other end waits for this process.
void leave_streams() noexcept;

/// "stderr", "fd:N" or a file, which is appended to. It stays open until the process ends. Error: `invalid_argument`
/// for a descriptor that cannot be written, `failed`.
[[nodiscard]] heeler::Result<int> open_log(const std::string& where);

}  // namespace supervise
