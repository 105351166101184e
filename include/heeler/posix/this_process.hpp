// What the engine asks of the process and the machine: random bytes, the switch that freezes everything, and which
// process this is (Linux: /proc).
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#ifdef __linux__
#include <unistd.h>
#endif

#include <heeler/core/ports.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The beginning of a file of one line, without the line's end; empty if it cannot be read.
[[nodiscard]] inline std::string first_line(const std::string& path) {
    std::FILE* const file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) return {};
    std::array<char, 1024> text{};
    const std::size_t size = std::fread(text.data(), 1, text.size(), file);
    std::fclose(file);
    const std::string_view all{text.data(), size};
    return std::string{all.substr(0, all.find('\n'))};
}

/// What the system says of a process.
struct ProcessLine {
    std::string start{};  ///< in clock ticks since boot; empty if the system does not say
    bool ended = false;   ///< but its parent has not waited for it yet
};

/// Of /proc/PID/stat, where the name, which may hold blanks and brackets, is the second field.
[[nodiscard]] inline ProcessLine process_of(const std::string& pid) {
    const std::string text = first_line("/proc/" + pid + "/stat");
    std::size_t at = text.rfind(')');
    if (at == std::string::npos) return {};
    std::array<std::string, 23> fields;  // from the third on, by their numbers
    for (std::size_t field = 3; field < fields.size(); ++field) {
        at = text.find(' ', at + 1);
        if (at == std::string::npos) return {};
        fields[field] = text.substr(at + 1, text.find(' ', at + 1) - at - 1);
    }
    // Of a process whose first thread has ended before others the state is the same.
    const bool last_thread = std::strtol(fields[20].c_str(), nullptr, 10) <= 1;
    return {fields[22], fields[3] == "X" || (fields[3] == "Z" && last_thread)};
}

#ifdef __linux__
/// What a process id means something in: this boot of the machine and its namespace. Empty if the system does not say.
[[nodiscard]] inline std::string boot_and_namespace() {
    const std::string boot = first_line("/proc/sys/kernel/random/boot_id");
    std::array<char, 64> link{};
    const auto size = ::readlink("/proc/self/ns/pid", link.data(), link.size());
    std::string name;
    for (const char c : std::string_view{link.data(), size > 0 ? static_cast<std::size_t>(size) : 0})
        if (c >= '0' && c <= '9') name += c;
    return boot.empty() || name.empty() ? std::string{} : boot.substr(0, 36) + "/" + name;
}

/// Of a host's name, what is harmless in a message and in a database.
[[nodiscard]] inline std::string host_name() {
    std::array<char, 41> text{};
    (void)::gethostname(text.data(), text.size() - 1);
    std::string name{text.data()};
    for (char& c : name)
        if (c <= ' ' || c > '~' || c == '/') c = '_';
    return name;
}
#endif

/// Everything is frozen while `HEELER_FREEZE` is set (and neither empty nor 0), or while a file of the given name
/// exists.
class ThisProcess final : public ProcessPort {
public:
    /// `clock` is read for a name where the system gives no random bytes.
    ThisProcess(ClockPort& clock, std::string freeze_file) : clock_{clock}, freeze_file_{std::move(freeze_file)} {}

    [[nodiscard]] std::string token() override {
        std::array<unsigned char, 16> bytes{};
        std::FILE* const source = std::fopen("/dev/urandom", "rb");
        const bool random = source != nullptr && std::fread(bytes.data(), 1, bytes.size(), source) == bytes.size();
        if (source != nullptr) std::fclose(source);
        if (!random) {
            const Instant now = clock_.now();
            return std::to_string(now.wall.time_since_epoch().count()) + "." +
                   std::to_string(now.elapsed.time_since_epoch().count()) + "." +
                   std::to_string(reinterpret_cast<std::uintptr_t>(this));
        }
        std::string token;
        for (const unsigned char byte : bytes) {
            token += "0123456789abcdef"[byte >> 4];
            token += "0123456789abcdef"[byte & 15];
        }
        return token;
    }

    /// host/boot/namespace/pid/start time
    [[nodiscard]] std::string identity() override {
#ifdef __linux__
        const std::string where = boot_and_namespace();
        const std::string pid = std::to_string(::getpid());
        const std::string start = process_of(pid).start;
        // Elsewhere /proc may be that of another namespace.
        if (where.empty() || start.empty() || start != process_of("self").start) return {};
        return host_name() + "/" + where + "/" + pid + "/" + start;
#else
        return {};
#endif
    }

    [[nodiscard]] bool is_over([[maybe_unused]] std::string_view identity) override {
#ifdef __linux__
        const std::string where = "/" + boot_and_namespace() + "/";
        const std::size_t found = identity.find(where);
        if (where.size() < 3 || found == std::string_view::npos) return false;
        const std::string process{identity.substr(found + where.size())};  // pid/start time
        const std::size_t slash = process.find('/');
        const long pid = std::strtol(process.c_str(), nullptr, 10);
        if (slash == std::string::npos || pid <= 0) return false;
        if (::getpgid(static_cast<pid_t>(pid)) < 0 && errno == ESRCH) return true;
        const ProcessLine known = process_of(std::to_string(pid));
        if (known.start.empty()) return false;  // perhaps it only may not be seen
        return known.ended || known.start != process.substr(slash + 1);
#else
        return false;
#endif
    }

    [[nodiscard]] bool frozen() override {
        const char* const set = std::getenv("HEELER_FREEZE");
        if (set != nullptr && *set != '\0' && std::string_view{set} != "0") return true;
        if (freeze_file_.empty()) return false;
#ifdef __linux__
        return ::access(freeze_file_.c_str(), F_OK) == 0;  // whatever it is: nobody waits for it
#else
        std::FILE* const file = std::fopen(freeze_file_.c_str(), "rb");
        if (file == nullptr) return false;
        std::fclose(file);
        return true;
#endif
    }

private:
    ClockPort& clock_;
    std::string freeze_file_;
};

}  // namespace heeler::inline HEELER_ABI::detail
