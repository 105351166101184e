// The other source of the program.
#include "rules.hpp"

#include <heeler/heeler.hpp>

heeler::RunClass host::rules() {
    heeler::RunClass rules = heeler::presets::recommended();
    rules.name = "mine";
    rules.ladder.as<heeler::RecoveryLadder>()->max_attempts = 3;
    return rules;
}

bool host::acts_on_loops(const heeler::RunClass& rules) {
    return rules.detectors.find<heeler::Loop>() != nullptr && rules.ladder.present();
}
