// Plays a watched tree from beginning to end, over HTTP.
#pragma once

#include <string>

#include "client.hpp"
#include "tokens.hpp"

namespace tracker {

/// Fills an empty tracker with agents and a small tree, which rests. Throws if the tracker refuses.
void add_sample(Client& client, const Tokens& tokens);

/// The status of the program.
int play_demo(const std::string& url, const Tokens& tokens);

}  // namespace tracker
