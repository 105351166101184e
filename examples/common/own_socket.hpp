// Unix sockets that nobody can reach but the person whose process this is.
#pragma once

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <heeler/core/result.hpp>
#include <heeler/posix/file_descriptor.hpp>

namespace common {

/// Absent: the path is too long for a socket.
[[nodiscard]] inline std::optional<sockaddr_un> socket_address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) return std::nullopt;
    path.copy(address.sun_path, path.size());
    return address;
}

[[nodiscard]] inline heeler::FileDescriptor new_socket() {
    return heeler::FileDescriptor{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
}

[[nodiscard]] inline bool reaches(const heeler::FileDescriptor& socket, const sockaddr_un& address) {
    return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// Whether it is the same person who has connected.
[[nodiscard]] inline bool is_same_person(int descriptor) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

/// Listens there, mode 600; a socket of a process that was killed is replaced, and nothing else. It gets its name last:
/// whoever finds it can connect. `who`, for people, is the program. Errors: `io`; `busy` if another one listens there.
[[nodiscard]] inline heeler::Result<heeler::FileDescriptor> listen_at(const std::string& path, const std::string& who) {
    using heeler::ErrorCode;
    const std::string unnamed = path + "~";
    const auto address = socket_address(path);
    const auto first = socket_address(unnamed);
    if (!address || !first) return heeler::fail(ErrorCode::io, "the path of a socket is empty or too long: " + path);
    std::error_code error;
    if (const auto folder = std::filesystem::path{path}.parent_path(); !folder.empty())
        std::filesystem::create_directories(folder, error);
    if (reaches(new_socket(), *address)) return heeler::fail(ErrorCode::busy, "another " + who + " listens at " + path);
    for (const std::string& name : {path, unnamed}) {
        const auto there = std::filesystem::symlink_status(name, error).type();
        if (there != std::filesystem::file_type::not_found && there != std::filesystem::file_type::socket)
            return heeler::fail(ErrorCode::io, name + " is there, and is no socket: name another place");
    }
    ::unlink(unnamed.c_str());
    heeler::FileDescriptor listening = new_socket();
    const auto failed = [&] {
        return heeler::fail(ErrorCode::io, path + ": " + std::system_category().message(errno));
    };
    if (!listening) return failed();
    if (::bind(listening.get(), reinterpret_cast<const sockaddr*>(&*first), sizeof *first) != 0) return failed();
    if (::chmod(unnamed.c_str(), 0600) != 0 || ::listen(listening.get(), 64) != 0 ||
        std::rename(unnamed.c_str(), path.c_str()) != 0)
        return failed();
    return listening;
}

}  // namespace common
