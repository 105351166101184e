// Servers of this process on 127.0.0.1, for what talks to other machines.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/catch.hpp"

namespace heeler_test {

/// A connection is answered by `talk`, one after the other, until this ends. `talk` gets the socket and whether it is
/// to end.
class LoopbackServer {
public:
    using Talk = std::function<void(int socket, const std::atomic<bool>& over)>;

    explicit LoopbackServer(Talk talk) : talk_{std::move(talk)} {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof place;
        REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&place), size) == 0);
        REQUIRE(::listen(listener_, 16) == 0);
        REQUIRE(::getsockname(listener_, reinterpret_cast<sockaddr*>(&place), &size) == 0);
        port_ = ntohs(place.sin_port);
        thread_ = std::thread{[this] { serve(); }};
    }
    LoopbackServer(const LoopbackServer&) = delete;
    LoopbackServer& operator=(const LoopbackServer&) = delete;
    ~LoopbackServer() {
        over_ = true;
        thread_.join();
        ::close(listener_);
    }

    [[nodiscard]] int port() const noexcept { return port_; }
    [[nodiscard]] std::string http() const { return "http://127.0.0.1:" + std::to_string(port_); }

private:
    void serve() {
        while (!over_) {
            pollfd ready{listener_, POLLIN, 0};
            if (::poll(&ready, 1, 20) <= 0) continue;
            const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (socket < 0) continue;
            talk_(socket, over_);
            ::close(socket);
        }
    }

    Talk talk_;
    int listener_ = -1;
    int port_ = 0;
    std::atomic<bool> over_{false};
    std::thread thread_;
};

/// More of what the other side sends; false: it ended, or this is to.
inline bool read_more(int socket, std::string& text, const std::atomic<bool>& over) {
    while (!over) {
        pollfd ready{socket, POLLIN, 0};
        if (::poll(&ready, 1, 20) <= 0) continue;
        char chunk[16384];
        const ssize_t got = ::recv(socket, chunk, sizeof chunk, 0);
        if (got <= 0) return false;
        text.append(chunk, static_cast<std::size_t>(got));
        return true;
    }
    return false;
}

inline bool write_all(int socket, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

struct HttpSeen {
    std::string method{}, path{}, head{}, body{};

    /// The value of a header; empty if there is none.
    [[nodiscard]] std::string header(const std::string& name) const {
        const std::size_t at = head.find("\r\n" + name + ": ");
        if (at == std::string::npos) return {};
        const std::size_t begin = at + name.size() + 4;
        return head.substr(begin, head.find("\r\n", begin) - begin);
    }
};

[[nodiscard]] inline std::string http_answer(int status, std::string_view body = "{}", std::string_view headers = {}) {
    return "HTTP/1.1 " + std::to_string(status) +
           " Said\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           std::string{headers} + "\r\n" + std::string{body};
}

/// Answers each request with what `answer` returns, byte for byte, and closes; keeps what was asked.
class LoopbackHttp {
public:
    explicit LoopbackHttp(std::function<std::string(const HttpSeen&)> answer)
        : answer_{std::move(answer)}, server_{[this](int socket, const auto& over) { talk(socket, over); }} {}

    [[nodiscard]] std::string url() const { return server_.http(); }
    [[nodiscard]] std::vector<HttpSeen> seen() const {
        const std::lock_guard guard{lock_};
        return seen_;
    }

private:
    void talk(int socket, const std::atomic<bool>& over) {
        std::string text;
        while (text.find("\r\n\r\n") == std::string::npos)
            if (!read_more(socket, text, over)) return;
        const std::size_t end = text.find("\r\n\r\n");
        HttpSeen one;
        one.head = text.substr(0, end + 2);
        one.body = text.substr(end + 4);
        one.method = one.head.substr(0, one.head.find(' '));
        const std::size_t path = one.method.size() + 1;
        one.path = one.head.substr(path, one.head.find(' ', path) - path);
        const std::string length = one.header("Content-Length");
        while (!length.empty() && one.body.size() < std::stoul(length))
            if (!read_more(socket, one.body, over)) return;
        {
            const std::lock_guard guard{lock_};
            seen_.push_back(one);
        }
        const std::string answer = answer_(one);
        if (answer.empty()) {  // says nothing, and stays
            std::string rest;
            while (read_more(socket, rest, over)) {
            }
            return;
        }
        static_cast<void>(write_all(socket, answer));
    }

    std::function<std::string(const HttpSeen&)> answer_;
    mutable std::mutex lock_;
    std::vector<HttpSeen> seen_;
    LoopbackServer server_;
};

}  // namespace heeler_test
