// What counts as progress of the supervised command.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

#include <heeler/core/result.hpp>

namespace supervise {

/// A number that grows with the work done. One thread at a time.
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
