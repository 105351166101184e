#include "server.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../common/own_socket.hpp"

namespace serve {
namespace {

using heeler::FileDescriptor;

sigset_t ending_signals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
    return held;
}

constexpr std::size_t before_clients = 3;  ///< what is waited for besides them

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
    holders_.joined(clients_.back());
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
    if (!socket || !common::is_same_person(socket.get())) return;
    join(socket.get(), socket.get());
    sockets_.push_back(std::move(socket));
}

bool Server::round(int listening) {
    std::vector<pollfd> waits{{listening, POLLIN, 0}, {woken_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
    for (const Client& client : clients_) {
        waits.push_back({client->is_heard() ? client->in() : -1, POLLIN, 0});
        waits.push_back({client->owes() ? client->out() : -1, POLLOUT, 0});
    }
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return false;
    std::uint64_t count = 0;
    if (waits[1].revents != 0) static_cast<void>(::read(woken_.get(), &count, sizeof count));
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        const Client& client = clients_[i];
        if (waits[before_clients + 2 * i].revents != 0)
            client->read([&](const Line& line) { requests_.obey(client, line); });
        if (client->owes()) client->pass_on();
    }
    for (std::size_t i = clients_.size(); i-- > 0;)
        if (clients_[i]->is_over()) drop(i);
    if (waits[0].revents != 0) accept(listening);
    return waits[2].revents == 0;
}

void Server::serve_standard_streams() {
    join(STDIN_FILENO, STDOUT_FILENO);
    const Client client = clients_.back();
    while (round(-1) && !clients_.empty()) continue;
    clients_.assign(1, client);
    pass_rest();
}

void Server::serve_socket(const FileDescriptor& listening) {
    while (round(listening.get())) continue;
    pass_rest();
    while (!clients_.empty()) drop(clients_.size() - 1);
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
