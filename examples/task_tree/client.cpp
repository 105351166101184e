#include "client.hpp"

#include <utility>

#include <httplib.h>

#include <heeler/text/json_writer.hpp>
#include <heeler/text/url_encoded.hpp>

#include "tracker.hpp"

namespace tracker {

struct Client::Wire {
    explicit Wire(const std::string& url) : http{url} {
        http.set_read_timeout(10);
        http.set_tcp_nodelay(true);
    }

    httplib::Client http;
};

namespace {

httplib::Headers headers_of(const std::string& token, const std::string& run) {
    httplib::Headers headers{{"Authorization", "Bearer " + token}};
    if (!run.empty()) headers.emplace("X-Actor-Run", run);
    return headers;
}

Answer answer_of(const httplib::Result& result) {
    if (!result) return {0, {}};
    return {result->status, result->body};
}

constexpr const char* json_type = "application/json";

}  // namespace

std::string Answer::error() const {
    if (status == 0) return "no answer";
    try {
        return Body{body}.object().text("error");
    } catch (const Refused&) {
        return "status " + std::to_string(status);
    }
}

Client::Client(const std::string& url) : wire_{std::make_unique<Wire>(url)} {}
Client::~Client() = default;

Answer Client::get(const std::string& path) { return answer_of(wire_->http.Get(path, headers_of(token_, run_))); }
Answer Client::post(const std::string& path, const std::string& json) {
    return answer_of(wire_->http.Post(path, headers_of(token_, run_), json, json_type));
}
Answer Client::patch(const std::string& path, const std::string& json) {
    return answer_of(wire_->http.Patch(path, headers_of(token_, run_), json, json_type));
}
Answer Client::put(const std::string& path, const std::string& json) {
    return answer_of(wire_->http.Put(path, headers_of(token_, run_), json, json_type));
}

std::string Client::issue(const std::string& id, const std::string& rest) {
    return "/api/issues/" + heeler::text::url_encoded(id) + rest;
}

std::string json_of(const std::map<std::string, std::string>& members) {
    heeler::text::JsonLine json;
    json.begin_object();
    for (const auto& [key, value] : members) json.key(key).string(value);
    json.end_object();
    return std::move(json).text();
}

}  // namespace tracker
