#!/usr/bin/env bash
# A repository for issues that takes every call and never answers: five sessions are given up, people are told of each,
# and soon.
set -uo pipefail

# shellcheck source=../support/stand_ins.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/stand_ins.sh"
monitor=$(built session-monitor) || exit 1
sessions=$work/sessions

stand_in loopback_silent.py http
printf '#!/bin/sh\ncat >>"%s/told"\n' "$work" >"$work/person"
chmod +x "$work/person"
at=$(date -u +%Y-%m-%dT%H:%M:%SZ)
for session in first0000000 second000000 third0000000 fourth000000 fifth0000000; do
    mkdir -p "$sessions/$session"
    for number in $(seq 8); do
        printf '{"event":"pre_tool_use","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"%s","timestamp":"%s"}\n' \
            "$number" "$at"
        printf '{"event":"post_tool_use","tool_name":"Bash","is_error":false,"tool_use_id":"%s","timestamp":"%s"}\n' "$number" "$at"
    done >"$sessions/$session/tool_use.jsonl"
done

HEELER_GITHUB_TOKEN=github-token HEELER_GITHUB_API=$http "$monitor" "$sessions" --scale 200 --every 250ms \
    --store "sqlite:$work/store.db" --notify "command:$work/person" --issues github:acme/agents >"$work/out" 2>"$work/err" &
pid=$!
told_of_each() { [ "$(grep -cs '"kind":"run.ended"' "$work/told")" = 5 ]; }
until_true told_of_each || fail "people were not told of each session"
began=$(date +%s)
kill -TERM $pid
wait $pid || fail "it ended with an error"
[ $(($(date +%s) - began)) -le 40 ] || fail "its end took $(($(date +%s) - began)) s"

finish "nobody waits for a repository"
