// Stands between clients and a PostgreSQL server: holds chosen statements, or cuts the connection before or after them.
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
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/scratch_log.hpp"

namespace heeler_test {

/// What happens to a statement.
enum class Fate : std::uint8_t {
    pass,
    hold,        ///< until `release()`; it is executed then, whether its client still waits or not
    cut_before,  ///< the server never sees it
    cut_after,   ///< it is executed, and the answer is lost
};

struct Statement {
    std::string sql;
    std::string application;  ///< whose connection it is, as its client said; may be empty
};

/// Listens on a socket of its own; every connection is served by a thread. The process may fork.
class StatementProxy {
public:
    using Rule = std::function<Fate(const Statement& statement)>;

    /// `server`: the directory in which the server listens. Throws.
    explicit StatementProxy(const std::string& server) : server_{address_in(server)} {
        listener_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
        const sockaddr_un address = address_in(directory());
        if (::mkdir(directory().c_str(), 0700) != 0 ||
            ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
            ::listen(listener_, 64) != 0)
            throw std::runtime_error{"no socket in " + directory()};
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
        std::unique_lock guard{lock_};
        ended_.wait(guard, [this] { return clients_.empty(); });
        ::close(listener_);
    }

    /// Where clients connect.
    [[nodiscard]] std::string directory() const { return folder_.path("s"); }

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

    /// What is held now meets this instead.
    void release(Fate fate = Fate::pass) {
        {
            const std::lock_guard guard{lock_};
            ++releases_;
            released_to_ = fate;
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
        if (path.size() >= sizeof address.sun_path) throw std::runtime_error{"too long for a socket: " + path};
        std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
        return address;
    }

    void accept() {
        for (;;) {
            const int client = ::accept(listener_, nullptr, nullptr);
            if (client < 0) return;
            const std::lock_guard guard{lock_};
            clients_.push_back(client);
            std::thread{[this, client] { link(client); }}.detach();
        }
    }

    void link(int client) {
        const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
        if (::connect(server, reinterpret_cast<const sockaddr*>(&server_), sizeof server_) == 0) serve(client, server);
        // A forked process may hold them open, too.
        for (const int side : {client, server}) ::shutdown(side, SHUT_RDWR);
        const std::lock_guard guard{lock_};
        std::erase(clients_, client);
        for (const int side : {client, server}) ::close(side);
        ended_.notify_all();
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
        Session session;
        bool cut = false;
        for (;;) {
            std::array<pollfd, 2> sides{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
            ::poll(sides.data(), sides.size(), -1);
            if (sides[0].revents != 0) {
                if (!receive(client, asked)) return;
                for (std::string message = asked.next(); !message.empty(); message = asked.next()) {
                    Fate fate = fate_of(message, session);
                    if (fate == Fate::hold) fate = wait();
                    if (fate == Fate::cut_before) return;
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

    /// Held until somebody lets it go.
    Fate wait() {
        std::unique_lock guard{lock_};
        const int before = releases_;
        ++held_;
        released_.wait(guard, [&] { return over_ || releases_ != before; });
        --held_;
        return over_ ? Fate::cut_before : released_to_;
    }

    struct Session {
        bool begun = false;
        std::string application;
        std::map<std::string, std::string> prepared;
    };

    /// The value behind `name` in what a client says at first.
    [[nodiscard]] static std::string said(const std::string& message, std::string_view name) {
        const std::string key = std::string{'\0'} + std::string{name} + '\0';
        const std::size_t at = message.find(key);
        return at == std::string::npos ? std::string{} : std::string{message.c_str() + at + key.size()};
    }

    [[nodiscard]] Fate fate_of(const std::string& message, Session& session) {
        if (!std::exchange(session.begun, true)) {
            session.application = said(message, "application_name");
            return Fate::pass;
        }
        const auto text_at = [&](std::size_t at) {
            return std::string{message.c_str() + std::min(at, message.size())};
        };
        std::string sql;
        if (message[0] == 'P') {
            const std::string name = text_at(5);
            session.prepared[name] = text_at(5 + name.size() + 1);
            return Fate::pass;
        }
        if (message[0] == 'Q') {
            sql = text_at(5);
        } else if (message[0] == 'B') {
            const std::string portal = text_at(5);
            sql = session.prepared[text_at(5 + portal.size() + 1)];
        } else {
            return Fate::pass;
        }
        const std::lock_guard guard{lock_};
        return rule_ ? rule_({sql, session.application}) : Fate::pass;
    }

    ScratchLog folder_;
    sockaddr_un server_;
    int listener_ = -1;
    std::mutex lock_;
    std::condition_variable released_;
    std::condition_variable ended_;
    Rule rule_;
    int held_ = 0;
    int releases_ = 0;
    Fate released_to_ = Fate::pass;
    bool over_ = false;
    std::vector<int> clients_;
    std::thread acceptor_;
};

}  // namespace heeler_test
