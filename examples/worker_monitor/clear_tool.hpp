// A tool for an agent that is a monitor itself: by `watchdog_clear`, which takes nothing, it clears its own
// conversation. The Model Context Protocol on standard streams, as far as one tool needs it: one object a line.
#pragma once

#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include <heeler/agent/terminal_input.hpp>
#include <heeler/agent/tmux_pane.hpp>
#include <heeler/core/result.hpp>
#include <heeler/text/json_writer.hpp>

namespace worker_monitor {

namespace detail {

inline constexpr std::string_view clear_tool_list =
    R"({"tools":[{"name":"watchdog_clear","description":"Clear the conversation of the calling session. For a monitor, )"
    R"(after each cycle, when all messages are sent. It takes effect when your turn is over.",)"
    R"("inputSchema":{"type":"object","properties":{}}}]})";

/// What is typed while the agent works is read when its turn is over: whether it was typed is all that can be told.
[[nodiscard]] inline std::string clear_result(heeler::TmuxPane& own, const std::string& command) {
    const auto typed = heeler::submit_line(own, command);
    heeler::text::JsonLine line;
    line.begin_object().key("content").begin_array().begin_object().key("type").string("text").key("text");
    line.string(typed ? command + " is typed; it takes effect when your turn is over" : typed.error().message);
    line.end_object().end_array().key("isError").boolean(!typed).end_object();
    return line.text();
}

[[nodiscard]] inline std::string hello(const simdjson::dom::element& request) {
    std::string_view version;
    if (request["params"]["protocolVersion"].get_string().get(version) != simdjson::SUCCESS) version = "2024-11-05";
    heeler::text::JsonLine line;
    line.begin_object().key("protocolVersion").string(version);
    line.key("capabilities").raw(R"({"tools":{}})");
    line.key("serverInfo").raw(R"({"name":"heeler-worker-monitor","version":"1"})").end_object();
    return line.text();
}

/// Nothing: there is no such method, or no such tool.
[[nodiscard]] inline std::optional<std::string> result_of(std::string_view method,
                                                          const simdjson::dom::element& request, heeler::TmuxPane& own,
                                                          const std::string& command) {
    std::string_view tool;
    if (method == "initialize") return hello(request);
    if (method == "ping") return "{}";
    if (method == "tools/list") return std::string{clear_tool_list};
    if (method != "tools/call" || request["params"]["name"].get_string().get(tool) != simdjson::SUCCESS)
        return std::nullopt;
    return tool == "watchdog_clear" ? std::optional{clear_result(own, command)} : std::nullopt;
}

}  // namespace detail

/// The answer to a line; nothing to one that wants none.
[[nodiscard]] inline std::optional<std::string> clear_tool_answer(const std::string& line, heeler::TmuxPane& own,
                                                                  const std::string& command) {
    simdjson::dom::parser parser;
    simdjson::dom::element request;
    simdjson::dom::element id;
    std::string_view method;
    heeler::text::JsonLine answer;
    answer.begin_object().key("jsonrpc").string("2.0").key("id");
    if (parser.parse(simdjson::padded_string(line)).get(request) != simdjson::SUCCESS)
        return answer.null().key("error").raw(R"({"code":-32700,"message":"no JSON"})").end_object().text();
    if (request["id"].get(id) != simdjson::SUCCESS) return std::nullopt;
    answer.raw(simdjson::minify(id));
    const bool is_call = request["method"].get_string().get(method) == simdjson::SUCCESS;
    const auto result = is_call ? detail::result_of(method, request, own, command) : std::nullopt;
    if (result) return answer.key("result").raw(*result).end_object().text();
    return answer.key("error")
        .raw(R"({"code":-32601,"message":"there is only the tool watchdog_clear"})")
        .end_object()
        .text();
}

/// Until its client is gone.
inline int serve_clear_tool(heeler::TmuxPane& own, const std::string& command) {
    for (std::string line; std::getline(std::cin, line);)
        if (const auto answer = clear_tool_answer(line, own, command)) std::cout << *answer << std::endl;
    return 0;
}

}  // namespace worker_monitor
