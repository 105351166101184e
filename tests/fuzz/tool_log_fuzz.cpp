// Any bytes are safe in a tool log; reading it in many polls finds what reading it in one does; problems tell no
// content.
#include <heeler/source/tool_log.hpp>

#include <fcntl.h>
#include <unistd.h>

#include "support/fuzz.hpp"

using namespace heeler;

namespace {

const std::string& log_path() {
    static const struct Scratch {
        ~Scratch() { ::unlink(path.c_str()); }
        std::string path = "/tmp/heeler_tool_log_fuzz." + std::to_string(::getpid());
    } scratch;
    return scratch.path;
}

void write_log(std::string_view text, int how) {
    const int file = ::open(log_path().c_str(), O_WRONLY | O_CREAT | how, 0600);
    require(file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
            "a scratch file");
    ::close(file);
}

/// Reads every byte of the views, so that the sanitizer sees one that dangles.
std::string told(const Polled& polled) {
    std::string text;
    for (const SourceEvent& event : polled.events) {
        if (const auto* call = std::get_if<ToolCall>(&event.what))
            text.append("call ").append(call->name).append(" ").append(call->args).append(" ").append(call->call_id);
        if (const auto* result = std::get_if<ToolResult>(&event.what))
            text.append(result->ok ? *result->ok ? "ok " : "failed " : "result ")
                .append(result->output)
                .append(" ")
                .append(result->call_id);
        if (event.at) text += std::to_string(event.at->time_since_epoch().count());
        text += '\n';
    }
    for (const Error& problem : polled.problems)
        require(is_clean(problem.message) && problem.message.size() < 300, "problems are short and clean");
    return text;
}

Polled polled_from(ToolLog& log, std::string_view cursor) {
    auto polled = log.poll(cursor);
    require(polled.has_value(), "a regular file can always be read");
    return std::move(*polled);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const auto text = as_text(data + 2, size - 2);
    const auto split = text.size() * data[0] / 255;
    const std::size_t step = 64 + data[1];

    // All at once, after an empty line that makes the cursor.
    write_log("\n", O_TRUNC);
    ToolLog whole{log_path(), {.first_lines = 0}};
    auto polled = polled_from(whole, "");
    const auto start = polled.cursor;
    write_log(text, O_APPEND);
    polled = polled_from(whole, start);
    const auto all = told(polled);
    require(!polled.more && polled_from(whole, polled.cursor).events.empty(), "what was read is not read again");

    // The same in two parts.
    write_log("\n", O_TRUNC);
    write_log(text.substr(0, split), O_APPEND);
    polled = polled_from(whole, start);
    auto parts = told(polled);
    write_log(text.substr(split), O_APPEND);
    polled = polled_from(whole, polled.cursor);
    require(polled.problems.size() < 2, "growth is no replacement");
    require(parts + told(polled) == all, "the same events in two parts");

    // In small steps, where long lines are lost: it ends, and never says more than before.
    ToolLog small{log_path(), {.first_lines = 0, .read_bytes = step, .backlog_bytes = 1U << 20}};
    std::size_t events = 0;
    polled.cursor = start;
    for (std::size_t i = 0;; ++i) {
        require(i <= text.size() + 2, "every poll gets on");
        polled = polled_from(small, polled.cursor);
        events += told(polled).size();
        if (!polled.more) break;
    }
    require(events <= all.size(), "no event comes from nowhere");

    // The input as a cursor.
    told(polled_from(small, text));
    told(polled_from(whole, ""));
    return 0;
}
