// --loops: one line for each loop that the detector finds in recordings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "loop_watch.hpp"

namespace replay {

/// How many there were.
struct LoopCounts {
    std::size_t files = 0;  // that could be read
    std::size_t unreadable = 0;
    std::size_t files_with = 0;
    std::size_t runs = 0;
    std::size_t nudges = 0;
    std::size_t stops = 0;
};

[[nodiscard]] std::string text_of(const LoopCounts& counts);

/// Of one file. An episode is a line: from the first sign of a loop until something moves.
class LoopLister final : public LoopWatch {
public:
    explicit LoopLister(std::string file) : file_{std::move(file)} {}

    void before(const heeler::Loop::Memory&, const heeler::Loop::Settings&, const heeler::Observation&) override {}
    void after(const heeler::Loop::Memory& memory, const heeler::Loop::Settings& settings,
               const heeler::Observation& seen) override;

    /// The lines, when all was told; counts them.
    [[nodiscard]] std::string finish(LoopCounts& counts);

private:
    struct Episode {
        bool open = false;
        heeler::loops::Episode began{};  // as it was when it began
        heeler::Finding finding{};       // the highest of it
        std::uint32_t last = 0;
        std::uint32_t rounds = 0;
        std::string example;
    };
    struct Run {
        Episode episode;
        std::uint32_t edits = 0;
    };

    void end(const std::string& run, Episode& episode, const std::string& how);

    std::string file_;
    std::map<std::string, Run, std::less<>> runs_;
    std::string lines_;
    std::size_t nudges_ = 0, stops_ = 0;
};

}  // namespace replay
