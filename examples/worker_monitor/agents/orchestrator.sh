#!/bin/sh
# orchestrator.sh FILE: notes what the monitor tells it in FILE, and has stuck workers nudged.
while IFS= read -r message; do
    printf '%s\n' "$message" >>"$1"
    case $message in
        '{"msg_type":"worker.stuck"'*)
            worker=$(printf '%s\n' "$message" | sed 's/.*"worker_name":"\([^"]*\)".*/\1/')
            printf '{"nudge":"%s","text":"Are you stuck? Please go on."}\n' "$worker"
            ;;
    esac
done
