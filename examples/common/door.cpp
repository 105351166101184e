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

#include "own_socket.hpp"
#include "token.hpp"

namespace common {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_waiting = 128;      ///< when one more comes, the oldest is let go
constexpr heeler::Duration longest_wait = 5s;  ///< for all of a request
constexpr int look_again = 200;                ///< ms
constexpr std::size_t longest_head = 16 * 1024;
constexpr const char* too_large = "413 Content Too Large";
constexpr const char* unauthorized = "401 Unauthorized\r\nWWW-Authenticate: Bearer";

heeler::Elapsed now() { return heeler::SystemClock{}.now().elapsed; }

std::string in_lower_case(std::string_view text) {
    std::string lower{text};
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

/// Of a head: what the header of this name says; empty: there is none.
std::string_view header(std::string_view head, std::string_view name) {
    for (std::size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
        const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
        if (line.size() <= name.size() || line[name.size()] != ':' ||
            in_lower_case(line.substr(0, name.size())) != name)
            continue;
        const auto begin = line.find_first_not_of(" \t", name.size() + 1);
        return begin == std::string_view::npos ? std::string_view{} : line.substr(begin);
    }
    return {};
}

std::size_t number_in(std::string_view text, int base) {
    std::size_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number, base);
    return number;
}

/// Where the chunk ends that begins there; absent: that is not known yet. The last one, of no bytes, ends with the
/// request.
std::optional<std::size_t> end_of_chunk(std::string_view request, std::size_t begin, std::size_t size) {
    if (size != 0) return request.find("\r\n", begin) + 2 + size + 2;
    const std::size_t end = request.find("\r\n\r\n", begin);
    return end == std::string_view::npos ? std::nullopt : std::optional{end + 4};
}

/// How many bytes the request has that begins so; absent: that is not known yet. `next` is where to look on.
std::optional<std::size_t> length_of(std::string_view request, std::size_t& next, std::size_t longest) {
    const std::size_t end = request.find("\r\n\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view head = request.substr(0, end + 2);
    if (in_lower_case(header(head, "transfer-encoding")) != "chunked")
        return end + 4 + std::min(number_in(header(head, "content-length"), 10), longest);
    next = std::max(next, end + 4);
    while (next < request.size() && request.find("\r\n", next) != std::string_view::npos) {
        const std::size_t size = std::min(number_in(request.substr(next), 16), longest);
        const auto chunk = end_of_chunk(request, next, size);
        if (!chunk || size == 0) return chunk;
        next = *chunk;
    }
    return next > longest ? std::optional{next} : std::nullopt;
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

/// Without waiting for it, so that the sentence may be lost.
void refuse(const heeler::FileDescriptor& client, const std::string& status, const std::string& sentence) {
    const std::string body = "{\"message\":\"" + sentence + "\"}";
    static_cast<void>(send_all(client.get(), "HTTP/1.1 " + status +
                                                 "\r\nConnection: close\r\nContent-Type: application/json\r\n"
                                                 "Content-Length: " +
                                                 std::to_string(body.size()) + "\r\n\r\n" + body));
    ::shutdown(client.get(), SHUT_WR);
}

bool has_gone(const heeler::FileDescriptor& client) {
    char next = 0;
    return ::recv(client.get(), &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/// From here on its calls wait, for so long.
void wait_at_most(const heeler::FileDescriptor& socket, int seconds) {
    ::fcntl(socket.get(), F_SETFL, ::fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
    const timeval patience{seconds, 0};
    for (const int which : {SO_SNDTIMEO, SO_RCVTIMEO})
        ::setsockopt(socket.get(), SOL_SOCKET, which, &patience, sizeof patience);
}

}  // namespace

Door::Door(int port, DoorRules rules) : rules_{std::move(rules)} {
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
    for (std::size_t i = 0; i < rules_.at_once; ++i) threads_.emplace_back([this] { pass_on(); });
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
            else if (!client.refused)
                refuse(client.socket, "408 Request Timeout", "a request has to be there within 5 s");
        }
        waiting_ = std::move(still);
        if (all[1].revents != 0) take_in();
    }
}

void Door::take_in() {
    for (;;) {
        heeler::FileDescriptor socket{::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
        const bool no_room = !socket && (errno == EMFILE || errno == ENFILE) && !waiting_.empty();
        if (!socket && !no_room) {
            if (errno != EAGAIN && errno != EINTR) ::poll(nullptr, 0, look_again);  // it would be heard at once again
            return;
        }
        if (no_room || waiting_.size() >= most_waiting) waiting_.pop_front();
        if (socket) waiting_.push_back({std::move(socket), now()});
    }
}

bool Door::hear(Client& client) {
    std::array<char, std::size_t{1} << 14> part{};
    const ssize_t count = ::recv(client.socket.get(), part.data(), part.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (count <= 0) return false;
    if (client.refused) return true;
    client.request.append(part.data(), static_cast<std::size_t>(count));
    const auto length = length_of(client.request, client.next, rules_.longest + 1);
    if (const std::string status = refusal(client, length); !status.empty()) {
        refuse(client.socket, status,
               status == unauthorized
                   ? rules_.sentence
                   : "a request has at most " + std::to_string(rules_.longest) + " bytes; send less at once");
        client.request = {};
        client.refused = true;
        return true;
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

std::string Door::refusal(const Client& client, std::optional<std::size_t> length) const {
    const std::string_view request = client.request;
    const std::size_t end = request.find("\r\n\r\n");
    if (end == std::string_view::npos) return request.size() > longest_head ? too_large : "";
    if (!rules_.authorization.empty() &&
        !same_token(header(request.substr(0, end + 2), "authorization"), rules_.authorization))
        return unauthorized;
    return std::max(length.value_or(0), length ? 0 : request.size()) > rules_.longest ? too_large : "";
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
    wait_at_most(client.socket, 5);
    const int yes = 1;
    ::setsockopt(client.socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (!send_all(server.get(), client.request)) return;
    std::array<char, std::size_t{1} << 16> part{};
    for (;;) {
        // An answer may be a stream that says nothing for long: who has gone is not to be found out by it.
        pollfd answer{server.get(), POLLIN, 0};
        if (::poll(&answer, 1, look_again) == 0) {
            if (has_gone(client.socket)) return;
            continue;
        }
        const ssize_t count = ::recv(server.get(), part.data(), part.size(), 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0 || !send_all(client.socket.get(), {part.data(), static_cast<std::size_t>(count)})) return;
    }
}

}  // namespace common
