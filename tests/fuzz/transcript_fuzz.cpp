// Whatever stands in a transcript, each line is read or refused, and what it tells can be told.
#include <heeler/source/transcript.hpp>

#include <cstddef>

#include "support/fuzz.hpp"

using namespace heeler;

namespace {

std::size_t next_line(std::string_view text, std::size_t from) {
    const auto end = text.find('\n', from);
    return end == std::string_view::npos ? text.size() : end;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = as_text(data, size);
    Transcript transcript;
    for (std::size_t at = 0; at < text.size(); at = next_line(text, at) + 1)
        if (transcript.recognise(text.substr(at, next_line(text, at) - at))) break;
    const bool known = !transcript.format().empty();
    for (std::size_t at = 0; at < text.size(); at = next_line(text, at) + 1) {
        const auto read = transcript.read(text.substr(at, next_line(text, at) - at));
        require(known || !read, "nothing is read before a format is known");
        require(read || !read.error().message.empty(), "an error says what is wrong");
    }
    Conversation& told = transcript.conversation();
    told.pause();
    const std::size_t events = told.events().size();
    told.pause();
    require(told.events().size() == events, "who waits already does not begin to");
    for (const TranscriptEvent& event : told.events())
        if (const auto* usage = std::get_if<Usage>(&event.what))
            require(usage->tokens_in >= 0 && usage->tokens_out >= 0 && usage->cost_usd >= 0, "consumption is no gain");
    told.clear();
    require(told.events().empty(), "what is cleared is gone");
    return 0;
}
