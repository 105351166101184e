// Text on its way to standard output or errors: a thread of its own writes it, for whoever reads it may stand still.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <heeler/core/time.hpp>
#include <heeler/posix/file_descriptor.hpp>

namespace supervise {

/// Never waits for the reader unless it is asked to. Thread-safe.
class Outlet {
public:
    /// From here on there is no room for more output; lines still find some.
    static constexpr std::size_t limit = std::size_t{1} << 20;

    explicit Outlet(int descriptor);
    Outlet(const Outlet&) = delete;
    Outlet& operator=(const Outlet&) = delete;
    /// What was not written by now is not: see `drained`.
    ~Outlet();

    /// How many bytes of output it takes without growing beyond its limit.
    [[nodiscard]] std::size_t room() const;

    /// Bytes that wait to be written.
    [[nodiscard]] std::size_t waiting() const;

    /// Output, which is never left out: ask for `room` first.
    void put(std::string_view output);

    /// Whether some of that waits to be written.
    [[nodiscard]] bool owes() const;

    /// Whether nobody listens any more: what is put here is lost.
    [[nodiscard]] bool closed() const;

    /// A line that is left out, and counted, if too many wait.
    void offer(std::string_view line);

    /// Readable when there may be room again after there was none.
    [[nodiscard]] int room_fd() const noexcept;
    void note_room() noexcept;

    /// Waits until everything is written, or nothing was for `patience`. Whether everything was.
    bool drained(heeler::Duration patience);

private:
    struct State {
        mutable std::mutex mutex;
        std::condition_variable changed;
        std::string pending;
        std::size_t in_hand = 0;  ///< taken out of `pending` and not written yet
        std::size_t left_out = 0;
        std::uint64_t written = 0;
        std::uint64_t owed = 0;  ///< how much must be written until all output is
        bool nobody = false;     ///< nobody listens any more
        bool stopped = false;
        heeler::Pipe room;

        [[nodiscard]] std::size_t waiting() const { return pending.size() + in_hand; }
    };
    static void write_out(const std::shared_ptr<State>& state, int descriptor);

    std::shared_ptr<State> state_;  ///< shared with the thread, which may hang in a write for ever
};

/// A line on standard error of a program that shows nothing else, or no more. Waits 2 s for a reader.
void say_at_once(const std::string& line);

}  // namespace supervise
