// The door for OpenTelemetry: OTLP over HTTP, as JSON, on this machine alone.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <heeler/core/result.hpp>

#include "span_runs.hpp"

namespace serve {

/// Bytes of a request, as the protocol recommends.
inline constexpr std::size_t largest_export = std::size_t{20} << 20;

/// Answers in threads of its own, from `listen` until it is destroyed: `/v1/traces`, `/v1/logs`, and `/v1/metrics`,
/// which are not read. Exporters send their token as `Authorization: Bearer ...`.
class OtlpReceiver {
public:
    OtlpReceiver(SpanRuns& runs, std::string token);
    OtlpReceiver(const OtlpReceiver&) = delete;
    OtlpReceiver& operator=(const OtlpReceiver&) = delete;
    ~OtlpReceiver();

    /// The port, which is another one if 0 was asked for. Error: it is taken.
    [[nodiscard]] heeler::Result<int> listen(int port);

private:
    struct Http;

    std::unique_ptr<Http> http_;
};

}  // namespace serve
