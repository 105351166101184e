// Who says whether a run is stuck: the library as its users get it, and what other products do, in their simplest form.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <heeler/core/finding.hpp>
#include <heeler/core/settings.hpp>

#include "recording.hpp"

namespace detection {

/// Sees one run, line by line.
class Judge {
public:
    Judge() = default;
    Judge(const Judge&) = delete;
    Judge& operator=(const Judge&) = delete;
    virtual ~Judge() = default;

    /// What it says of the run after this line. `nudge` and `stop` are alarms.
    virtual heeler::Level see(const Happening& line) = 0;
    /// By which rule it said so last.
    [[nodiscard]] virtual std::string rule() const { return {}; }
};

/// A judge of one name; each run gets a new one.
struct Candidate {
    std::string name{};
    std::function<std::unique_ptr<Judge>()> make{};
};

/// A watchdog with this class, judging after every line. It tells nobody and does nothing, so that what was recorded
/// and what it would have done do not mix.
[[nodiscard]] Candidate watchdog(std::string name, heeler::RunClass rules);

/// `recommended`; and for each family of its loop detector, that alone and all but that.
[[nodiscard]] Candidate recommended();
[[nodiscard]] std::vector<Candidate> families();

/// The simple ones, and their union as the last.
[[nodiscard]] std::vector<Candidate> simple_ones();

}  // namespace detection
