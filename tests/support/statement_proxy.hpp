// Stands between a client and the PostgreSQL server: holds chosen statements, or cuts the connection before or after
// them.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/postgres.hpp"
#include "support/scratch_log.hpp"

namespace heeler_test {

/// What happens to a statement.
enum class Fate : std::uint8_t {
    pass,
    hold,        ///< until `release()`; it is executed then, whether its client still waits or not
    cut_before,  ///< the server never sees it
    cut_after,   ///< it is executed, and the answer is lost
};

/// Listens on a socket of its own; every connection is served by a thread.
class StatementProxy {
public:
    using Rule = std::function<Fate(const std::string& sql)>;

    StatementProxy() {
        listener_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
        const sockaddr_un address = address_in(folder_.path("s"));
        REQUIRE(::mkdir(folder_.path("s").c_str(), 0700) == 0);
        REQUIRE(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        REQUIRE(::listen(listener_, 16) == 0);
        acceptor_ = std::thread{[this] { accept(); }};
    }
    StatementProxy(const StatementProxy&) = delete;
    StatementProxy& operator=(const StatementProxy&) = delete;
    ~StatementProxy() {
        {
            const std::lock_guard guard{lock_};
            over_ = true;
            for (const int client : clients_) ::shutdown(client, SHUT_RDWR);
        }
        released_.notify_all();
        ::shutdown(listener_, SHUT_RDWR);
        acceptor_.join();
        for (std::thread& link : links_) link.join();
        ::close(listener_);
    }

    [[nodiscard]] std::string connection() const { return postgres_at(folder_.path("s")); }

    /// Asked for each statement that is executed, from the connections' threads, one at a time.
    void rule(Rule rule) {
        const std::lock_guard guard{lock_};
        rule_ = std::move(rule);
    }

    /// Whether a statement is held now.
    [[nodiscard]] bool holds() {
        const std::lock_guard guard{lock_};
        return held_ > 0;
    }

    void release() {
        {
            const std::lock_guard guard{lock_};
            ++releases_;
        }
        released_.notify_all();
    }

private:
    /// The messages of one direction, as they become complete.
    class Messages {
    public:
        explicit Messages(bool begins_without_type) : bare_{begins_without_type} {}

        void add(std::string_view bytes) { bytes_ += bytes; }

        /// Empty: there is none yet.
        [[nodiscard]] std::string next() {
            const std::size_t head = bare_ ? 0 : 1;
            if (bytes_.size() < head + 4) return {};
            std::size_t length = head;
            std::size_t size = 0;
            for (std::size_t i = 0; i < 4; ++i) size = size << 8U | static_cast<unsigned char>(bytes_[head + i]);
            length += size;
            if (bytes_.size() < length) return {};
            bare_ = false;
            std::string message = bytes_.substr(0, length);
            bytes_.erase(0, length);
            return message;
        }

    private:
        std::string bytes_;
        bool bare_;
    };

    [[nodiscard]] static sockaddr_un address_in(const std::string& directory) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string path = directory + "/.s.PGSQL.5432";
        REQUIRE(path.size() < sizeof address.sun_path);
        std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
        return address;
    }

    void accept() {
        for (;;) {
            const int client = ::accept(listener_, nullptr, nullptr);
            if (client < 0) return;
            {
                const std::lock_guard guard{lock_};
                clients_.push_back(client);
            }
            links_.emplace_back([this, client] {
                const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
                const sockaddr_un address = address_in(postgres_directory());
                if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
                    serve(client, server);
                ::close(server);
                const std::lock_guard guard{lock_};
                std::erase(clients_, client);
                ::close(client);
            });
        }
    }

    static bool send(int to, std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    /// False: the other side is gone.
    static bool receive(int from, Messages& messages) {
        std::array<char, 16384> bytes;
        const ssize_t got = ::recv(from, bytes.data(), bytes.size(), 0);
        if (got <= 0) return false;
        messages.add({bytes.data(), static_cast<std::size_t>(got)});
        return true;
    }

    void serve(int client, int server) {
        Messages asked{true};
        Messages answered{false};
        std::map<std::string, std::string> prepared;
        bool cut = false;
        for (;;) {
            std::array<pollfd, 2> sides{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
            ::poll(sides.data(), sides.size(), -1);
            if (sides[0].revents != 0) {
                if (!receive(client, asked)) return;
                for (std::string message = asked.next(); !message.empty(); message = asked.next()) {
                    const Fate fate = fate_of(message, prepared);
                    if (fate == Fate::cut_before || (fate == Fate::hold && !wait())) return;
                    cut |= fate == Fate::cut_after;
                    if (!send(server, message)) return;
                }
            }
            if (sides[1].revents != 0) {
                const bool there = receive(server, answered);
                for (std::string message = answered.next(); !message.empty(); message = answered.next()) {
                    if (cut && message[0] == 'Z') return;
                    if (!cut && !send(client, message) && !cut) return;
                }
                if (!there) return;
            }
        }
    }

    /// Held until somebody lets it go. False: the test is over.
    bool wait() {
        std::unique_lock guard{lock_};
        const int before = releases_;
        ++held_;
        released_.wait(guard, [&] { return over_ || releases_ != before; });
        --held_;
        return !over_;
    }

    [[nodiscard]] Fate fate_of(const std::string& message, std::map<std::string, std::string>& prepared) {
        const auto text_at = [&](std::size_t at) {
            return std::string{message.c_str() + std::min(at, message.size())};
        };
        std::string sql;
        if (message[0] == 'P') {
            const std::string name = text_at(5);
            prepared[name] = text_at(5 + name.size() + 1);
            return Fate::pass;
        }
        if (message[0] == 'Q') {
            sql = text_at(5);
        } else if (message[0] == 'B') {
            const std::string portal = text_at(5);
            sql = prepared[text_at(5 + portal.size() + 1)];
        } else {
            return Fate::pass;
        }
        const std::lock_guard guard{lock_};
        return rule_ ? rule_(sql) : Fate::pass;
    }

    ScratchLog folder_;
    int listener_ = -1;
    std::mutex lock_;
    std::condition_variable released_;
    Rule rule_;
    int held_ = 0;
    int releases_ = 0;
    bool over_ = false;
    std::vector<int> clients_;
    std::thread acceptor_;
    std::vector<std::thread> links_;
};

}  // namespace heeler_test
