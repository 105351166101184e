// The process that is told about workers, one JSON object a line, and that may ask for something by the same means.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include <heeler/agent/process_control.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>

namespace worker_monitor {

/// What an alert says, as orchestrators of workers read it: a type and a payload.
[[nodiscard]] inline std::string json_of(const heeler::Alert& alert) {
    heeler::text::JsonLine line;
    line.begin_object().key("msg_type").string(alert.kind).key("payload").begin_object();
    for (const heeler::Detail& detail : alert.details) {
        line.key(detail.name);
        detail.is_json ? line.raw(detail.value) : line.string(detail.value);
    }
    line.end_object().key("summary").string(alert.summary).key("key").string(alert.key);
    line.key("at").string(heeler::text::rfc3339(alert.at)).end_object();
    return line.text();
}

/// What the orchestrator asks for: {"nudge": WORKER, "text": TEXT}.
struct Nudge {
    std::string worker;
    std::string text;
};

/// Nothing if the line is something else.
[[nodiscard]] inline std::optional<Nudge> nudge_of(std::string_view line) {
    simdjson::dom::parser parser;
    simdjson::dom::element object;
    std::string_view worker;
    std::string_view text;
    if (parser.parse(simdjson::padded_string(line)).get(object) != simdjson::SUCCESS) return std::nullopt;
    if (object["nudge"].get_string().get(worker) != simdjson::SUCCESS) return std::nullopt;
    if (object["text"].get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
    return Nudge{std::string(worker), std::string(text)};
}

/// A handle on the process, for the watchdog's thread. Nobody who reads is a failed delivery.
class Orchestrator {
public:
    static constexpr std::string_view name = "orchestrator";

    [[nodiscard]] static heeler::Result<Orchestrator> start(std::vector<std::string> command) {
        heeler::ProcessSpec spec;
        spec.argv = std::move(command);
        spec.die_with_parent = true;
        spec.term_grace = std::chrono::seconds{2};
        auto started = heeler::ProcessControl::start(std::move(spec));
        if (!started) return tl::unexpected<heeler::Error>(std::move(started.error()));
        return Orchestrator(std::move(*started));
    }

    [[nodiscard]] heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) {
        const std::string line = json_of(alert);
        heeler::ActionRequest request;
        request.text = line;
        const auto written = process_->inject(request);
        if (written) return heeler::Receipt{};
        const bool gone = written.error().code == heeler::ErrorCode::ended;
        return heeler::fail(gone ? heeler::ErrorCode::no_recipient : heeler::ErrorCode::delivery_failed,
                            "the orchestrator: " + written.error().message);
    }

    /// For poll(): it has said something.
    [[nodiscard]] int poll_fd() const noexcept { return process_->poll_fd(); }

    /// The whole lines that it has said since.
    [[nodiscard]] std::vector<std::string> heard() {
        static_cast<void>(process_->read_output([this](std::string_view chunk) { *unfinished_ += chunk; }, 1 << 16));
        std::vector<std::string> lines;
        for (std::size_t end = 0; (end = unfinished_->find('\n')) != std::string::npos; unfinished_->erase(0, end + 1))
            lines.push_back(unfinished_->substr(0, end));
        if (unfinished_->size() > 1 << 16) unfinished_->clear();
        return lines;
    }

    void end() { static_cast<void>(process_->terminate({})); }

private:
    explicit Orchestrator(heeler::ProcessControl process)
        : process_{std::make_shared<heeler::ProcessControl>(std::move(process))},
          unfinished_{std::make_shared<std::string>()} {}

    std::shared_ptr<heeler::ProcessControl> process_;
    std::shared_ptr<std::string> unfinished_;
};

}  // namespace worker_monitor
