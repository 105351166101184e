// What a coding agent prints of its own work, line by line (--agent).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <heeler/core/source.hpp>
#include <heeler/source/transcript.hpp>

namespace supervise {

/// Standard output of an agent that tells what it does as JSON lines, in a format that `Transcript` knows. One thread
/// at a time.
class AgentStream {
public:
    /// Calls `told(const heeler::Reported&)` for what the lines that end in `chunk` tell, and `other(std::string_view)`
    /// for each line, with its end, that is none of the stream.
    template <class Told, class Other>
    void hear(std::string_view chunk, Told&& told, Other&& other) {
        while (!chunk.empty()) {
            const std::size_t size = chunk.find('\n');
            keep(chunk.substr(0, size));
            if (size == std::string_view::npos) return;
            chunk.remove_prefix(size + 1);
            if (!too_long_ && !read()) {
                ++unread_;
                other(line_ + '\n');
            }
            for (const heeler::TranscriptEvent& event : transcript_.conversation().events()) pass(event, told);
            transcript_.conversation().clear();
            line_.clear();
            too_long_ = false;
        }
    }

    /// By which the agent knows its session; empty as long as it has not said so.
    [[nodiscard]] std::string_view session() const { return transcript_.conversation().session(); }
    /// Lines so far that are none of a stream, if no line of one was among them.
    [[nodiscard]] std::size_t unknown_lines() const noexcept { return transcript_.format().empty() ? unread_ : 0; }
    /// Whether it has said that its turn is over, and nothing since.
    [[nodiscard]] bool turn_is_over() const noexcept { return turn_is_over_; }
    /// How often it did something of its own: called a tool, or spoke.
    [[nodiscard]] std::size_t steps() const noexcept { return steps_; }
    /// How often its turn was over.
    [[nodiscard]] std::size_t turns() const noexcept { return turns_; }
    /// What somebody told it, as far as it shows that; the newest.
    [[nodiscard]] const std::string& was_told() const noexcept { return was_told_; }
    [[nodiscard]] const std::string& doing() const noexcept { return doing_; }

private:
    static constexpr std::size_t longest_line = std::size_t{16} << 20;

    void keep(std::string_view part) {
        too_long_ = too_long_ || line_.size() + part.size() > longest_line;
        if (too_long_) return line_.clear();
        line_ += part;
    }

    [[nodiscard]] bool read() {
        if (!line_.starts_with('{')) return false;
        if (transcript_.format().empty() && !transcript_.recognise(line_)) return false;
        return transcript_.read(line_).has_value();
    }

    template <class Told>
    void pass(const heeler::TranscriptEvent& event, Told& told) {
        if (!event.run.empty()) return told(heeler::Reported{heeler::SignOfLife{"sub-agent"}});
        note(event.what);
        // Nobody can answer it: who does not go on, or end, after its turn hangs.
        const auto* change = std::get_if<heeler::StateChange>(&event.what);
        if (change == nullptr || change->state != heeler::RunState::waiting_human || !change->prompt.empty())
            told(event.what);
    }

    void note(const heeler::Reported& what) {
        turn_is_over_ = false;
        if (const auto* call = std::get_if<heeler::ToolCall>(&what)) {
            ++steps_;
            doing_ = call->name;
        } else if (const auto* message = std::get_if<heeler::Message>(&what)) {
            if (message->from_assistant)
                ++steps_;
            else
                was_told_ = message->text;
        } else if (std::holds_alternative<heeler::ToolResult>(what)) {
            doing_.clear();
        } else if (const auto* change = std::get_if<heeler::StateChange>(&what)) {
            turn_is_over_ = change->state == heeler::RunState::waiting_human && change->prompt.empty();
            if (!turn_is_over_) return;
            ++turns_;
            doing_.clear();
        }
    }

    heeler::Transcript transcript_;
    std::string line_;
    bool too_long_ = false;
    bool turn_is_over_ = false;
    std::size_t unread_ = 0;
    std::size_t steps_ = 0;
    std::size_t turns_ = 0;
    std::string was_told_;
    std::string doing_;
};

}  // namespace supervise
