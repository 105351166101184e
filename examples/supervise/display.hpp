// What a person sees: the command's output, one line per event, and a live status line where there is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/time.hpp>

#include "outlet.hpp"

namespace supervise {

/// The facts of the status line.
struct StatusView {
    std::string name;
    std::string status = "HEALTHY";
    heeler::Duration running{};
    heeler::Duration quiet{};  ///< since the last output
    std::int64_t lines = 0;
    std::string metric;  ///< empty: output lines
    std::optional<std::int64_t> value;
    heeler::Duration next{};  ///< until the interval ends and the run is judged
    std::string doing;        ///< "paused", "ending the command"; empty: nothing
};

/// "nightly HEALTHY 1h02m, 340 lines, quiet 3s, next check in 12s": at most `width` columns.
[[nodiscard]] std::string status_text(const StatusView& view, std::size_t width);

/// "3s", "2m05s", "1h02m", "2d3h".
[[nodiscard]] std::string short_duration(heeler::Duration length);

/// Writes the command's output to stdout, its errors to stderr, and everything else to `notes`, and waits for the
/// reader of none. One thread at a time.
class Display {
public:
    explicit Display(int notes);
    Display(const Display&) = delete;
    Display& operator=(const Display&) = delete;
    /// Gives whoever reads the notes a moment to read the last ones.
    ~Display();

    /// The command's output, or errors, unchanged. See `room()` of `to`, which is `output()` or `errors()`.
    void pass(std::string_view text, Outlet& to);

    /// One event, on a line of its own.
    void say(std::string_view line);

    /// The status line; without a terminal a plain line when its status changed and once per `every`.
    void show(const StatusView& view, heeler::Duration every);

    void clear();

    /// A text of several lines among the notes.
    void tell(std::string_view text);

    [[nodiscard]] Outlet& output() const noexcept { return *output_; }
    [[nodiscard]] Outlet& errors() const noexcept { return *errors_; }
    /// Whether errors are read elsewhere than output. Else only one stream keeps what came first before the rest.
    [[nodiscard]] bool apart() const noexcept { return output_ != errors_; }

private:
    std::shared_ptr<Outlet> output_;
    std::shared_ptr<Outlet> errors_;  ///< the same one if both go to the same place: what came first is read first
    std::shared_ptr<Outlet> notes_;   ///< likewise
    int terminal_ = -1;               ///< in which the notes are read; negative: none
    bool shown_ = false;
    bool line_open_ = false;  ///< the last line is not finished that the command wrote where the notes are
    std::string last_text_;
    std::string last_status_;
    std::chrono::steady_clock::time_point last_plain_{};
};

}  // namespace supervise
