#include "hook_socket.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <heeler/posix/file_descriptor.hpp>
#include <heeler/text/fingerprint.hpp>

#include "../common/own_socket.hpp"
#include "../common/state_directory.hpp"
#include "hook_config.hpp"

namespace watch {

namespace {

using Message = nlohmann::json;
using Clock = std::chrono::steady_clock;
using heeler::FileDescriptor;

constexpr auto patience = std::chrono::milliseconds{20};
constexpr std::size_t longest_line = 64U << 10;
constexpr std::size_t longest_input = 64U << 20;

/// Whether it is ready before `until`.
bool is_ready(int descriptor, short events, Clock::time_point until) {
    pollfd one{descriptor, events, 0};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    return left.count() >= 0 && ::poll(&one, 1, static_cast<int>(left.count())) == 1;
}

/// A line without its end; empty if none came in time.
std::string read_line(int descriptor, Clock::time_point until) {
    std::string text;
    std::array<char, 4096> part{};
    while (text.size() < longest_line && is_ready(descriptor, POLLIN, until)) {
        const ssize_t count = ::read(descriptor, part.data(), part.size());
        if (count <= 0) break;
        text.append(part.data(), static_cast<std::size_t>(count));
        if (const auto end = text.find('\n'); end != std::string::npos) return text.substr(0, end);
    }
    return {};
}

bool write_line(int descriptor, std::string text, Clock::time_point until) {
    text += '\n';
    for (std::size_t at = 0; at < text.size();) {
        if (!is_ready(descriptor, POLLOUT, until)) return false;
        const ssize_t count = ::send(descriptor, text.data() + at, text.size() - at, MSG_NOSIGNAL);
        if (count <= 0) return false;
        at += static_cast<std::size_t>(count);
    }
    return true;
}

/// Texts of an object, by name; empty if there is none.
std::string text_in(const Message& object, const char* name) {
    const auto at = object.is_object() ? object.find(name) : object.end();
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

/// Of what an agent says of its call. The input may be long, and hold what nobody else has to see.
std::string call_in(const Message& told) {
    const auto input = told.is_object() ? told.find("tool_input") : told.end();
    const std::string tool = text_in(told, "tool_name");
    if (tool.empty() || input == told.end()) return {};
    const std::string all = tool + '\n' + input->dump(-1, ' ', false, Message::error_handler_t::replace);
    return std::to_string(heeler::text::fingerprint_text(all));
}

std::optional<HookEvent> event_of(const Message& told, std::string agent) {
    HookEvent event{std::move(agent), text_in(told, "session_id"), text_in(told, "hook_event_name"),
                    text_in(told, "call")};
    // A sub-agent tells of itself in its session's name.
    if (const std::string sub = text_in(told, "agent_id"); !sub.empty()) event.session = "agent-" + sub;
    if (event.session.empty() || event.name.empty()) return std::nullopt;
    return event;
}

}  // namespace

std::string hook_socket_path() {
    const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime != nullptr && *runtime == '/') return std::string{runtime} + "/heeler-watch.sock";
    return common::state_directory() + "/watch.sock";
}

struct HookSocket::Parts {
    Parts(FileDescriptor listens, std::string where, HookListener& whom)
        : listening{std::move(listens)}, path{std::move(where)}, listener{whom} {}

    void serve() {
        std::array<pollfd, 2> waits{pollfd{listening.get(), POLLIN, 0}, pollfd{ended.get(), POLLIN, 0}};
        for (;;) {
            if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return;
            if (waits[1].revents != 0) return;
            if (waits[0].revents == 0) continue;
            const FileDescriptor hook{::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
            if (hook.get() >= 0 && common::is_same_person(hook.get())) speak(hook.get());
        }
    }

    void speak(int hook) {
        const auto until = Clock::now() + patience;
        const Message told = Message::parse(read_line(hook, until), nullptr, false);
        const auto event = event_of(told, text_in(told, "agent"));
        if (!event) return;
        const std::string answer = hook_answer(event->agent, event->name, listener.answer(*event));
        if (write_line(hook, answer, until) && !answer.empty()) listener.told(*event);
    }

    FileDescriptor listening;
    std::string path;
    HookListener& listener;
    FileDescriptor ended{::eventfd(0, EFD_CLOEXEC)};
    std::thread thread;
};

HookSocket::HookSocket(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {
    parts_->thread = std::thread{[parts = parts_.get()] { parts->serve(); }};
}

HookSocket::~HookSocket() {
    const std::uint64_t one = 1;
    static_cast<void>(::write(parts_->ended.get(), &one, sizeof one));
    parts_->thread.join();
    ::unlink(parts_->path.c_str());
}

heeler::Result<std::unique_ptr<HookSocket>> HookSocket::listen(const std::string& path, HookListener& listener) {
    auto listening = common::listen_at(path, "heeler-watch");
    if (!listening) return tl::unexpected<heeler::Error>(listening.error());
    return std::unique_ptr<HookSocket>{new HookSocket{std::make_unique<Parts>(std::move(*listening), path, listener)}};
}

void run_hook(const std::string& agent) {
    std::string input;
    std::array<char, 1U << 16> part{};
    for (ssize_t count = 1; count > 0 && input.size() < longest_input;) {
        count = ::read(STDIN_FILENO, part.data(), part.size());
        if (count > 0) input.append(part.data(), static_cast<std::size_t>(count));
    }
    const auto until = Clock::now() + patience;
    const std::string path = hook_socket_path();
    const auto address = common::socket_address(path);
    struct stat there {};
    // What somebody else has put there hears nothing.
    if (!address || ::lstat(path.c_str(), &there) != 0 || !S_ISSOCK(there.st_mode) || there.st_uid != ::geteuid())
        return;
    const Message told = Message::parse(input, nullptr, false);
    const auto event = event_of(told, agent);
    const FileDescriptor socket = common::new_socket();
    if (!event || socket.get() < 0 || !common::reaches(socket, *address)) return;
    Message line{{"agent", event->agent},
                 {"session_id", event->session},
                 {"hook_event_name", event->name},
                 {"call", call_in(told)}};
    if (!write_line(socket.get(), line.dump(-1, ' ', false, Message::error_handler_t::replace), until)) return;
    const std::string answer = read_line(socket.get(), until);
    if (!answer.empty()) std::printf("%s\n", answer.c_str());
}

}  // namespace watch
