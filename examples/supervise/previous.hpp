// What to do about a command of an earlier heeler-supervise that is still alive.
#pragma once

#include <optional>
#include <variant>

#include "exit_status.hpp"
#include "options.hpp"
#include "run_directory.hpp"

namespace supervise {

/// How to go on: with the recorded command if it is to be adopted, else with a new one.
struct GoOn {
    std::optional<ChildRecord> adopt;
};

/// Refuses, ends it, waits for it or takes it over, as the options say. Never lets two commands run under one name.
[[nodiscard]] std::variant<GoOn, Quit> settle_previous(const Options& options, const RunDirectory& directory);

}  // namespace supervise
