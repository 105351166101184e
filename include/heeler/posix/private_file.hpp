// Files that hold what nobody else on the machine is to read: they are born that way.
#pragma once

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI {

/// Creates an empty file that only its owner may read and write, whatever the umask, for whoever opens it by its name.
/// What is there already stays as it is, also its mode. It is not opened, where that can be done without: who closes it
/// would take away the locks of whoever in this process was faster. Any thread.
inline void prepare_private_file(const char* path) noexcept {
    if (::mknod(path, S_IFREG | 0600, 0) == 0 || errno == EEXIST) return;
    const int number = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (number >= 0) ::close(number);
}

}  // namespace heeler::inline HEELER_ABI
