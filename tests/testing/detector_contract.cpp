#include <heeler/testing/detector_contract.hpp>

#include <string>
#include <string_view>

// With -O2, GCC 12 sees a detector that finds something in an empty memory: it does not know that a threshold is 1 or
// more.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
#endif
#include <heeler/detect/error_cascade.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#include <heeler/detect/failure_streak.hpp>
#include <heeler/detect/loop_detector.hpp>
#include <heeler/detect/tail_loop.hpp>

#include "support/catch.hpp"

using namespace heeler;

namespace {

/// What a host's own counter can do wrong.
enum class Fault { none, deaf, keeps_one, never_again, restores, counts_old };

/// An agent that is sorry too often.
template <Fault Has>
struct Apologies {
    static constexpr std::string_view kind = "apologies";
    static constexpr EventMask listens =
        Has == Fault::deaf ? events<Message> : EventMask{events<Message> | events<Watermark>};
    struct Settings {
        int most = 3;
    };
    struct Memory {
        int sorry = 0;
        int before = 0;
        bool spent = false;
        template <class A>
        void archive(A& a) {
            a(sorry, before, spent);
            if (a.is_loading() && Has == Fault::restores) sorry += before;
        }
    };
    void learn(Memory& memory, const Settings&, const Observation& seen) const {
        if (const auto* message = std::get_if<Message>(&seen.event)) {
            memory.sorry += message->text.find("sorry") != std::string_view::npos ? 1 : 0;
        } else if (std::holds_alternative<Watermark>(seen.event)) {
            memory.before = memory.sorry;
            memory.sorry = Has == Fault::keeps_one ? 1 : 0;
            memory.spent = true;
        }
    }
    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run&,
                                               Instant) const {
        if (memory.sorry < settings.most || (Has == Fault::never_again && memory.spent)) return std::nullopt;
        return Finding{Condition::loop_detected, Level::nudge, kind, {.rule = kind}};
    }
    [[nodiscard]] std::uint64_t new_items(const Memory& memory, const Settings&) const {
        return static_cast<std::uint64_t>(Has == Fault::counts_old ? memory.before : 0);
    }
};

template <Fault Has>
std::string wrong_with() {
    const auto story = [](const auto& tell) {
        for (int i = 0; i < 3; ++i) tell(Message{true, "I am sorry, let me try that again"});
    };
    const Result<void> kept = detector_contract<Apologies<Has>>(story);
    return kept ? "" : kept.error().message;
}

}  // namespace

TEST_CASE("the library's detectors of repetition begin anew after an intervention [D-09]") {
    const auto calls = [](const auto& tell) {
        for (int i = 0; i < 15; ++i) {
            tell(ToolCall{"make", R"({"target":"all"})", {}});
            tell(ToolResult{false, "Error: no rule", {}, {}});
        }
    };
    const auto lines = [](const auto& tell) {
        for (int i = 0; i < 15; ++i) tell(OutputLine{"waiting"});
    };
    const auto good = [](const Result<void>& kept) { return kept ? std::string{} : kept.error().message; };
    CHECK(good(detector_contract<LoopDetector<Line>>(lines)) == "");
    CHECK(good(detector_contract<LoopDetector<Line>>(lines, {{1, 1, 3, 15, 200}, {}, {}})) == "");
    CHECK(good(detector_contract<LoopDetector<Call>>(calls)) == "");
    CHECK(good(detector_contract<LoopDetector<Call, TailRule>>(calls)) == "");
    CHECK(good(detector_contract<LoopDetector<Call, TailRule>>(calls, {{2, 64}, {}, {}})) == "");
    CHECK(good(detector_contract<ErrorCascade>(calls)) == "");
    CHECK(good(detector_contract<ErrorCascade>(calls, {3, 5, true})) == "");
    CHECK(good(detector_contract<FailureStreak>(calls)) == "");
}

TEST_CASE("a host's detector is told what it does not keep to") {
    CHECK(wrong_with<Fault::none>() == "");
    CHECK_THAT(wrong_with<Fault::deaf>(), ContainsSubstring("apologies: holds against a run what it did before"));
    CHECK_THAT(wrong_with<Fault::keeps_one>(), ContainsSubstring("needs less after an intervention"));
    CHECK_THAT(wrong_with<Fault::never_again>(), ContainsSubstring("does not find again"));
    CHECK_THAT(wrong_with<Fault::restores>(), ContainsSubstring("with a restart what an intervention made void"));
    CHECK_THAT(wrong_with<Fault::counts_old>(), ContainsSubstring("counts as new what came before"));
    const auto nothing = [](const auto&) {};
    CHECK_FALSE(detector_contract<Apologies<Fault::none>>(nothing));
    CHECK_FALSE(detector_contract<Apologies<Fault::none>>(nothing, {0}));
}
