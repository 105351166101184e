// The standard input of an agent that reads messages as JSON lines: `claude -p --input-format stream-json`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <heeler/core/result.hpp>
#include <heeler/posix/file_descriptor.hpp>

namespace supervise {

/// What heeler-supervise was given comes first: JSON lines as they are, any other text as one message. Nothing waits.
/// One thread at a time.
class MessageInput {
public:
    /// `given`: where the task is read; none: there is none. Error: `failed`.
    [[nodiscard]] static heeler::Result<MessageInput> open(heeler::FileDescriptor given);

    /// What the agent reads; it is the agent's alone once that was started.
    [[nodiscard]] int reader() const noexcept { return pipe_.reader.get(); }
    void started() noexcept { pipe_.reader.close(); }

    /// For poll(): readable when there is more of what was given, and writable when the agent has room; negative:
    /// neither is of interest. `move` then.
    [[nodiscard]] int given_fd() const noexcept { return pending_.size() < most_given ? given_.get() : -1; }
    [[nodiscard]] int room_fd() const noexcept { return pending_.empty() ? -1 : pipe_.writer.get(); }
    void move();

    void say(std::string_view text);
    /// Whether everything was written that was given or said.
    [[nodiscard]] bool idle() const noexcept { return !given_ && pending_.empty(); }
    /// Nothing follows: the agent ends after its turn.
    void end() noexcept { pipe_.writer.close(); }
    [[nodiscard]] bool ended() const noexcept { return !pipe_.writer; }

private:
    static constexpr std::size_t most_given = std::size_t{16} << 20;

    MessageInput(heeler::FileDescriptor given, heeler::Pipe pipe);
    void read_given();
    void write_pending();

    heeler::FileDescriptor given_;
    heeler::Pipe pipe_;
    std::string held_;     ///< what was given, as far as it is not passed on
    std::string pending_;  ///< whole lines
    bool has_task_ = false;
};

}  // namespace supervise
