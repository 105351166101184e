#!/usr/bin/env bash
# Shows the main job on two real processes: an agent that repeats itself is told so and goes on, and one that goes silent
# is ended after it has ignored everything. Installs what is missing and builds first, unless HEELER_BIN is a directory with
# both programs. Takes about half a minute then.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

programs=${HEELER_BIN:-}
if [ -z "$programs" ]; then
    # shellcheck source=cmake/setup.sh
    source cmake/setup.sh
    heeler_setup run
    echo "heeler: building heeler-supervise and heeler-ctl (a few minutes the first time)"
    cmake --preset demo >/dev/null
    cmake --build --preset demo --target heeler-supervise heeler-ctl
    programs=build/demo/examples
fi

agents=examples/supervise/agents
mkdir -p build/demo
state=$(mktemp -d build/demo/state-XXXXXX)
failed=0

title() { printf '\n=== %s\n\n' "$1"; }

# As one would type it.
typed() {
    local word line=''
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_./:=-]* | '') line+=" '$word'" ;;
        *) line+=" $word" ;;
        esac
    done
    printf '$%s\n' "$line"
}

# show STATUS ARGUMENTS...: runs heeler-supervise, which must end with that status.
show() {
    local expected=$1 status=0
    shift
    typed heeler-supervise "$@"
    "$programs/heeler-supervise" --state-dir "$state" "$@" || status=$?
    printf '\n(ended with %d' "$status"
    if [ "$status" = "$expected" ]; then
        printf ', as it should)\n'
    else
        printf ', but it should have ended with %d)\n' "$expected"
        failed=1
    fi
}

title "What you will see"
cat <<'TEXT'
heeler-supervise starts a command that stands for an AI agent, passes its output on, and looks every 2 s whether it gets
on with its work (usually every minute or more). Lines that begin with "heeler:" are its own; all others are the agent's.

  heeler: looping LOOP_DETECTED 2s, 26 lines, quiet 0s, next check in 1s
          name, status, time since the start, lines of output (what counts as progress here), time since the last one

  HEALTHY         it gets on
  LOOP_DETECTED   it repeats itself. (block, period 5, repeats 5, ...): the same 5 lines came 5 times in a row
  STALLED         nothing new came. (zero_delta, zero_intervals 2, ...): not one line between 2 looks and the next
  RECOVERED       it gets on again, after something was done
  TIMEOUT         its time is over, or (attempts_used_up) all that may be tried was tried
  terminated      the watchdog ended it

  inject:nudge          types a message into the agent's terminal: what is its goal, what was seen, what to do
  inject:break_pattern  the same, of a loop: do something else
  snapshot              copies the agent's directory, before it is ended
  escalate              tells a person; terminate: ends the agent
  persisted             what was done did not help

  alert: ...      what people would read in their chat or mail; here it is only shown. "next" is what comes, and "stop" a
                  command that keeps the watchdog off
TEXT

title "1. A loop: the agent prints the same five lines again and again. heeler breaks the pattern; the agent finishes."
show 0 --name looping --pty --preset long_run --interval 2s --goal "Write the release notes of 2.4" -- \
    "$agents/looping_agent.sh" 0.4

title "2. A stall: the agent goes silent and ignores two nudges. heeler saves its directory, tells people, and ends it."
show 124 --name stalling --pty --preset long_run --interval 2s --goal "Work through the twelve steps" --snapshot "$agents" -- \
    "$agents/stalling_agent.sh" 0.4

title "What is left of each run, in $state/runs"
cat <<'TEXT'
alerts.log: what people were told; report.txt: the tables above; store.sqlite: all of it, for heeler-ctl; snapshots: the copies
TEXT
ls "$state"/runs/*/
store=sqlite:$state/runs/stalling/store.sqlite
printf '\n'
typed heeler-ctl --store "$store" status --all
"$programs/heeler-ctl" --store "$store" status --all
printf '\nWhy it was judged so: heeler-ctl --store %s explain RUN, with the name that stands under "Run".\n' "$store"
exit "$failed"
