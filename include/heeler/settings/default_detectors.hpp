// Everything that `DefaultDetectors` names.
#pragma once

#include <heeler/detect/burn_rate_tracker.hpp>
#include <heeler/detect/error_cascade.hpp>
#include <heeler/detect/failure_streak.hpp>
#include <heeler/detect/heartbeat_contract.hpp>
#include <heeler/detect/loop_detector.hpp>
#include <heeler/detect/output_access_rule.hpp>
#include <heeler/detect/relay_plan.hpp>
#include <heeler/detect/run_timeout.hpp>
#include <heeler/detect/tail_loop.hpp>
#include <heeler/detect/token_budget.hpp>
#include <heeler/settings/detector_set.hpp>
#include <heeler/fwd.hpp>
