// Any calls and results, in any order, have an outcome, and a run's memory says the same after a restart.
#include <heeler/core/archive.hpp>
#include <heeler/detect/loop/outcome.hpp>

#include <memory>
#include <string>

#include "support/fuzz.hpp"

using namespace heeler;
using namespace heeler::loops;

namespace {

class Input {
public:
    explicit Input(std::string_view bytes) : bytes_{bytes} {}
    bool is_empty() const { return bytes_.empty(); }
    std::uint8_t byte() {
        if (bytes_.empty()) return 0;
        const auto value = static_cast<std::uint8_t>(bytes_[0]);
        bytes_.remove_prefix(1);
        return value;
    }
    std::string_view text(std::size_t most) {
        const std::string_view part = bytes_.substr(0, most);
        bytes_.remove_prefix(part.size());
        return part;
    }

private:
    std::string_view bytes_;
};

constexpr std::string_view tools[] = {"Bash", "Read", "Edit", "search", "BashOutput", "x", "", "date"};

void restart(Learned& learned) {
    ArchiveWriter writer{Instant{}};
    writer(learned);
    const std::string bytes = writer.take();
    learned = Learned{};
    ArchiveReader reader{bytes, Instant{}};
    reader(learned);
    require(reader.ok() && reader.at_end(), "what was saved can be loaded");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input{as_text(data, size)};
    const auto kept = std::make_unique<Learned>();
    const auto restarted = std::make_unique<Learned>();
    std::string filler;
    while (!input.is_empty()) {
        const std::uint8_t how = input.byte();
        ToolCall call;
        call.name = tools[how % 8];
        call.args = input.text(input.byte());
        std::string output{input.text(std::size_t{input.byte()} * (how % 3))};
        if (how % 64 == 63 && filler.empty()) filler.assign(70'000, '7');
        if (how % 64 == 63) output = output + "\n" + filler + output;
        ToolResult result;
        if (how >= 85) result.ok = how >= 170;
        result.output = output;
        const CallFacts call_facts = facts_of(call, {});
        const ResultFacts result_facts = facts_of(result);
        const Outcome made = classify(*kept, call_facts, result_facts, output, how % 2 == 0);
        const Outcome again = classify(*restarted, call_facts, result_facts, output, how % 2 == 0);
        require(made.key == again.key && made.outcome == again.outcome, "a restart changes no outcome");
        require(made.lines <= result_facts.lines && made.length <= result_facts.length, "banners are part of the text");
        require(made.outcome != OutcomeClass::infra || call_facts.kind != CallKind::write, "a change that failed did");
        restart(*restarted);
    }
    return 0;
}
