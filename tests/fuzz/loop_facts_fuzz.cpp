// Any bytes give facts of calls and results, and how a text is laid out changes none of them.
#include <heeler/detect/loop/call_facts.hpp>
#include <heeler/detect/loop/error_key.hpp>
#include <heeler/detect/loop/result_facts.hpp>
#include <heeler/detect/loop/short_answers.hpp>

#include <iterator>
#include <string>

#include "support/fuzz.hpp"

using namespace heeler;
using namespace heeler::loops;

namespace {

CallFacts call(std::string_view args) {
    ToolCall made;
    made.name = "Bash";
    made.args = args;
    return facts_of(made, {});
}
ResultFacts result(std::string_view text) {
    ToolResult made;
    made.output = text;
    return facts_of(made);
}

std::string as_command(std::string_view text) {
    std::string args = "{\"command\":\"";
    for (const char c : text) {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
        args += escaped;
    }
    return args + "\"}";
}

void check_lines(std::string_view text, const ResultFacts& facts) {
    for (std::size_t i = 0; i < std::size(facts.head) && i < facts.lines; ++i)
        require(facts.head[i].begin + facts.head[i].size <= text.size(), "a first line is in the text");
    for (std::size_t i = 0; i < std::size(facts.tail) && i < facts.lines; ++i)
        require(facts.tail[i].begin + facts.tail[i].size <= text.size(), "a last line is in the text");
    require(facts.length <= text.size(), "lines are no longer than the text");
    if (facts.lines == 0) return;
    LineSum sum = facts.sum;
    loops::detail::drop_last(sum, facts.tail[0]);
    loops::detail::append_line(sum, facts.tail[0]);
    require(sum.typed == facts.sum.typed && sum.timed == facts.sum.timed, "a last line can be taken off");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = as_text(data, size);
    const CallFacts plain = call(text);
    const CallFacts spaced = call("\n " + std::string(text) + " \t");
    require(plain.exact == spaced.exact && plain.typed == spaced.typed, "outer white space does not matter");
    require(plain.tokens.count <= TokenSet::most, "words are bounded");
    for (std::size_t i = 1; i < plain.tokens.count; ++i)
        require(plain.tokens.tokens[i - 1] < plain.tokens.tokens[i], "words are sorted and distinct");
    static_cast<void>(call(as_command(text)));

    const ResultFacts facts = result(text);
    check_lines(text, facts);
    std::string other_ends;
    for (const char c : text) other_ends += c == '\n' ? "\r\n" : std::string(1, c);
    if (other_ends.size() <= 4096) {
        const ResultFacts same = result(other_ends);
        require(same.sum.typed == facts.sum.typed && same.lines == facts.lines, "line ends do not matter");
    }
    static_cast<void>(error_key(text, plain));
    static_cast<void>(loops::detail::says_nothing_text(text));
    static_cast<void>(loops::detail::has_status_code(text));
    static_cast<void>(loops::detail::is_program_line(text));
    static_cast<void>(loops::detail::is_search_hit(text));
    require(shape_hash(text) == shape_hash(std::string(text)), "where a text lies does not matter");
    return 0;
}
