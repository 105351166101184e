#include "verdict_log.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <heeler/clock/system_clock.hpp>
#include <heeler/notify/http/http_client.hpp>
#include <heeler/text/json_writer.hpp>

namespace serve {
namespace {

using heeler::text::JsonLine;

constexpr std::size_t most_waiting = 1000;
constexpr std::chrono::seconds patience{60};
constexpr std::chrono::seconds longest_answer{5};  ///< and at the end for all that waits

heeler::Elapsed moment_now() { return heeler::SystemClock{}.now().elapsed; }

/// As the protocol numbers them.
struct Weight {
    int number;
    std::string_view name;
};
constexpr Weight info{9, "INFO"}, warn{13, "WARN"}, error{17, "ERROR"};

Weight weight_of(heeler::Severity severity) {
    if (severity == heeler::Severity::critical) return error;
    return severity == heeler::Severity::warning ? warn : info;
}

struct Record {
    std::string_view event{};
    Weight weight = info;
    std::string run{};
    std::string body{};
    std::vector<std::pair<std::string_view, std::string>> attributes{};
};

std::string conditions_of(const heeler::StatusEvent& event) {
    std::string names;
    for (const heeler::Finding& finding : event.findings)
        (names += names.empty() ? "" : " ") += name_of(finding.condition);
    return names;
}

Record record_of(const heeler::StatusEvent& event) {
    const std::string status{name_of(event.status)};
    return {"heeler.status",
            weight_of(event.severity),
            event.run,
            status,
            {{"heeler.status", status}, {"heeler.conditions", conditions_of(event)}}};
}

Record record_of(const heeler::ActionEvent& event) {
    const std::string kind{name_of(event.action.kind)}, outcome{name_of(event.action.outcome)};
    return {"heeler.action",
            warn,
            event.run,
            kind + ": " + outcome,
            {{"heeler.action", kind}, {"heeler.outcome", outcome}, {"heeler.note", event.action.note}}};
}

Record record_of(const heeler::OutcomeEvent& event) {
    const std::string kind{name_of(event.of)}, outcome{name_of(event.outcome)};
    return {"heeler.outcome",
            info,
            event.run,
            kind + ": " + outcome,
            {{"heeler.action", kind}, {"heeler.outcome", outcome}}};
}

Record record_of(const heeler::AlertEvent& event) {
    const heeler::Alert& alert = event.row.alert;
    return {"heeler.alert",
            weight_of(alert.severity),
            alert.run.id,
            alert.summary,
            {{"heeler.alert.kind", alert.kind}, {"heeler.alert.key", alert.key}}};
}

/// An id of a trace: 32 hexadecimal digits.
bool is_trace(std::string_view run) {
    return run.size() == 32 && run.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

void put_text(JsonLine& line, std::string_view key, std::string_view value) {
    line.begin_object().key("key").string(key).key("value").begin_object().key("stringValue").string(value);
    line.end_object().end_object();
}

void put(JsonLine& line, const Record& record, heeler::WallTime at) {
    line.begin_object();
    line.key("timeUnixNano").string(std::to_string(at.time_since_epoch().count()) + "000");
    line.key("severityNumber").number(record.weight.number).key("severityText").string(record.weight.name);
    line.key("eventName").string(record.event);
    line.key("body").begin_object().key("stringValue").string(record.body).end_object();
    if (is_trace(record.run)) line.key("traceId").string(record.run);
    line.key("attributes").begin_array();
    put_text(line, is_trace(record.run) ? "heeler.run" : "gen_ai.conversation.id", record.run);
    for (const auto& [key, value] : record.attributes)
        if (!value.empty()) put_text(line, key, value);
    line.end_array().end_object();
}

}  // namespace

std::string logs_of(const heeler::CycleReport& report, heeler::WallTime at) {
    std::vector<Record> records;
    for (const heeler::Event& event : report.events)
        std::visit(
            [&](const auto& each) {
                if constexpr (requires { record_of(each); }) records.push_back(record_of(each));
            },
            event);
    std::erase_if(records, [](const Record& record) { return record.run.empty(); });
    if (records.empty()) return {};
    JsonLine line;
    line.begin_object().key("resourceLogs").begin_array().begin_object();
    line.key("resource").begin_object().key("attributes").begin_array();
    put_text(line, "service.name", "heeler-serve");
    line.end_array().end_object().key("scopeLogs").begin_array().begin_object();
    line.key("scope").begin_object().key("name").string("heeler").end_object().key("logRecords").begin_array();
    for (const Record& record : records) put(line, record, at);
    line.end_array().end_object().end_array().end_object().end_array().end_object();
    return std::move(line).text();
}

VerdictLog::VerdictLog(std::string where, std::vector<std::string> headers, Say say)
    : where_{std::move(where)}, headers_{std::move(headers)}, say_{std::move(say)} {}

VerdictLog::~VerdictLog() {
    {
        const std::lock_guard one{lock_};
        over_at_ = moment_now();
    }
    changed_.notify_all();
    if (sender_.joinable()) sender_.join();
}

bool VerdictLog::is_url() const { return where_.starts_with("http://") || where_.starts_with("https://"); }

heeler::Result<void> VerdictLog::open() {
    if (where_.empty()) return {};
    if (is_url()) {
        sender_ = std::thread{[this] { send_all(); }};
        return {};
    }
    file_ = heeler::FileDescriptor{::open(where_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)};
    if (file_) return {};
    return heeler::fail(heeler::ErrorCode::io, "--otlp-log '" + where_ + "': " + std::strerror(errno));
}

void VerdictLog::note(const heeler::CycleReport& report, heeler::WallTime at) {
    if (where_.empty()) return;
    std::string line = logs_of(report, at);
    if (line.empty()) return;
    const std::lock_guard one{lock_};
    if (!is_url()) return append(line += '\n');
    if (waiting_.size() >= most_waiting) {
        waiting_.pop_front();
        say_("--otlp-log: the collector is too slow; verdicts are lost to it");
    }
    waiting_.push_back(std::move(line));
    changed_.notify_all();
}

void VerdictLog::append(const std::string& line) {
    if (::write(file_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        say_("--otlp-log '" + where_ + "': " + std::strerror(errno));
}

/// What waits when it is over is tried once, as far as there is time.
void VerdictLog::send_all() {
    std::unique_lock held{lock_};
    while (true) {
        changed_.wait(held, [&] { return over_at_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        const heeler::Duration left = over_at_ ? *over_at_ + longest_answer - moment_now() : longest_answer;
        if (left <= heeler::Duration{})
            return say_("--otlp-log: the collector did not take the last verdicts in time; they are lost to it");
        const std::string body = std::move(waiting_.front());
        waiting_.pop_front();
        held.unlock();
        const bool sent = send(body, left);
        held.lock();
        if (!sent) say_("--otlp-log: the collector did not take verdicts; they are lost to it");
    }
}

bool VerdictLog::send(const std::string& body, heeler::Duration limit) {
    heeler::HttpClient client{{limit, limit, {}}};
    heeler::HttpRequest request;
    request.method = "POST";
    request.url = where_;
    request.headers = headers_;
    request.headers.emplace_back("Content-Type: application/json");
    request.body = body;
    std::chrono::seconds waited{0};
    for (std::chrono::seconds pause{1};; pause *= 2) {
        const auto answer = client.ask(request);
        if (answer && answer->status >= 200 && answer->status < 300) return true;
        const bool again = !answer || answer->status == 429 || (answer->status >= 502 && answer->status <= 504);
        if (!again || waited >= patience) return false;
        std::unique_lock held{lock_};
        if (changed_.wait_for(held, pause, [&] { return over_at_.has_value(); })) return false;
        waited += pause;
    }
}

}  // namespace serve
