// The one room of the engine that looks at the process and the machine: random bytes, and the switch that freezes
// everything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/ports.hpp>

namespace heeler::inline HEELER_ABI::detail {

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

    [[nodiscard]] bool frozen() override {
        const char* const set = std::getenv("HEELER_FREEZE");
        if (set != nullptr && *set != '\0' && std::string_view{set} != "0") return true;
        if (freeze_file_.empty()) return false;
        std::FILE* const file = std::fopen(freeze_file_.c_str(), "rb");
        if (file == nullptr) return false;
        std::fclose(file);
        return true;
    }

private:
    ClockPort& clock_;
    std::string freeze_file_;
};

}  // namespace heeler::inline HEELER_ABI::detail
