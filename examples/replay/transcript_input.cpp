#include "transcript_input.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include <heeler/source/transcript.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/sanitise.hpp>

namespace replay {
namespace {

using heeler::text::JsonLine;

/// A format shows itself early, or the input is something else.
constexpr std::size_t lines_to_recognise = 50;
constexpr std::size_t longest_task = 256;
constexpr std::size_t longest_id = 100;  // of a session; a run's id may have 128 bytes

bool is_json(std::string_view text) {
    simdjson::dom::parser parser;
    simdjson::dom::element parsed;
    return !text.empty() && (text.front() == '{' || text.front() == '[') &&
           parser.parse(simdjson::padded_string{text}).get(parsed) == simdjson::SUCCESS;
}

std::string_view role_of(const heeler::Message& message) { return message.from_assistant ? "assistant" : "user"; }

/// Writes what happened as a line of a scenario.
class Writer {
public:
    explicit Writer(heeler::Conversation& told)
        : session_{heeler::text::sanitise(told.session().substr(0, longest_id), longest_id)},
          task_{heeler::text::sanitise(told.task(), longest_task)} {
        if (session_.empty()) session_ = "session";
        if (const auto began = told.began()) began_ = std::chrono::floor<std::chrono::seconds>(*began);
    }

    [[nodiscard]] std::vector<std::string> write(const heeler::TranscriptEvent& event) {
        std::vector<std::string> lines;
        const std::string run = event.run.empty() ? session_ : session_ + "/" + std::string{event.run};
        if (known_.empty()) begin(session_, "", lines);
        if (!known_.contains(run)) begin(run, session_, lines);
        if (std::optional<std::string> line = line_of(event, run)) lines.push_back(std::move(*line));
        return lines;
    }

private:
    void begin(const std::string& run, const std::string& parent, std::vector<std::string>& lines) {
        JsonLine line;
        line.begin_object();
        if (!known_.empty())
            line.key("t").number(t_);
        else if (began_)
            line.key("at").string(heeler::text::rfc3339(*began_));
        line.key("type").string("run").key("run").string(run).key("task").string(task_);
        if (!parent.empty()) line.key("parent").string(parent);
        lines.push_back(std::move(line.end_object()).text());
        known_.insert(run);
    }

    std::optional<std::string> line_of(const heeler::TranscriptEvent& event, const std::string& run) {
        line_ = JsonLine{};
        line_.begin_object();
        if (event.at && began_) t_ = std::max(t_, std::chrono::duration<double>(*event.at - *began_).count());
        if (began_) line_.key("t").number(t_);
        line_.key("run").string(run);
        const bool told = std::visit([&](const auto& what) { return add(what); }, event.what);
        line_.end_object();
        return told ? std::optional{line_.text()} : std::nullopt;
    }

    JsonLine& type(std::string_view name) { return line_.key("type").string(name); }

    bool add(const heeler::Heartbeat&) {
        type("heartbeat");
        return true;
    }
    bool add(const heeler::ToolCall& call) {
        type("tool_call").key("name").string(call.name).key("call_id").string(call.call_id).key("args");
        is_json(call.args) ? line_.raw(call.args) : line_.exact(call.args);
        return true;
    }
    bool add(const heeler::ToolResult& result) {
        type("tool_result").key("call_id").string(result.call_id).key("output").exact(result.output);
        if (result.ok) line_.key("ok").boolean(*result.ok);
        return true;
    }
    bool add(const heeler::Message& message) {
        type("message").key("role").string(role_of(message)).key("text").exact(message.text);
        return true;
    }
    bool add(const heeler::Usage& usage) {
        type("usage").key("tokens_in").number(usage.tokens_in).key("tokens_out").number(usage.tokens_out);
        line_.key("api_calls").number(usage.api_calls).key("cost_usd").number(usage.cost_usd);
        return true;
    }
    bool add(const heeler::StateChange& change) {
        type("state").key("state").string(name_of(change.state));
        if (!change.prompt.empty()) line_.key("prompt").string(change.prompt);
        if (change.until && began_)
            line_.key("until").number(std::chrono::duration<double>(*change.until - *began_).count());
        return true;
    }
    bool add(const heeler::Compaction& compaction) {
        type("compaction").key("tokens_before").number(compaction.tokens_before);
        line_.key("tokens_after").number(compaction.tokens_after);
        return true;
    }
    /// No transcript tells anything else.
    template <class Other>
    bool add(const Other&) {
        return false;
    }

