#!/usr/bin/env bash
# no_skips.sh LOG [MORE]: fails if ctest, which wrote LOG, skipped a test that can run wherever the set-up has installed what tests
# need. MORE: a pattern of names that may be skipped here as well. Whatever was skipped is named.
set -uo pipefail
# What root may read, what only tests/run.sh --full or a network provides, a formatter that a distribution no longer has, what a
# sanitizer does not allow.
allowed='source\.(a file without permission is an error|line_follower)|example\.serve_(wheel|adapters|types)$'
allowed+='|package\.conan$|sources\.format$|engine\.(quiet_headers|including .* starts no thread)'
allowed+=${2:+"|$2"}

skipped=$(sed -nE 's/^[[:space:]]*[0-9]+ - (.*) \(Skipped\)$/\1/p' "$1") || exit 1
refused=$(grep -vE "$allowed|^$" <<<"$skipped")
[ -z "$skipped" ] || sed 's/^/SKIPPED: /' <<<"$skipped"
[ -z "$refused" ] || { sed 's/^/FAILED: skipped, but it can run here: /' <<<"$refused"; exit 1; }
