#include "connection.hpp"

#include <algorithm>
#include <cerrno>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protocol.hpp"

namespace serve {
namespace {

constexpr std::size_t most_unsent = std::size_t{16} << 20;  ///< a client that lets more wait is given up
constexpr std::size_t most_unread = std::size_t{1} << 20;   ///< and is not heard before it has read this

/// A pipe that is ready for writing takes so much at once.
constexpr std::size_t piece = 4096;

bool is_ready(int descriptor, short events) {
    pollfd one{descriptor, events, 0};
    return ::poll(&one, 1, 0) == 1;
}

}  // namespace

void Connection::put(std::string_view line) {
    {
        const std::lock_guard one{lock_};
        if (over_) return;
        unsent_ += line;
        unsent_ += '\n';
        if (unsent_.size() > most_unsent) over_ = true;
    }
    wake_();
}

bool Connection::is_heard() const {
    const std::lock_guard one{lock_};
    return !over_ && unsent_.size() <= most_unread;
}

bool Connection::owes() const {
    const std::lock_guard one{lock_};
    return !unsent_.empty();
}

bool Connection::can(std::string_view verb) const { return std::find(verbs.begin(), verbs.end(), verb) != verbs.end(); }

void Connection::read(const std::function<void(const Line&)>& obey) {
    std::array<char, std::size_t{1} << 16> part{};
    const ssize_t count = ::read(in_, part.data(), part.size());
    if (count > 0) return cut({part.data(), static_cast<std::size_t>(count)}, obey);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (!line_.empty() || too_long_) obey({{}, too_long_, true});
    over_ = true;
}

void Connection::cut(std::string_view bytes, const std::function<void(const Line&)>& obey) {
    for (;;) {
        const auto end = bytes.find('\n');
        const std::string_view part = bytes.substr(0, end);
        too_long_ = too_long_ || line_.size() + part.size() > longest_line;
        if (too_long_) line_.clear();
        if (end == std::string_view::npos) {
            if (!too_long_) line_ += part;
            return;
        }
        const bool whole = line_.empty() && !too_long_;
        if (!whole && !too_long_) line_ += part;
        obey({whole ? part : std::string_view{line_}, too_long_, false});
        line_.clear();
        too_long_ = false;
        bytes.remove_prefix(end + 1);
    }
}

void Connection::pass_on() {
    const std::lock_guard one{lock_};
    std::size_t sent = 0;
    while (sent < unsent_.size() && is_ready(out_, POLLOUT)) {
        const auto rest = std::string_view{unsent_}.substr(sent);
        ssize_t count = ::send(out_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0 && errno == ENOTSOCK) count = ::write(out_, rest.data(), std::min(rest.size(), piece));
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
        if (count < 0) {
            over_ = true;
            sent = unsent_.size();
        } else {
            sent += static_cast<std::size_t>(count);
        }
    }
    unsent_.erase(0, sent);
}

}  // namespace serve
