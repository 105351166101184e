// One client: its lines come in one by one, and what it is told goes out as it takes it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/posix/file_descriptor.hpp>

namespace serve {

/// What came up to an end of line, or up to the end of what a client says.
struct Line {
    std::string_view text{};
    bool too_long = false;  ///< the text is left out
    bool half = false;      ///< the client was gone before its end
};

/// One thread reads and passes on; any thread puts lines.
class Connection {
public:
    /// `out` may be the same socket. `wake` is called when there is something to pass on.
    Connection(int in, int out, std::function<void()> wake) : in_{in}, out_{out}, wake_{std::move(wake)} {}

    /// A line for the client. One that does not take what it is told is given up.
    void put(std::string_view line);

    [[nodiscard]] int in() const noexcept { return in_; }
    [[nodiscard]] int out() const noexcept { return out_; }
    /// A client that leaves much unread is not heard meanwhile.
    [[nodiscard]] bool is_heard() const;
    [[nodiscard]] bool owes() const;
    /// Nothing comes from it, or nothing can be told to it any more.
    [[nodiscard]] bool is_over() const noexcept { return over_; }

    /// Reads what there is, a bounded part of it.
    void read(const std::function<void(const Line&)>& obey);
    void pass_on();

    bool greeted = false;              ///< it has said who it is
    std::vector<std::string> verbs{};  ///< what it can be asked for; set before other threads know of it
    [[nodiscard]] bool can(std::string_view verb) const;

private:
    void cut(std::string_view bytes, const std::function<void(const Line&)>& obey);

    int in_, out_;
    std::function<void()> wake_;
    std::string line_;  ///< not ended yet
    bool too_long_ = false;
    std::atomic<bool> over_{false};
    mutable std::mutex lock_;
    std::string unsent_;
};

}  // namespace serve