    std::string session_;
    std::string task_;
    std::optional<heeler::WallTime> began_;
    double t_ = 0;
    std::set<std::string> known_;
    JsonLine line_;
};

/// An event and the line that told it.
struct Told {
    std::size_t number = 0;
    heeler::WallTime at{};
    const heeler::TranscriptEvent* event = nullptr;
};

/// By time: agents that work beside each other stand one after the other in some files. What has no time belongs to
/// what comes before it.
std::vector<Told> in_order(const heeler::Conversation& told, const std::vector<std::size_t>& numbers) {
    std::vector<Told> events;
    heeler::WallTime last = told.began().value_or(heeler::WallTime{});
    for (std::size_t i = 0; i < told.events().size(); ++i) {
        const heeler::TranscriptEvent& event = told.events()[i];
        last = event.at.value_or(last);
        events.push_back({i < numbers.size() ? numbers[i] : numbers.back(), last, &event});
    }
    std::stable_sort(events.begin(), events.end(), [](const Told& a, const Told& b) { return a.at < b.at; });
    return events;
}

/// Whether one of the first lines shows a format.
bool recognise(heeler::Transcript& transcript, const std::vector<InputLine>& lines) {
    std::size_t looked_at = 0;
    for (const InputLine& line : lines) {
        if (!line.too_long && transcript.recognise(line.text)) return true;
        if (++looked_at == lines_to_recognise) return false;
    }
    return false;
}

/// Reads all lines, or all of them as one document. Absent if that is no transcript.
std::optional<TranscriptInput> read_transcript(const std::vector<InputLine>& lines) {
    heeler::Transcript transcript;
    if (!recognise(transcript, lines)) return std::nullopt;
    heeler::Conversation& told = transcript.conversation();
    std::vector<std::size_t> numbers;
    std::vector<InputLine> unread;
    for (const InputLine& line : lines) {
        if (line.too_long || !transcript.read(line.text)) unread.push_back(line);
        numbers.resize(told.events().size(), line.number);
    }
    told.pause();

    TranscriptInput input{std::string{transcript.format()}, {}, {}};
    Writer writer{told};
    if (!numbers.empty())
        for (const Told& each : in_order(told, numbers))
            for (std::string& text : writer.write(*each.event))
                input.lines.push_back({each.number, std::move(text), false});
    input.lines.insert(input.lines.end(), unread.begin(), unread.end());
    for (const auto& [type, count] : told.unknown())
        input.notes.push_back("'" + heeler::text::sanitise(type, 60) + "' is not known in the format " + input.format +
                              "; " + std::to_string(count) + (count == 1 ? " line" : " lines") + " of it passed over");
    return input;
}

/// A document may be spread over lines.
std::vector<InputLine> as_document(const std::vector<InputLine>& lines) {
    InputLine whole{lines.front().number, {}, false};
    for (const InputLine& line : lines) {
        if (line.too_long || whole.text.size() + line.text.size() > max_line_bytes) return {};
        whole.text += line.text;
        whole.text += '\n';
    }
    return {std::move(whole)};
}

}  // namespace

TranscriptInput from_transcript(std::vector<InputLine> lines) {
    if (lines.empty()) return {{}, std::move(lines), {}};
    // The first line of JSON lines is whole; that of a document that is spread over lines is not.
    const std::string& first = lines.front().text;
    auto found = read_transcript(is_json(first) || lines.front().too_long ? lines : as_document(lines));
    if (found) return std::move(*found);
    return {{}, std::move(lines), {}};
}

std::string transcript_formats() { return heeler::Transcript::formats(); }

}  // namespace replay
