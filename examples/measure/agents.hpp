// The agent control of the simulation: it starts the continuations, and now and then it cannot.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/action.hpp>

#include "lives.hpp"

namespace measure {

struct Spawn {
    std::string run;
    std::uint32_t attempt = 0;  ///< counts continuations
    bool done = false;

    friend bool operator==(const Spawn&, const Spawn&) = default;
};

class Agents {
public:
    Agents(Dice dice, double fails) : dice_{dice}, fails_{fails} {}

    [[nodiscard]] heeler::Result<heeler::ActionDone> spawn(const heeler::ActionRequest& asked) {
        const bool done = !dice_.chance(fails_);
        asked_.push_back({std::string{asked.run}, asked.attempt, done});
        if (done) return heeler::ActionDone{};
        return heeler::fail(heeler::ErrorCode::failed, "no machine is free");
    }

    /// What was asked for since the last call.
    [[nodiscard]] std::vector<Spawn> take() { return std::exchange(asked_, {}); }

private:
    Dice dice_;
    double fails_;
    std::vector<Spawn> asked_;
};

}  // namespace measure
