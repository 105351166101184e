// Runs a short command to its end, without a shell, and gives what it said. POSIX.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <poll.h>

#include <heeler/agent/process_control.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// How a command ended, and what it wrote to its output and errors.
struct CommandEnd {
    int status = 0;  ///< as a shell says it: 128 + the signal
    std::string output{};
};

/// The most output that `run_command` takes, in bytes.
inline constexpr std::size_t max_command_output = std::size_t{1} << 20;

/// Runs `argv`, with nothing to read, and waits for its end, at most `patience`; then it is killed. Errors: as of
/// `start_child`, `timed_out`, `failed` if it writes more than `max_command_output`.
[[nodiscard]] inline Result<CommandEnd> run_command(std::vector<std::string> argv, Duration patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    ProcessSpec spec;
    spec.argv = std::move(argv);
    spec.input = ProcessInput::none;
    spec.term_grace = Duration::zero();
    auto command = ProcessControl::start(spec);
    if (!command) return tl::unexpected<Error>(std::move(command.error()));
    const auto give_up = [&](ErrorCode code, const std::string& why) {
        static_cast<void>(command->terminate({}));
        return fail(code, "\"" + spec.argv.front() + "\" " + why);
    };
    CommandEnd end;
    while (true) {
        const auto read = command->read_output([&](std::string_view chunk) { end.output += chunk; });
        if (!read) return tl::unexpected<Error>(read.error());
        if (end.output.size() > max_command_output)
            return give_up(ErrorCode::failed, "wrote more than " + std::to_string(max_command_output) + " bytes");
        if (read->closed && !command->alive()) break;
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
        if (left <= 0) {
            const auto waited = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
            return give_up(ErrorCode::timed_out, "did not end within " + std::to_string(waited) + " ms");
        }
        pollfd more{command->poll_fd(), POLLIN, 0};
        ::poll(&more, 1, read->closed ? 1 : static_cast<int>(std::min<long>(left, 1000)));
    }
    end.status = command->exit_status().value_or(0);
    return end;
}

}  // namespace heeler::inline HEELER_ABI
