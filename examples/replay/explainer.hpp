// --explain RUN@EVENT: what the loop detector makes of one event of one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/explanation.hpp>
#include <heeler/core/result.hpp>

#include "event_name.hpp"
#include "loop_watch.hpp"

namespace replay {

class Explainer final : public LoopWatch {
public:
    explicit Explainer(EventName wanted) : wanted_{std::move(wanted)} {}

    void before(const heeler::Loop::Memory& memory, const heeler::Loop::Settings& settings,
                const heeler::Observation& seen) override;
    void after(const heeler::Loop::Memory&, const heeler::Loop::Settings&, const heeler::Observation&) override {}

    /// When all was told: the explanation, or what there is instead of the run or the event.
    [[nodiscard]] heeler::Result<std::string> text() const;

private:
    struct Event {
        std::size_t line = 0;
        double t = 0;
        std::string_view kind;
        std::string text;
        std::optional<std::uint64_t> answers;  // the event of the call
    };
    struct Explained {
        std::uint64_t event = 0;
        heeler::Explanation why;
        std::uint32_t began_anew = 0;  // how often by then the watchdog had intervened
    };

    [[nodiscard]] heeler::Error no_such_run() const;
    void tell_event(std::string& out, std::uint64_t number, std::string_view indent) const;

    EventName wanted_;
    std::map<std::string, std::uint64_t, std::less<>> newest_;  // event of each run
    std::map<std::uint64_t, Event> events_;                     // of the run that is meant
    std::optional<Explained> explained_;                        // the event, or the last one before it
    const heeler::Loop::Memory* memory_ = nullptr;              // of the run that is meant
    std::vector<std::uint64_t> interventions_;                  // after which events of it
};

}  // namespace replay
