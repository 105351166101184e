#include "otlp.hpp"

#ifdef HEELER_HAS_HTTPLIB
#include <thread>
#include <utility>

#include <httplib.h>

#include <heeler/text/json_writer.hpp>

#include "../common/own_port.hpp"
#include "../common/token.hpp"
#endif

namespace serve {

#ifdef HEELER_HAS_HTTPLIB
namespace {

using httplib::Request;
using httplib::Response;

constexpr const char* json_type = "application/json";

/// A `Status` of the protocol.
void refuse_export(Response& response, int status, std::string_view why) {
    heeler::text::JsonLine line;
    line.begin_object().key("message").string(why).end_object();
    response.status = status;
    response.set_content(line.text(), json_type);
}

void accept_export(Response& response, std::string_view rejected_key, const Taken& taken) {
    heeler::text::JsonLine line;
    line.begin_object();
    if (!taken.why.empty()) {
        line.key("partialSuccess").begin_object().key(rejected_key).string(std::to_string(taken.rejected));
        line.key("errorMessage").string(taken.why).end_object();
    }
    line.end_object();
    response.set_content(line.text(), json_type);
}

}  // namespace

struct OtlpReceiver::Http {
    SpanRuns& runs;
    std::string authorization;
    httplib::Server server{};
    std::thread thread{};

    using Take = heeler::Result<Taken> (SpanRuns::*)(std::string_view);

    void post(const char* path, const char* rejected_key, Take take) {
        server.Post(path, [this, rejected_key, take](const Request& request, Response& response) {
            if (request.get_header_value("Content-Type").rfind(json_type, 0) != 0)
                return refuse_export(
                    response, 415,
                    "only JSON is read: set OTEL_EXPORTER_OTLP_PROTOCOL=http/json, or `encoding: json` "
                    "and `compression: none` of a collector's otlphttp exporter");
            const auto taken = (runs.*take)(request.body);
            if (!taken) return refuse_export(response, 400, taken.error().message);
            accept_export(response, rejected_key, *taken);
        });
    }
};

OtlpReceiver::OtlpReceiver(SpanRuns& runs, std::string token) : http_{new Http{runs, "Bearer " + std::move(token)}} {
    httplib::Server& server = http_->server;
    server.new_task_queue = [] { return new httplib::ThreadPool(4); };
    server.set_read_timeout(5);
    server.set_write_timeout(5);
    server.set_payload_max_length(largest_export);
    server.set_pre_routing_handler([this](const Request& request, Response& response) {
        if (common::same_token(request.get_header_value("Authorization"), http_->authorization))
            return httplib::Server::HandlerResponse::Unhandled;
        refuse_export(response, 401, "the header `Authorization: Bearer ...` does not hold HEELER_OTLP_TOKEN");
        return httplib::Server::HandlerResponse::Handled;
    });
    server.set_error_handler([](const Request&, Response& response) {
        if (!response.body.empty()) return;
        const bool large = response.status == 413;
        refuse_export(response, response.status,
                      large ? "a request has at most " + std::to_string(largest_export) + " bytes; send smaller batches"
                            : std::string{"POST to /v1/traces or /v1/logs, uncompressed"});
    });
    http_->post("/v1/traces", "rejectedSpans", &SpanRuns::take_spans);
    http_->post("/v1/logs", "rejectedLogRecords", &SpanRuns::take_logs);
    server.Post("/v1/metrics", [](const Request&, Response& response) {
        accept_export(response, "rejectedDataPoints", {0, "metrics are not read here"});
    });
}

OtlpReceiver::~OtlpReceiver() {
    http_->server.stop();
    if (http_->thread.joinable()) http_->thread.join();
}

heeler::Result<int> OtlpReceiver::listen(int port) {
    const int bound = common::bind_at(http_->server, "127.0.0.1", port);
    if (bound <= 0)
        return heeler::fail(heeler::ErrorCode::io, "--otlp " + std::to_string(port) + " is taken; 0 takes any port");
    http_->thread = common::answering(http_->server);
    return bound;
}
#else
struct OtlpReceiver::Http {};

OtlpReceiver::OtlpReceiver(SpanRuns&, std::string) {}

OtlpReceiver::~OtlpReceiver() = default;

heeler::Result<int> OtlpReceiver::listen(int) {
    return heeler::fail(heeler::ErrorCode::unsupported, "--otlp: this program was built without cpp-httplib");
}
#endif

}  // namespace serve
