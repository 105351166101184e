// A detector of your own: it folds what it hears into a small memory, and says what it finds when it is asked. It is a
// value of the class, beside those of the library, and has a condition of its own.
#include <cstdio>

#include <heeler/heeler.hpp>
#include <heeler/testing/manual_clock.hpp>

namespace {

/// Reports an agent that only says how sorry it is.
struct OnlySorry {
    static constexpr std::string_view kind = "only_sorry";
    static constexpr heeler::EventMask listens = heeler::events<heeler::Message>;
    static constexpr heeler::Condition sorry = heeler::Condition::custom(0, "SORRY", 100, heeler::Status::stalled);

    struct Settings {
        std::uint32_t allowed = 3;
    };
    struct Memory {
        std::uint32_t in_a_row = 0;
    };

    void learn(Memory& memory, const Settings&, const heeler::Observation& seen) const {
        const auto& message = std::get<heeler::Message>(seen.event);
        memory.in_a_row = message.text.find("sorry") == std::string_view::npos ? 0 : memory.in_a_row + 1;
    }
    std::optional<heeler::Finding> check(const Memory& memory, const Settings& settings, const heeler::Run&,
                                         heeler::Instant) const {
        if (memory.in_a_row <= settings.allowed) return std::nullopt;
        return heeler::Finding{sorry, heeler::Level::nudge, kind, {.rule = kind}};
    }
};
static_assert(heeler::check_detector<OnlySorry>());

}  // namespace

int main() {
    heeler::RunClass rules = heeler::presets::recommended();
    rules.name = "polite";
    rules.detectors.turn_on<OnlySorry>({.allowed = 4});
    rules.detectors.turn_off<heeler::Loop>();  // it would speak first: three equal messages

    heeler::Watchdog dog{heeler::ManualClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    const auto run = dog.start({.name = "apologist"}, rules);
    if (!run) return 1;
    for (int said = 1; said <= 5; ++said) {
        dog.observe(*run, heeler::Message{true, "I am so sorry"});
        const auto cycle = dog.cycle(heeler::TickCause::on_demand);
        const auto status = dog.status(*run);
        if (!status) return 1;
        std::printf("after %d: %s\n", said, name_of(*status).data());
    }
}
