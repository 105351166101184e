#include "server.hpp"

#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include <httplib.h>

#include "../common/own_port.hpp"
#include "page.hpp"
#include "routes.hpp"

namespace tracker {
namespace {

using httplib::Request;
using httplib::Response;

constexpr std::size_t most_body_bytes = 256 * 1024;
/// Each has a thread, so that those that are slow keep nobody waiting but themselves.
constexpr std::size_t most_clients = 256;

void route_page(httplib::Server& http) {
    http.Get("/", [](const Request&, Response& response) {
        const std::string nonce = new_nonce();
        response.set_header("Content-Security-Policy", page_policy(nonce));
        response.set_content(page(nonce), "text/html; charset=utf-8");
    });
}

/// Another site whose name leads here is no business of ours.
bool is_for_us(const Request& request) {
    const std::string host = request.get_header_value("Host");
    const std::string name = host.substr(0, host.rfind(':'));
    return name == "127.0.0.1" || name == "localhost";
}

void set_up(httplib::Server& http) {
    http.set_payload_max_length(most_body_bytes);
    http.set_keep_alive_timeout(2);
    http.set_read_timeout(2);
    http.set_write_timeout(5);
    http.set_tcp_nodelay(true);
    http.new_task_queue = [] { return new httplib::ThreadPool{most_clients}; };
    http.set_default_headers({{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}});
    http.set_pre_routing_handler([](const Request& request, Response& response) {
        if (is_for_us(request)) return httplib::Server::HandlerResponse::Unhandled;
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
    httplib::Server http;
    std::string url;
    std::thread listening;
};

Server::Server(Service& service, int port) : room_{std::make_unique<Room>()} {
    httplib::Server& http = room_->http;
    set_up(http);
    route_page(http);
    add_routes(http, service);
    const std::string host = "127.0.0.1";
    port = common::bind_at(http, host, port);
    if (port < 1) throw std::runtime_error{"the port cannot be had"};
    room_->url = "http://" + host + ":" + std::to_string(port);
    room_->listening = common::answering(http);
}

Server::~Server() {
    room_->http.stop();
    room_->listening.join();
}

const std::string& Server::url() const noexcept { return room_->url; }

}  // namespace tracker
