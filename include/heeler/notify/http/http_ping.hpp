// Calls a URL to say that this process is alive: a dead man's switch of a monitoring service, which raises the alarm
// when the calls stay away. libcurl.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <heeler/core/result.hpp>
#include <heeler/notify/http/http_client.hpp>

namespace heeler::inline HEELER_ABI {

/// An outlet of `SelfWatch`. Waits no longer than its time limit (5 s). Errors: those of `HttpClient`;
/// `delivery_failed`: the answer is not 2xx. The URL, which may hold a secret, is in none. Copies share a connection;
/// one thread at a time.
class HttpPing {
public:
    explicit HttpPing(std::string url, std::string method = "GET",
                      TransferSettings settings = {std::chrono::seconds{5}, std::chrono::seconds{5}, {}})
        : client_{std::make_shared<HttpClient>(std::move(settings))} {
        request_.method = std::move(method);
        request_.url = std::move(url);
        request_.most = 1024;
    }

    Result<void> operator()() {
        const auto answer = client_->ask(request_);
        if (!answer)
            return fail(answer.error().code, "the dead man's switch was not reached: " + answer.error().message);
        if (answer->status < 200 || answer->status > 299)
            return fail(ErrorCode::delivery_failed, "the dead man's switch answered " + std::to_string(answer->status));
        return {};
    }

private:
    std::shared_ptr<HttpClient> client_;
    HttpRequest request_;
};

}  // namespace heeler::inline HEELER_ABI
