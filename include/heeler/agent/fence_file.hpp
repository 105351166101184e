// The host's side of `check_fence`: a file beside the run, which says which of its workers it belongs to. POSIX.
#pragma once

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>

#include <heeler/core/result.hpp>
#include <heeler/posix/child_process.hpp>
#include <heeler/posix/regular_file.hpp>

namespace heeler::inline HEELER_ABI {

/// One for each run, at a place where it stays as long as a worker of the run may live. Each worker has a generation, a
/// number above that of all before it. Any thread, and any process of this machine and user, may call any function.
class FenceFile {
public:
    /// The largest generation that the shell of every worker can compare.
    static constexpr std::uint64_t max_generation = 999'999'999'999'999'999;

    explicit FenceFile(FilePlace place) : place_(std::move(place)) {}

    /// The generation that the run belongs to; 0 before the first. Errors: `corrupt`, and those of `open_regular`.
    [[nodiscard]] Result<std::uint64_t> owner() const {
        const auto text = read_head(place_, 32);
        if (!text) return tl::unexpected<Error>(text.error());
        if (!*text) return 0;
        std::uint64_t number = 0;
        const char* const end = (*text)->data() + (*text)->size();
        const auto [rest, trouble] = std::from_chars((*text)->data(), end, number);
        if (trouble != std::errc{} || std::string_view(rest, static_cast<std::size_t>(end - rest)) != "\n")
            return fail(ErrorCode::corrupt, "the fence " + detail::shown_path(place_) +
                                                " is damaged: make sure that no worker runs, and remove it");
        return number;
    }

    /// Gives the run to this generation: workers of all before it are fenced as soon as this answers. Call it before
    /// the worker is started, also if the same was asked before. Durable. Errors: `rejected` if the run belongs to a
    /// later one, so that whoever asks was replaced itself; `invalid_argument`; those of `owner`, and `io`.
    [[nodiscard]] Result<void> raise(std::uint64_t generation) {
        if (generation == 0 || generation > max_generation)
            return fail(ErrorCode::invalid_argument, "a generation lies between 1 and " +
                                                         std::to_string(max_generation) + ", not at " +
                                                         std::to_string(generation));
        const auto lock = locked();
        if (!lock) return tl::unexpected<Error>(lock.error());
        const auto before = owner();
        if (!before) return tl::unexpected<Error>(before.error());
        if (*before > generation)
            return fail(ErrorCode::rejected, "the run belongs to generation " + std::to_string(*before) +
                                                 ", which is later than " + std::to_string(generation));
        return replace_file(place_, std::to_string(generation) + "\n", mode);
    }

    /// What a worker of this generation finds in its environment: see `ProcessSpec::environment`.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> environment(std::uint64_t generation) const {
        std::error_code ignored;  // a working directory that is gone: the worker cannot read the fence
        return {{"HEELER_FENCE", std::filesystem::absolute(place_.path(), ignored).string()},
                {"HEELER_GENERATION", std::to_string(generation)}};
    }

private:
    /// Of two that raise it at once, one sees what the other has written.
    [[nodiscard]] Result<FileDescriptor> locked() const {
        auto opened = open_regular({place_.folder, place_.name + ".lock"}, O_RDWR | O_CREAT, mode);
        if (!opened) return tl::unexpected<Error>(std::move(opened.error()));
        if (!*opened) return detail::cannot_open(place_, true, ENOENT);
        FileDescriptor lock = std::move((*opened)->descriptor);
        while (::flock(lock.get(), LOCK_EX) != 0)
            if (errno != EINTR) return detail::cannot_open(place_, true, errno);
        return lock;
    }

    static constexpr mode_t mode = 0600;

    FilePlace place_;
};

}  // namespace heeler::inline HEELER_ABI
