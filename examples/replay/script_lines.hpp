// Lines that tell the doubles how to answer from now on. All of a line is taken, or none of it.
#pragma once

#include <heeler/testing/recording_notifier.hpp>
#include <heeler/testing/scripted_control.hpp>
#include <heeler/testing/scripted_tree.hpp>

#include "../common/json_object.hpp"
#include "process.hpp"
#include "replay_store.hpp"

namespace replay {

/// A `host` line: `verbs`, `idempotent`.
void script_control(const common::JsonObject& line, heeler::ScriptedControl& control, heeler::ScriptedTree& tree);

/// A `notifier` line: `results`.
void script_notifier(const common::JsonObject& line, heeler::RecordingNotifier& notifier);

/// A `store` line: `fail`.
void script_store(const common::JsonObject& line, ReplayStore& store);

/// A `context` line: `size`, `clear`.
void script_context(const common::JsonObject& line, MortalContext& context);

}  // namespace replay
