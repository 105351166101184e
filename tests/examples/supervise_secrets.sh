#!/usr/bin/env bash
# What heeler's tools read from the environment for themselves is in no process that they start: every tool that starts one is
# made to start one that prints its environment, and what it can see of its parent's and of its command line.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/supervise_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/supervise_checks.sh"
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../examples" && pwd)
tools=$(dirname "$bin")

own=$(sed -n '/own_variables = {/,/};/p' "$sources/common/own_environment.hpp" | grep -o 'HEELER_[A-Z_]*')
[ "$(wc -w <<<"$own")" = 14 ] || fail "the list is not found" <(echo "$own")
for name in $own; do export "$name=sesame-$name"; done
export HEELER_STORE=sqlite:$work/sesame.db HEELER_TEST_KEPT=kept
export HEELER_WEBHOOK_URL=http://127.0.0.1:9/sesame HEELER_PING_URL=http://127.0.0.1:9/sesame
export HEELER_SMTP_SERVER=smtp://127.0.0.1:9 HEELER_TELEGRAM_API=http://127.0.0.1:9/sesame HEELER_GITHUB_API=http://127.0.0.1:9/sesame

# Whoever is started adds what it sees to $work/NAME.env, by the name that it was called.
cat >"$work/prints" <<PRINTS
#!/bin/sh
name=\${0##*/}
{ env; tr '\\000' '\\n' </proc/\$PPID/environ; tr '\\000' '\\n' </proc/\$PPID/cmdline; echo "HEELER_TEST_PRINTED=\$name"; } >>"$work/\$name.env"
[ "\$name" != git ] || echo 1
PRINTS
chmod +x "$work/prints"
for name in command notifier git orchestrator agent tmux; do ln -s prints "$work/$name"; done

printed() { grep -qs '^HEELER_TEST_PRINTED=' "$work/$1.env"; }
clean() { # NAME TOOL
    local seen=$work/$1.env name
    until_true printed "$1" || { fail "$2 started no $1" "$work/err"; return; }
    says "$seen" '^HEELER_TEST_KEPT=kept$'
    for name in $own; do
        ! grep -q "^$name=." "$seen" || fail "$2: $1 sees $name"
    done
    ! grep -q sesame "$seen" || fail "$2: $1 sees a secret" <(grep sesame "$seen")
    rm "$seen"
}
quietly() { timeout -k 1 100 "$@" >"$work/out" 2>"$work/err" </dev/null; }
built() { [ -x "$tools/heeler-$1" ] || { echo "(not built: heeler-$1)"; false; }; }

echo "== heeler-supervise"
PATH=$work:$PATH quietly "$bin" --state-dir "$state" --metric "commits:$work" --preset long_run --interval 1s \
    --notify "command:$work/notifier" --notify telegram:7 --notify webhook -- \
    sh -c "'$work/command'; until grep -qs PRINTED '$work/git.env' && grep -qs PRINTED '$work/notifier.env'; do sleep 0.1; done"
for child in command git notifier; do clean "$child" heeler-supervise; done
quietly "$bin" --state-dir "$state" --pty -- "$work/command"
clean command "heeler-supervise --pty"
quietly "$bin" --state-dir "$state" --detach -- "$work/command"
clean command "heeler-supervise --detach"

echo "== heeler-ctl"
if built ctl; then
    quietly "$tools/heeler-ctl" test-alert --notify "command:$work/notifier"
    clean notifier heeler-ctl
fi

echo "== heeler-session-monitor"
if built session-monitor; then
    mkdir -p "$work/sessions/abcdef1234567"
    at=$(date -u -d '-40 minutes' +%Y-%m-%dT%H:%M:%SZ)
    for number in 1 2 3 4 5 6 7 8; do
        printf '{"event":"pre_tool_use","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"%s","timestamp":"%s"}\n' $number "$at"
        printf '{"event":"post_tool_use","tool_name":"Bash","is_error":false,"tool_use_id":"%s","timestamp":"%s"}\n' $number "$at"
    done >"$work/sessions/abcdef1234567/tool_use.jsonl"
    timeout -k 1 100 "$tools/heeler-session-monitor" "$work/sessions" --scale 1 --every 250ms --notify "command:$work/notifier" \
        >"$work/out" 2>"$work/err" </dev/null &
    until_true printed notifier
    kill $!
    wait $!
    clean notifier heeler-session-monitor
fi

echo "== heeler-worker-monitor"
if built worker-monitor; then
    PATH=$work:$PATH quietly "$tools/heeler-worker-monitor" --every 1 --for 2 -- "$work/orchestrator"
    for child in tmux orchestrator; do clean "$child" heeler-worker-monitor; done
fi

echo "== heeler-sql-agents"
if built sql-agents; then
    mkdir "$work/agents"
    timeout -k 1 100 "$tools/heeler-sql-agents" "$work/agents" "$work/agent" >"$work/out" 2>"$work/err" </dev/null &
    until_true printed agent
    kill $!
    wait $!
    clean agent heeler-sql-agents
fi

echo "== and whatever else starts somebody"
for tool in "$sources"/*/main.cpp; do
    folder=$(dirname "$tool")
    grep -rqE 'start_child|ProcessControl::start|run_command|tmux_pane\.hpp|common::Channels' "$folder" || continue
    grep -q 'common::take_environment();' "$tool" || fail "$tool starts processes that have its secrets"
done

finish
