// What counts as progress of the supervised command.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/result.hpp>

#include "../common/background.hpp"

namespace supervise {

/// A number that grows with the work done. `see_line` on one thread and `sample` on another.
class Metric {
public:
    virtual ~Metric() = default;
    /// For people: "output lines", "files changed under src".
    [[nodiscard]] virtual std::string name() const = 0;
    /// A finished line of output.
    virtual void see_line(std::string_view) {}
    /// The value now; nothing if there is none (yet), or if the watchdog itself counts (output lines).
    [[nodiscard]] virtual std::optional<std::int64_t> sample() { return std::nullopt; }
    /// Whether `sample` has something to tell.
    [[nodiscard]] virtual bool reported() const { return true; }
    /// Nobody needs the sample any more that is being taken. Any thread.
    void stop() noexcept { stopped_ = true; }

protected:
    [[nodiscard]] bool stopped() const noexcept { return stopped_; }

private:
    std::atomic<bool> stopped_{false};
};

/// Takes samples on a thread of its own: git and directories can be slow.
class Sampler {
public:
    explicit Sampler(Metric& metric) : metric_(metric), background_([this] { take(); }) {}
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;
    ~Sampler() { metric_.stop(); }

    void request() { background_.request(); }

    /// The sample that was taken last, once.
    [[nodiscard]] std::optional<std::int64_t> fetch() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::exchange(value_, std::nullopt);
    }

private:
    void take() {
        const std::optional<std::int64_t> value = metric_.sample();
        const std::lock_guard<std::mutex> lock(mutex_);
        value_ = value;
    }

    Metric& metric_;
    std::mutex mutex_;
    std::optional<std::int64_t> value_;
    common::Background background_;  // last: its thread uses what stands above
};

/// "lines", "files:DIR", "commits:REPO" or "match:REGEX". Error: `invalid_argument`, naming what is wrong.
[[nodiscard]] heeler::Result<std::unique_ptr<Metric>> make_metric(const std::string& text);

/// Cuts output into lines, of which only the first 4,096 bytes are kept.
class LineCutter {
public:
    template <class Sink>
    void feed(std::string_view text, Sink&& sink) {
        while (true) {
            const std::size_t end = text.find('\n');
            line_.append(text.substr(0, std::min(end, max_line - std::min(line_.size(), max_line))));
            if (end == std::string_view::npos) return;
            sink(std::string_view(line_));
            line_.clear();
            text.remove_prefix(end + 1);
        }
    }

private:
    static constexpr std::size_t max_line = 4096;
    std::string line_;
};

}  // namespace supervise
