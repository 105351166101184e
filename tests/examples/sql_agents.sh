#!/usr/bin/env bash
# heeler-sql-agents with agents that are processes of their own: who works is left alone, who napped is replaced and
# finds out by itself, whose agents all stop is handed to a person. Who asks a person, and what waits in the queue, is
# left alone.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
program=$bin/heeler-sql-agents
agent=$(cd "$(dirname "$0")/../../examples/sql_agents/agents" && pwd)/agent.sh
[ -x "$program" ] || { echo "not built: $program"; exit 1; }
command -v sqlite3 >/dev/null || { echo "sqlite3 is not installed: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

says() { # FILE PATTERN
    grep -qE -- "$2" "$1" || {
        echo "FAILED: nothing says \"$2\" in $1:"
        sed 's/^/    /' "$1"
        failures=$((failures + 1))
    }
}

# What agents may put where a prompt will be written is replaced: nobody waits for it, and nothing is written through it.
echo precious >"$work/precious"
ln -s "$work/precious" "$work/sleepy-2.prompt"
mkfifo "$work/steady-1.prompt"

timeout 100 "$program" "$work" "$agent" --notify pigeon >"$work/refused" 2>&1
[ $? = 2 ] || { echo "FAILED: a channel that there is not"; failures=1; }
says "$work/refused" "'pigeon' must be telegram:CHAT"

printf '#!/bin/sh\ncat >>"%s"; echo >>"%s"\n' "$work/told" "$work/told" >"$work/person"
chmod +x "$work/person"
timeout -k 1 120 "$program" "$work" "$agent" --notify "command:$work/person" >"$work/out" 2>"$work/errors" || {
    echo "FAILED: status $?"
    failures=1
}
says "$work/out" '^sleepy: spawn done sleepy-2 is process'
says "$work/out" '^stuck: spawn done stuck-3 is process'
says "$work/out" 'WARNING heeler escalation \[stuck\]'
says "$work/told" '"kind":"escalation".*"stuck"'
says "$work/out" '^stuck: mark_failed done'
says "$work/out" '^steady: completed, attempt 1, 4 checkpoints$'
says "$work/out" '^curious: completed, attempt 1, 4 checkpoints$'
says "$work/curious-1.log" '^question: counted$'
says "$work/guest-1.log" '^queue: inserted$'
says "$work/out" '^guest: spawn done guest-2 is process'
says "$work/out" '^guest: completed, attempt 2, 4 checkpoints$'
says "$work/out" '^sleepy: completed, attempt 2, 4 checkpoints$'
says "$work/out" '^stuck: failed, attempt 3, 3 checkpoints$'
says "$work/sleepy-1.log" '^step 2: no row, so I stop$'
says "$work/sleepy-2.log" '^completed: counted$'
says "$work/sleepy-2.prompt" '^Completed steps: \[1\]$'
says "$work/sleepy-2.prompt" '^\| Step 1.s work is done$'
says "$work/sleepy-2.prompt" 'AND attempt = 2 AND'
says "$work/guest-1.log" '^step 1: counted$'
says "$work/guest-2.prompt" '^\| Do what the guest wants, in four steps\.$'
says "$work/guest-2.prompt" '^\| The guest.s first step is done$'
says "$work/guest-2.prompt" '^Remaining steps: \[2,3,4\]$'
says "$work/guest-2.prompt" 'every 2s of work'
sqlite3 "$work/agents.db" "SELECT run, attempt, status, completed_steps FROM agent_progress ORDER BY run;
    SELECT run, attempt, status FROM agent_attempts ORDER BY run, attempt" >"$work/rows"
says "$work/rows" '^sleepy\|2\|completed\|\[1,2,3,4\]$'
says "$work/rows" '^guest\|2\|completed\|\[1,2,3,4\]$'
says "$work/rows" '^steady\|1\|completed\|\[1,2,3,4\]$'
says "$work/rows" '^stuck\|3\|failed\|\[1,2,3\]$'
says "$work/rows" '^sleepy\|1\|stalled$'
says "$work/precious" '^precious$'
[ ! -s "$work/errors" ] || {
    echo "FAILED: it complains:"
    sed 's/^/    /' "$work/errors"
    failures=$((failures + 1))
}
[ "$failures" = 0 ] && echo "all as expected"
exit "$((failures > 0))"
