#include "door.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <heeler/clock/system_clock.hpp>

#include "../common/own_socket.hpp"

namespace tracker {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_waiting = 512;      ///< when one more comes, the oldest is let go
constexpr heeler::Duration longest_wait = 5s;  ///< for all of a request
constexpr int look_again = 200;                ///< ms
constexpr std::size_t longest_head = 16 * 1024;
constexpr std::size_t longest_request = 320 * 1024;  ///< the server has words for bodies that are a bit too long
constexpr std::size_t passing_at_once = 16;

heeler::Elapsed now() { return heeler::SystemClock{}.now().elapsed; }

/// How many bytes the request has that begins so; absent: that is not known yet.
std::optional<std::size_t> length_of(std::string_view begin) {
    const std::size_t end = begin.find("\r\n\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    std::string head{begin.substr(0, end + 2)};
    std::transform(head.begin(), head.end(), head.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::string_view field = "\r\ncontent-length:";
    std::size_t body = 0;
    if (const std::size_t at = head.find(field); at != std::string::npos) {
        const char* first = head.data() + at + field.size();
        while (*first == ' ' || *first == '\t') ++first;
        std::from_chars(first, head.data() + head.size(), body);
    }
    return end + 4 + std::min(body, longest_request + 1);
}

bool send_all(int socket, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

/// It is let go; without waiting for it, so that the sentence may be lost.
void refuse(const heeler::FileDescriptor& client, const std::string& status) {
    static_cast<void>(
        send_all(client.get(), "HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"));
}

/// From here on its calls wait, for so long.
void wait_at_most(const heeler::FileDescriptor& socket, int seconds) {
    ::fcntl(socket.get(), F_SETFL, ::fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
    const timeval patience{seconds, 0};
    for (const int which : {SO_SNDTIMEO, SO_RCVTIMEO})
        ::setsockopt(socket.get(), SOL_SOCKET, which, &patience, sizeof patience);
}

}  // namespace

Door::Door(int port) {
    listening_ = heeler::FileDescriptor{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    const int yes = 1;  // but not one that is about to be closed
    ::setsockopt(listening_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    socklen_t size = sizeof address;
    auto* const place = reinterpret_cast<sockaddr*>(&address);
    auto stop = heeler::make_pipe();
    if (!stop || ::bind(listening_.get(), place, size) != 0 || ::listen(listening_.get(), SOMAXCONN) != 0 ||
        ::getsockname(listening_.get(), place, &size) != 0)
        throw std::runtime_error{"the port cannot be had"};
    stop_ = std::move(*stop);
    port_ = ntohs(address.sin_port);
}

void Door::open(std::string server) {
    server_ = std::move(server);
    threads_.emplace_back([this] { receive(); });
    for (std::size_t i = 0; i < passing_at_once; ++i) threads_.emplace_back([this] { pass_on(); });
}

void Door::close() {
    stop_.writer.close();
    {
        const std::lock_guard guard{lock_};
        ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : std::exchange(threads_, {})) thread.join();
}

void Door::receive() {
    for (;;) {
        std::vector<pollfd> all{{stop_.reader.get(), POLLIN, 0}, {listening_.get(), POLLIN, 0}};
        for (const Client& client : waiting_) all.push_back({client.socket.get(), POLLIN, 0});
        if (::poll(all.data(), all.size(), waiting_.empty() ? -1 : look_again) < 0 && errno != EINTR) return;
        if (all[0].revents != 0) return;
        std::deque<Client> still;
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            Client& client = waiting_[i];
            if (all[i + 2].revents != 0 && !hear(client)) continue;
            if (now() - client.since < longest_wait)
                still.push_back(std::move(client));
            else
                refuse(client.socket, "408 Request Timeout");
        }
        waiting_ = std::move(still);
        if (all[1].revents != 0) take_in();
    }
}

void Door::take_in() {
    for (;;) {
        heeler::FileDescriptor socket{::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
        const bool no_room = !socket && (errno == EMFILE || errno == ENFILE) && !waiting_.empty();
        if (!socket && !no_room) return;
        if (no_room || waiting_.size() >= most_waiting) waiting_.pop_front();
        if (socket) waiting_.push_back({std::move(socket), now()});
    }
}

bool Door::hear(Client& client) {
    std::array<char, std::size_t{1} << 14> part{};
    const ssize_t count = ::recv(client.socket.get(), part.data(), part.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (count <= 0) return false;
    client.request.append(part.data(), static_cast<std::size_t>(count));
    const auto length = length_of(client.request);
    if (length.value_or(0) > longest_request || (!length && client.request.size() > longest_head)) {
        refuse(client.socket, "413 Content Too Large");
        return false;
    }
    if (!length || client.request.size() < *length) return true;
    client.request.resize(*length);
    {
        const std::lock_guard guard{lock_};
        whole_.push_back(std::move(client));
    }
    changed_.notify_one();
    return false;
}

void Door::pass_on() {
    for (;;) {
        std::unique_lock lock{lock_};
        changed_.wait(lock, [this] { return ending_ || !whole_.empty(); });
        if (whole_.empty()) return;
        const Client client = std::move(whole_.front());
        whole_.pop_front();
        lock.unlock();
        pass_on(client);
    }
}

void Door::pass_on(const Client& client) const {
    const heeler::FileDescriptor server{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const auto address = common::socket_address(server_);
    if (!address || !common::reaches(server, *address)) return;
    wait_at_most(server, 60);
    wait_at_most(client.socket, 2);
    const int yes = 1;
    ::setsockopt(client.socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (!send_all(server.get(), client.request)) return;
    std::array<char, std::size_t{1} << 16> part{};
    for (;;) {
        const ssize_t count = ::recv(server.get(), part.data(), part.size(), 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0 || !send_all(client.socket.get(), {part.data(), static_cast<std::size_t>(count)})) return;
    }
}

}  // namespace tracker
