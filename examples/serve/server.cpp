#include "server.hpp"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <system_error>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../common/own_socket.hpp"

namespace serve {
namespace {

using heeler::FileDescriptor;
using heeler::Result;

sigset_t ending_signals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
    return held;
}

constexpr std::size_t before_clients = 3;  ///< what is waited for besides them
constexpr int kept_for_others = 64;        ///< files that stores, doors and channels may open

int most_files() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur > INT_MAX ? INT_MAX : static_cast<int>(limit.rlim_cur);
}

/// One that is not waited for has no descriptor: its end would be heard again and again.
pollfd wait_of(const Connection& client) {
    const bool one_socket = client.in() == client.out();
    const int events = (client.is_heard() ? POLLIN : 0) | (one_socket && client.owes() ? POLLOUT : 0);
    return {events != 0 ? client.in() : -1, static_cast<short>(events), 0};
}

Result<void> wait_for(std::vector<pollfd>& waits) {
    if (::poll(waits.data(), waits.size(), -1) >= 0 || errno == EINTR) return {};
    return heeler::fail(heeler::ErrorCode::io,
                        "clients cannot be waited for: " + std::system_category().message(errno));
}

void refuse_client(int client) {
    const std::string lines =
        greeting() + '\n' +
        error_line("null", heeler::ErrorCode::full,
                   "no more clients are taken: this process may open " + std::to_string(most_files()) +
                       " files; raise that (ulimit -n), or let others go") +
        '\n';
    static_cast<void>(::send(client, lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

}  // namespace

void hold_signals() {
    const sigset_t held = ending_signals();
    pthread_sigmask(SIG_BLOCK, &held, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

bool is_asked_to_end(std::chrono::milliseconds within) {
    const sigset_t held = ending_signals();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(within);
    const timespec time{seconds.count(), std::chrono::nanoseconds{within - seconds}.count()};
    return ::sigtimedwait(&held, nullptr, &time) > 0;
}

Server::Server(Requests& requests, Holders& holders, ClientControl& control)
    : requests_{requests}, holders_{holders}, control_{control}, woken_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    const sigset_t held = ending_signals();
    signals_ = FileDescriptor{::signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK)};
}

void Server::join(int in, int out) {
    const auto wake = [woken = woken_.get()] {
        const std::uint64_t one = 1;
        static_cast<void>(::write(woken, &one, sizeof one));
    };
    clients_.push_back(std::make_shared<Connection>(in, out, wake));
    clients_.back()->put(greeting());
}

void Server::drop(std::size_t at) {
    const auto place = static_cast<std::ptrdiff_t>(at);
    clients_[at]->pass_on();
    holders_.left(clients_[at]);
    control_.left(clients_[at]);
    clients_.erase(clients_.begin() + place);
    if (at < sockets_.size()) sockets_.erase(sockets_.begin() + place);
}

void Server::accept(int listening) {
    FileDescriptor socket{::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (!socket) return static_cast<void>(::poll(nullptr, 0, 10));  // who waits there is not asked again at once
    if (!common::is_same_person(socket.get())) return;
    // The lowest free one: so many are open.
    if (socket.get() >= most_files() - kept_for_others) return refuse_client(socket.get());
    join(socket.get(), socket.get());
    sockets_.push_back(std::move(socket));
}

Result<bool> Server::round(int listening) {
    std::vector<pollfd> waits{{listening, POLLIN, 0}, {woken_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
    for (const Client& client : clients_) waits.push_back(wait_of(*client));
    for (const Client& client : clients_)
        if (client->in() != client->out() && client->owes()) waits.push_back({client->out(), POLLOUT, 0});
    if (auto waited = wait_for(waits); !waited) return tl::unexpected<heeler::Error>(std::move(waited.error()));
    std::uint64_t count = 0;
    if (waits[1].revents != 0) static_cast<void>(::read(woken_.get(), &count, sizeof count));
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        const Client& client = clients_[i];
        const bool may_speak = (waits[before_clients + i].events & POLLIN) != 0;
        if (may_speak && (waits[before_clients + i].revents & ~POLLOUT) != 0)
            client->read([&](const Line& line) { requests_.obey(client, line); });
        if (client->owes()) client->pass_on();
    }
    for (std::size_t i = clients_.size(); i-- > 0;)
        if (clients_[i]->is_over()) drop(i);
    if (waits[0].revents != 0) accept(listening);
    return waits[2].revents == 0;
}

Result<void> Server::serve_standard_streams() {
    join(STDIN_FILENO, STDOUT_FILENO);
    const Client client = clients_.back();
    Result<bool> goes_on = round(-1);
    while (goes_on && *goes_on && !clients_.empty()) goes_on = round(-1);
    clients_.assign(1, client);
    pass_rest();
    return goes_on.map([](bool) {});
}

Result<void> Server::serve_socket(const FileDescriptor& listening) {
    Result<bool> goes_on = round(listening.get());
    while (goes_on && *goes_on) goes_on = round(listening.get());
    pass_rest();
    while (!clients_.empty()) drop(clients_.size() - 1);
    return goes_on.map([](bool) {});
}

/// Who does not take it within a second never will.
void Server::pass_rest() {
    for (int rest = 0; rest < 100; ++rest) {
        bool owes = false;
        for (const Client& client : clients_) {
            client->pass_on();
            owes = owes || client->owes();
        }
        if (!owes) return;
        ::poll(nullptr, 0, 10);
    }
}

}  // namespace serve
