// What a line of JSON tells of a run, in the words of scenarios: the lines of heeler-replay and of heeler-serve.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <heeler/core/batch.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/time.hpp>

#include "json_object.hpp"

namespace common {

/// What hosts report, but for lifecycle and checkpoints, which may not be refused in silence.
using Told = std::variant<heeler::Heartbeat, heeler::Progress, heeler::Output, heeler::ToolCall, heeler::ToolResult,
                          heeler::Message, heeler::Usage, heeler::Compaction, heeler::Resource, heeler::OutputAccess,
                          heeler::SignOfLife>;

/// Absent: `kind` is none of them. What the answer refers to lies in the line, or in `kept`. Throws `BadLine`, as the
/// others here.
[[nodiscard]] std::optional<Told> told_of(std::string_view kind, const JsonObject& line, std::string& kept);

/// Of a line that only says what the run says of itself, the state stays what it is `now`.
[[nodiscard]] heeler::StateChange state_of(const JsonObject& line, heeler::RunState now, heeler::WallTime epoch);

[[nodiscard]] heeler::CheckpointNote checkpoint_of(const JsonObject& line);

/// What takes long begins, or is over.
[[nodiscard]] heeler::Expect expect_of(const JsonObject& line);

/// Whose report it is; 0: of whoever works on the run now.
[[nodiscard]] std::uint32_t incarnation_of(const JsonObject& line);

/// An operator's decision, about `run` unless it is about everything, or the line names another.
[[nodiscard]] heeler::DecisionRow decision_of(const JsonObject& line, std::string_view run, heeler::WallTime epoch);

}  // namespace common
