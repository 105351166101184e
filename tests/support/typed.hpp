// A terminal that notes what is typed into it, and when.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/result.hpp>

namespace heeler_test {

struct Typed {
    struct Call {
        std::string what;
        std::chrono::steady_clock::time_point at;
    };

    std::vector<Call> calls;
    std::size_t fails_at = std::numeric_limits<std::size_t>::max();

    heeler::Result<void> write(std::string_view bytes) { return note(std::string(bytes)); }
    heeler::Result<void> flush() { return note("flush"); }

    [[nodiscard]] std::vector<std::string> all() const {
        std::vector<std::string> whats;
        for (const Call& call : calls) whats.push_back(call.what);
        return whats;
    }

private:
    heeler::Result<void> note(std::string what) {
        calls.push_back({std::move(what), std::chrono::steady_clock::now()});
        if (calls.size() == fails_at + 1) return heeler::fail(heeler::ErrorCode::io, "the terminal is broken");
        return {};
    }
};

}  // namespace heeler_test
