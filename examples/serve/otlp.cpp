#include "otlp.hpp"

#ifdef HEELER_HAS_HTTPLIB
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include <httplib.h>
#include <sys/socket.h>

#include <heeler/text/json_writer.hpp>

#include "../common/door.hpp"
#include "../common/own_port.hpp"
#include "../common/scratch.hpp"
#endif

namespace serve {

#ifdef HEELER_HAS_HTTPLIB
namespace {

using httplib::Request;
using httplib::Response;

constexpr const char* json_type = "application/json";
constexpr std::size_t exports_at_once = 4;  ///< they are taken in one after the other
constexpr std::size_t longest_request = largest_export + (std::size_t{64} << 10);

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
    common::Scratch scratch{"heeler-serve"};
    httplib::Server server{};
    std::thread thread{};
    std::optional<common::Door> door{};

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
    server.new_task_queue = [] { return new httplib::ThreadPool(exports_at_once); };
    server.set_address_family(AF_UNIX);
    server.set_keep_alive_max_count(1);
    server.set_payload_max_length(largest_export);
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
    if (http_->door) http_->door->close();
    if (http_->thread.joinable()) http_->thread.join();
}

heeler::Result<int> OtlpReceiver::listen(int port) {
    try {
        http_->door.emplace(port, common::DoorRules{longest_request, exports_at_once, http_->authorization,
                                                    "the header `Authorization: Bearer ...` does not hold "
                                                    "HEELER_OTLP_TOKEN"});
    } catch (const std::exception&) {
        return heeler::fail(heeler::ErrorCode::io, "--otlp " + std::to_string(port) + " is taken; 0 takes any port");
    }
    const std::string place = http_->scratch.path() / "otlp";
    if (!http_->server.bind_to_port(place, 1))
        return heeler::fail(heeler::ErrorCode::io, "--otlp: no socket can be had at " + place);
    http_->thread = common::answering(http_->server);
    http_->door->open(place);
    return http_->door->port();
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
