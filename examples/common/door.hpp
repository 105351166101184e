// Where clients wait until all of a request is there: who is slow costs a socket, and keeps nobody waiting.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <heeler/core/time.hpp>
#include <heeler/posix/file_descriptor.hpp>

namespace common {

/// What a door asks of requests.
struct DoorRules {
    std::size_t longest = 0;  ///< bytes of a request
    std::size_t at_once = 0;  ///< so many are with the server
    /// What the header `Authorization` must say; empty: nothing. Who says something else is told this sentence, and not
    /// waited for.
    std::string authorization{};
    std::string sentence{};
};

/// Listens at a port of this machine, and passes each whole request on to a server at a Unix socket, which closes its
/// connection after each answer.
class Door {
public:
    /// Port 0: any that is free. Throws if it cannot be had.
    Door(int port, DoorRules rules);
    Door(const Door&) = delete;
    Door& operator=(const Door&) = delete;
    ~Door() { close(); }

    [[nodiscard]] int port() const noexcept { return port_; }

    /// From now on, by the server that listens there.
    void open(std::string server);
    void close();

private:
    struct Client {
        heeler::FileDescriptor socket;
        heeler::Elapsed since{};
        std::string request{};
        std::size_t next = 0;  ///< where the head, and then the next of its chunks begins
        bool refused = false;  ///< what it still sends is not kept
    };

    void receive();
    void take_in();
    /// False: it is no business of this any more.
    [[nodiscard]] bool hear(Client& client);
    /// The status of an answer, if it is not waited for; empty: it is.
    [[nodiscard]] std::string refusal(const Client& client, std::optional<std::size_t> length) const;
    void pass_on();
    void pass_on(const Client& client) const;

    const DoorRules rules_;
    std::string server_;
    heeler::FileDescriptor listening_;
    heeler::Pipe stop_;
    int port_ = 0;
    std::deque<Client> waiting_;  ///< the oldest first; of the thread that receives
    std::mutex lock_;
    std::condition_variable changed_;
    std::deque<Client> whole_;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace common
