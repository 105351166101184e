// What runs say, for the watch over silent ones.
#pragma once

#include <span>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/source.hpp>

#include "tracker.hpp"

namespace tracker {

/// The runs that are at work, and when each did something last: whatever it did is in the audit feed.
class RunActivity {
public:
    explicit RunActivity(Tracker& tracker) : tracker_{tracker} {}

    heeler::Result<std::vector<heeler::RunSpec>> list();
    heeler::Result<std::vector<heeler::PolledRun>> poll(std::span<const heeler::RunCursor> runs);

private:
    Tracker& tracker_;
};

}  // namespace tracker
