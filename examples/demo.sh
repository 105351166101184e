#!/usr/bin/env bash
# Shows the main job on two real processes: an agent that repeats itself is told so and goes on, and one that goes silent
# is ended after it has ignored everything. Installs what is missing and builds first. Takes about half a minute then.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck source=cmake/setup.sh
source cmake/setup.sh
heeler_setup run
echo "heeler: building heeler-supervise and heeler-ctl (a few minutes the first time)"
cmake --preset demo >/dev/null
cmake --build --preset demo --target heeler-supervise heeler-ctl

supervise=build/demo/examples/heeler-supervise
agents=examples/supervise/agents
state=$(mktemp -d build/demo/state-XXXXXX)
failed=0

title() { printf '\n=== %s\n\n' "$1"; }

# show STATUS ARGUMENTS...: runs heeler-supervise, which must end with that status.
show() {
    local expected=$1 status=0
    shift
    printf '$ heeler-supervise %s\n' "$*"
    "$supervise" --state-dir "$state" "$@" || status=$?
    printf '\n(ended with %d' "$status"
    if [ "$status" = "$expected" ]; then
        printf ', as it should)\n'
    else
        printf ', but it should have ended with %d)\n' "$expected"
        failed=1
    fi
}

title "1. A loop: the agent prints the same five lines again and again. heeler breaks the pattern; the agent finishes."
show 0 --name looping --pty --preset long_run --interval 2s --goal "Write the release notes of 2.4" -- \
    "$agents/looping_agent.sh" 0.4

title "2. A stall: the agent goes silent and ignores two nudges. heeler saves its directory, tells people, and ends it."
show 124 --name stalling --pty --preset long_run --interval 2s --goal "Work through the twelve steps" --snapshot "$agents" -- \
    "$agents/stalling_agent.sh" 0.4

title "What is left: database, alerts and reports of each run"
ls -l "$state"/runs/*/
cat "$state"/runs/*/alerts.log
exit "$failed"
