// What the watchdog found and did, as log records of OpenTelemetry: into a file, or to a collector.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <heeler/core/events.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/posix/file_descriptor.hpp>

namespace serve {

/// Each `ExportLogsServiceRequest` as a line of JSON; empty: the cycle had nothing to tell of a run.
[[nodiscard]] std::string logs_of(const heeler::CycleReport& report, heeler::WallTime at);

/// Appends to a file, or posts to a URL from a thread of its own. A collector that does not take it is asked again for
/// a minute; what waits for it is bounded, and what is lost is said. Thread-safe.
class VerdictLog {
public:
    using Say = std::function<void(const std::string&)>;

    /// `where` begins with http:// or https://, or is the path of a file. A collector is sent these headers.
    VerdictLog(std::string where, std::vector<std::string> headers, Say say);
    VerdictLog(const VerdictLog&) = delete;
    VerdictLog& operator=(const VerdictLog&) = delete;
    /// What waits for a collector has 5 s in all.
    ~VerdictLog();

    /// Error: the file cannot be written.
    [[nodiscard]] heeler::Result<void> open();
    void note(const heeler::CycleReport& report, heeler::WallTime at);

private:
    [[nodiscard]] bool is_url() const;
    void append(const std::string& line);
    void send_all();
    [[nodiscard]] bool send(const std::string& body, heeler::Duration limit);

    std::string where_;
    std::vector<std::string> headers_;
    Say say_;
    std::mutex lock_;
    std::condition_variable changed_;
    std::deque<std::string> waiting_;
    std::optional<heeler::Elapsed> over_at_;
    heeler::FileDescriptor file_;
    std::thread sender_;
};

}  // namespace serve
