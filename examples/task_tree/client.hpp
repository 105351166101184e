// A client of the tracker: sends JSON, gets JSON.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "request.hpp"

namespace tracker {

/// What the tracker answered. Status 0: it did not.
struct Answer {
    int status = 0;
    std::string body{};

    [[nodiscard]] bool good() const noexcept { return status >= 200 && status < 300; }
    /// What the answer says if it is no good one.
    [[nodiscard]] std::string error() const;
};

/// One thread at a time.
class Client {
public:
    explicit Client(const std::string& url);
    ~Client();

    /// With whose token the next requests are made, and in which of its runs.
    void act_as(std::string token, std::string run = {}) {
        token_ = std::move(token);
        run_ = std::move(run);
    }

    Answer get(const std::string& path);
    Answer post(const std::string& path, const std::string& json);
    Answer patch(const std::string& path, const std::string& json);
    Answer put(const std::string& path, const std::string& json);

    /// "/api/issues/ID" with whatever is after it, ready for a path.
    [[nodiscard]] static std::string issue(const std::string& id, const std::string& rest = {});

private:
    struct Wire;

    std::string token_;
    std::string run_;
    std::unique_ptr<Wire> wire_;
};

/// `{"key":"value",...}`
[[nodiscard]] std::string json_of(const std::map<std::string, std::string>& members);

}  // namespace tracker
