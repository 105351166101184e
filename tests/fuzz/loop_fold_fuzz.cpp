// Any story of a run is folded: saved and loaded in the middle it goes on the same way, and whatever a store says of
// the memory, the fold goes on.
#include <heeler/core/archive.hpp>
#include <heeler/detect/loop.hpp>

#include <string>

#include "support/fuzz.hpp"

using namespace heeler;

namespace {

/// The first byte of a line says what happened, the second how much later and under which id; the rest is text.
Observation told(std::string_view line, std::uint64_t index, Duration& at, std::string& id) {
    const auto byte = [line](std::size_t i) { return i < line.size() ? static_cast<unsigned char>(line[i]) : 0u; };
    const std::string_view text = line.size() > 2 ? line.substr(2) : std::string_view{};
    const std::size_t half = text.size() < 8 ? text.size() : 8;
    at += Duration{static_cast<std::int64_t>(byte(1)) * 500'000} - Duration{1'000'000};  // also backwards
    id.assign(byte(1) % 5, 'i');
    Observation seen;
    seen.at = at;
    seen.index = index;
    switch (byte(0) % 9) {
        case 0:
        case 1:
            seen.event = ToolCall{text.substr(0, half), text.substr(half), id};
            break;
        case 2:
            seen.event = ToolResult{true, text, id};
            break;
        case 3:
            seen.event = ToolResult{false, text, id};
            break;
        case 4:
            seen.event = ToolResult{std::nullopt, text, id, id};
            break;
        case 5:
            seen.event = Message{byte(1) % 7 != 0, text, static_cast<MessageChannel>(byte(1) % 2)};
            break;
        case 6:
            seen.event = Output{text, byte(1) % 2 == 0};
            break;
        case 7:
            if (byte(1) % 3 == 0) seen.event = Watermark{};
            if (byte(1) % 3 == 1) seen.event = Compaction{};
            if (byte(1) % 3 == 2) seen.event = Usage{byte(1), -1};
            break;
        default:
            seen.event = ToolCall{"Bash", text, id};
            break;
    }
    return seen;
}

template <class Each>
void story(std::string_view text, Each&& each) {
    Duration at{};
    std::string id;
    std::uint64_t index = 0;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        each(told(text.substr(0, end), index++, at, id));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

std::string saved(Loop::Memory& memory) {
    ArchiveWriter to{Instant{}};
    to(memory);
    return to.take();
}
bool load(Loop::Memory& memory, std::string_view bytes) {
    ArchiveReader from{bytes, Instant{}};
    from(memory);
    return from.ok() && from.at_end();
}

bool same(const std::optional<Finding>& a, const std::optional<Finding>& b) {
    if (!a || !b) return !a && !b;
    return a->level == b->level && a->identity == b->identity && a->evidence.rule == b->evidence.rule;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = as_text(data, size);
    const Loop loop;
    const Loop::Settings settings;
    Loop::Memory plain, restored;
    story(text, [&](const Observation& seen) {
        loop.learn(plain, settings, seen);
        loop.learn(restored, settings, seen);
        const std::string bytes = saved(restored);
        restored = {};
        require(load(restored, bytes), "what was saved can be read");
        const auto found = loop.check(plain, settings, Run{}, Instant{});
        require(same(found, loop.check(restored, settings, Run{}, Instant{})), "a restart changes no verdict");
        if (found) require(!Loop::describe(*found).empty() && !found->evidence.rule.empty(), "a finding has words");
    });
    Loop::Memory damaged;
    static_cast<void>(load(damaged, text));
    story(text, [&](const Observation& seen) { loop.learn(damaged, settings, seen); });
    std::string bytes = saved(plain);
    for (std::size_t i = 0; i < size && !bytes.empty(); ++i) bytes[(i * 977 + data[i]) % bytes.size()] ^= data[i];
    Loop::Memory worse;
    static_cast<void>(load(worse, bytes));
    story(text, [&](const Observation& seen) { loop.learn(worse, settings, seen); });
    static_cast<void>(loop.check(worse, settings, Run{}, Instant{}));
    return 0;
}
