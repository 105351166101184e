// The loop detector of a replay: the library's, with somebody who looks on.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <heeler/core/observation.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/detect/loop.hpp>

namespace replay {

/// Looks on while loop detectors learn. The replay says beforehand of which run, and from which line.
class LoopWatch {
public:
    LoopWatch() = default;
    LoopWatch(const LoopWatch&) = delete;
    LoopWatch& operator=(const LoopWatch&) = delete;
    virtual ~LoopWatch() = default;

    /// A run is told something.
    void turn_to(std::string run, std::size_t line, double t) {
        run_ = std::move(run);
        line_ = line;
        t_ = t;
    }
    /// What comes next is the watchdog's own doing.
    void turn_away() { run_.clear(); }

    virtual void before(const heeler::Loop::Memory& memory, const heeler::Loop::Settings& settings,
                        const heeler::Observation& seen) = 0;
    virtual void after(const heeler::Loop::Memory& memory, const heeler::Loop::Settings& settings,
                       const heeler::Observation& seen) = 0;

protected:
    std::string run_;  // empty: nobody was told anything
    std::size_t line_ = 0;
    double t_ = 0;
};

struct WatchedLoop : heeler::Loop {
    struct Settings : heeler::Loop::Settings {
        LoopWatch* watch = nullptr;
    };

    void learn(Memory& memory, const Settings& settings, const heeler::Observation& seen) const {
        if (settings.watch != nullptr) settings.watch->before(memory, settings, seen);
        heeler::Loop::learn(memory, settings, seen);
        if (settings.watch != nullptr) settings.watch->after(memory, settings, seen);
    }
};

/// In the place of the class's loop detector, if it has one.
inline void look_on(heeler::RunClass& rules, LoopWatch& watch) {
    const auto* settings = rules.detectors.find<heeler::Loop>();
    if (settings == nullptr) return;
    WatchedLoop::Settings watched;
    static_cast<heeler::Loop::Settings&>(watched) = *settings;
    watched.watch = &watch;
    rules.detectors.turn_on<WatchedLoop>(watched);
}

}  // namespace replay
