#include "observed_text.hpp"

#include <variant>

#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>

namespace replay {
namespace {

/// More of a text is not looked at.
constexpr std::size_t bytes_looked_at = 4096;

}  // namespace

std::string short_text(std::string_view text, std::size_t most) {
    const std::string clean = heeler::text::redact(text.substr(0, bytes_looked_at));
    const bool longer = clean.size() > most || text.size() > bytes_looked_at;
    return heeler::text::one_line(std::string_view{clean}.substr(0, most), 4 * most) + (longer ? "..." : "");
}

std::string_view kind_of(const heeler::Observation& seen) {
    if (std::holds_alternative<heeler::ToolCall>(seen.event)) return "a call";
    if (std::holds_alternative<heeler::ToolResult>(seen.event)) return "a result";
    if (std::holds_alternative<heeler::Output>(seen.event)) return "output";
    if (std::holds_alternative<heeler::Usage>(seen.event)) return "tokens used";
    if (std::holds_alternative<heeler::Compaction>(seen.event)) return "its context was condensed";
    if (const auto* message = std::get_if<heeler::Message>(&seen.event))
        return message->is_own() ? "the agent says" : "the agent is told";
    return "an event";
}

std::string text_of(const heeler::Observation& seen, std::size_t most) {
    if (const auto* call = std::get_if<heeler::ToolCall>(&seen.event))
        return short_text(
            std::string{call->name.substr(0, 100)} + ' ' + std::string{call->args.substr(0, bytes_looked_at)}, most);
    if (const auto* result = std::get_if<heeler::ToolResult>(&seen.event)) return short_text(result->output, most);
    if (const auto* message = std::get_if<heeler::Message>(&seen.event)) return short_text(message->text, most);
    if (const auto* output = std::get_if<heeler::Output>(&seen.event)) return short_text(output->text, most);
    return {};
}

}  // namespace replay
