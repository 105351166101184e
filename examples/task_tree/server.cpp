#include "server.hpp"

#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <httplib.h>
#include <sys/socket.h>

#include "../common/door.hpp"
#include "../common/loopback_guard.hpp"
#include "../common/own_port.hpp"
#include "../common/scratch.hpp"
#include "page.hpp"
#include "routes.hpp"

namespace tracker {
namespace {

using httplib::Request;
using httplib::Response;

constexpr std::size_t most_body_bytes = 256 * 1024;
constexpr std::size_t longest_request = 320 * 1024;  ///< the server has words for bodies that are a bit too long
constexpr std::size_t most_answered = 16;            ///< at once; each has a thread

void route_page(httplib::Server& http) {
    http.Get("/", [](const Request&, Response& response) {
        const std::string nonce = new_nonce();
        response.set_header("Content-Security-Policy", page_policy(nonce));
        response.set_content(page(nonce), "text/html; charset=utf-8");
    });
}

void set_up(httplib::Server& http, const std::string& port) {
    http.set_payload_max_length(most_body_bytes);
    http.set_address_family(AF_UNIX);
    http.set_keep_alive_max_count(1);
    http.set_read_timeout(2);
    http.set_write_timeout(5);
    http.new_task_queue = [] { return new httplib::ThreadPool{most_answered}; };
    http.set_default_headers({{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}});
    http.set_pre_routing_handler([port](const Request& request, Response& response) {
        if (common::is_for_us(request, port)) return httplib::Server::HandlerResponse::Unhandled;
        answer(response, 403, error_text("this is no host of that name"));
        return httplib::Server::HandlerResponse::Handled;
    });
    http.set_error_handler([](const Request&, Response& response) {
        if (!response.body.empty()) return;
        const bool large = response.status == 413;
        answer(response, response.status, error_text(large ? "the body is too large" : "there is nothing here"));
    });
}

}  // namespace

struct Server::Room {
    explicit Room(int port) : door{port, {longest_request, most_answered, {}, {}}} {}

    const common::Scratch scratch{"heeler-task-tree"};
    httplib::Server http{};
    std::thread answering{};
    common::Door door;
    const std::string url = "http://127.0.0.1:" + std::to_string(door.port());
};

Server::Server(Service& service, int port) : room_{std::make_unique<Room>(port)} {
    httplib::Server& http = room_->http;
    const std::string place = room_->scratch.path() / "server";
    set_up(http, std::to_string(room_->door.port()));
    route_page(http);
    add_routes(http, service);
    if (!http.bind_to_port(place, 1)) throw std::runtime_error{"no socket can be had at " + place};
    room_->answering = common::answering(http);
    room_->door.open(place);
}

Server::~Server() {
    room_->door.close();
    room_->http.stop();
    room_->answering.join();
}

const std::string& Server::url() const noexcept { return room_->url; }

}  // namespace tracker
