#include "http_door.hpp"

#include <utility>

#ifdef HEELER_HAS_HTTPLIB
#include <array>
#include <cerrno>
#include <exception>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>

#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <heeler/posix/file_descriptor.hpp>

#include "../common/door.hpp"
#include "../common/loopback_guard.hpp"
#include "../common/own_port.hpp"
#include "../common/own_socket.hpp"
#include "../common/scratch.hpp"
#include "../common/token.hpp"
#include "protocol.hpp"
#endif

namespace serve {

#ifdef HEELER_HAS_HTTPLIB
namespace {

using httplib::Request;
using httplib::Response;

constexpr std::size_t most_carried = 32;           ///< each has a thread
constexpr std::size_t at_once = most_carried + 4;  ///< with those who post
constexpr std::size_t longest_post = longest_line + (std::size_t{64} << 10);
constexpr int look_again = 500;  ///< ms after which a stream looks whether its reader has gone

void refuse_request(Response& response, int status, const std::string& why) {
    response.status = status;
    response.set_content(why + "\n", "text/plain; charset=utf-8");
}

heeler::FileDescriptor connected_to(const std::string& path) {
    heeler::FileDescriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const timeval patience{5, 0};  // of who posts, while the client is not heard
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const auto address = common::socket_address(path);
    if (!address || !common::reaches(socket, *address)) return {};
    return socket;
}

/// A client of the socket in the place of one that comes by HTTP.
struct Carried {
    explicit Carried(heeler::FileDescriptor to) : socket{std::move(to)} {}

    heeler::FileDescriptor socket;
    std::string name = common::make_token();
    bool named = false;
    std::mutex one;  ///< who posts

    /// Passes on what the client is told; false: nothing more comes, or nobody reads it.
    bool pass_on(httplib::DataSink& sink) {
        if (!std::exchange(named, true)) {
            const std::string first = "{\"client\":\"" + name + "\"}\n";
            return sink.write(first.data(), first.size());
        }
        pollfd wait{socket.get(), POLLIN, 0};
        if (::poll(&wait, 1, look_again) <= 0) return sink.is_writable();
        std::array<char, std::size_t{1} << 16> part{};
        const ssize_t count = ::read(socket.get(), part.data(), part.size());
        if (count > 0) return sink.write(part.data(), static_cast<std::size_t>(count));
        sink.done();
        return true;
    }

    bool say(std::string lines) {
        const std::lock_guard guard{one};
        if (!lines.ends_with('\n')) lines += '\n';
        for (std::string_view rest = lines; !rest.empty();) {
            const ssize_t count = ::send(socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return false;
            rest.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }
    /// Of lines that came half, the rest must not be heard as others.
    void end() const { ::shutdown(socket.get(), SHUT_RDWR); }
};

class OpenDoor final : public HttpDoor {
public:
    /// Throws if the port cannot be had.
    OpenDoor(int port, std::string socket)
        : socket_{std::move(socket)},
          door_{port,
                {longest_post, at_once, "Bearer " + token_,
                 "the token that heeler-serve printed is asked for: "
                 "Authorization: Bearer TOKEN"}} {
        http_.new_task_queue = [] { return new httplib::ThreadPool(at_once); };
        http_.set_address_family(AF_UNIX);
        http_.set_keep_alive_max_count(1);
        http_.set_write_timeout(5);
        http_.set_payload_max_length(longest_line);
        http_.set_default_headers({{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}});
        http_.set_pre_routing_handler([this](const Request& request, Response& response) {
            if (common::is_for_us(request, this->port())) return httplib::Server::HandlerResponse::Unhandled;
            refuse_request(response, 403, "only requests to http://127.0.0.1 or http://localhost are answered");
            return httplib::Server::HandlerResponse::Handled;
        });
        http_.Get("/client", [this](const Request&, Response& response) { carry(response); });
        http_.Post("/client/([0-9a-f]+)",
                   [this](const Request& request, Response& response) { hear(request, response); });
    }
    OpenDoor(const OpenDoor&) = delete;
    OpenDoor& operator=(const OpenDoor&) = delete;
    ~OpenDoor() override {
        {
            const std::lock_guard guard{lock_};
            for (const auto& [name, carried] : carried_) carried->end();
        }
        http_.stop();
        door_.close();
        if (answering_.joinable()) answering_.join();
    }

    [[nodiscard]] bool open() {
        const std::string place = scratch_.path() / "http";
        if (!http_.bind_to_port(place, 1)) return false;
        answering_ = common::answering(http_);
        door_.open(place);
        return true;
    }
    [[nodiscard]] std::string address() const override { return "http://127.0.0.1:" + port() + "/"; }
    [[nodiscard]] const std::string& token() const override { return token_; }

private:
    [[nodiscard]] std::string port() const { return std::to_string(door_.port()); }

    void carry(Response& response) {
        auto carried = std::make_shared<Carried>(connected_to(socket_));
        if (!carried->socket) return refuse_request(response, 503, "heeler-serve is about to end");
        {
            const std::lock_guard guard{lock_};
            if (carried_.size() >= most_carried)
                return refuse_request(response, 503,
                                      std::to_string(most_carried) + " clients are there by HTTP; no more are taken");
            carried_.emplace(carried->name, carried);
        }
        response.set_chunked_content_provider(
            "application/x-ndjson", [carried](std::size_t, httplib::DataSink& sink) { return carried->pass_on(sink); },
            [this, carried](bool) {
                const std::lock_guard guard{lock_};
                carried->end();
                carried_.erase(carried->name);
            });
    }

    void hear(const Request& request, Response& response) {
        std::shared_ptr<Carried> carried;
        {
            const std::lock_guard guard{lock_};
            if (const auto found = carried_.find(request.matches[1]); found != carried_.end()) carried = found->second;
        }
        if (!carried) return refuse_request(response, 404, "there is no such client; it goes with its stream");
        if (carried->say(request.body)) return void(response.status = 204);
        carried->end();
        refuse_request(response, 503, "the client did not read what it was told, and is given up");
    }

    std::string socket_;
    std::string token_ = common::make_token();
    common::Scratch scratch_{"heeler-serve"};
    common::Door door_;
    httplib::Server http_;
    std::thread answering_;
    std::mutex lock_;
    std::map<std::string, std::shared_ptr<Carried>> carried_;  ///< by their names
};

}  // namespace

heeler::Result<std::unique_ptr<HttpDoor>> HttpDoor::open(int port, std::string socket) {
    try {
        auto door = std::make_unique<OpenDoor>(port, std::move(socket));
        if (door->open()) return std::unique_ptr<HttpDoor>{std::move(door)};
    } catch (const std::exception&) {
        return heeler::fail(heeler::ErrorCode::io, "--http " + std::to_string(port) + " is taken; 0 takes any");
    }
    return heeler::fail(heeler::ErrorCode::io, "--http: no socket can be had in the directory for temporary files");
}
#else
heeler::Result<std::unique_ptr<HttpDoor>> HttpDoor::open(int, std::string) {
    return heeler::fail(heeler::ErrorCode::unsupported, "--http: this program was built without cpp-httplib");
}
#endif

}  // namespace serve
