#!/usr/bin/env bash
# in_folder.sh COMMAND...: runs it with a new folder as its last argument, which ends with it.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
timeout -k 1 280 "$@" "$work"
