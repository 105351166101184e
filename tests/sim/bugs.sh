#!/usr/bin/env bash
# Proves that the simulated worlds (tests/sim) find faults: each patch in tests/sim/bugs is a fault, put into a copy of the
# library; prints which seed was the first to see it. Exit status 1 if one of them is not seen within HEELER_SIM_SEEDS.
#   tests/sim/bugs.sh [CXX [NAME...]]
#   tests/sim/bugs.sh --check            only whether each patch still fits the lines that it was made for
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# apply PATCH [--check]: to $scratch/include. Unlike `patch`, git accepts no neighbours but those that a fault was put between.
apply() { (cd "$scratch" && git apply --directory=include "$@"); }

if [ "${1-}" = --check ]; then
    status=0
    cp -r include "$scratch/include"
    for patch in "$PWD"/tests/sim/bugs/*.patch; do
        apply "$patch" --check || status=1
    done
    exit $status
fi

cxx=${1:-g++}
names=("${@:2}")
seeds=${HEELER_SIM_SEEDS:-2000}
sources=$scratch/worlds.cpp
printf '#define CATCH_CONFIG_MAIN\n' >"$sources"
for source in tests/sim/*.cpp; do
    case $source in */sqlite.cpp | */postgres.cpp | */exported.cpp | */many_worlds.cpp) continue ;; esac
    printf '#include "%s"\n' "$PWD/$source" >>"$sources"
done

build() { "$cxx" -std=c++20 -O1 "-I$1" -Itests "$sources" -o "$scratch/worlds" -lfmt -lxxhash; }
# Not the trace that is written down: it differs by whatever changes a verdict, and so proves no promise.
live() { HEELER_SIM_SEEDS=$seeds "$scratch/worlds" '~one seed is one trace*' 2>&1; }
build include
if ! said=$(live); then
    sed -n 's/^ *\(seed [0-9]*: .*\)/\1, without any fault: fewer seeds prove something/p' <<<"$said"
    exit 1
fi

unseen=0
for patch in "$PWD"/tests/sim/bugs/*.patch; do
    name=$(basename "$patch" .patch)
    [[ ${#names[@]} = 0 || " ${names[*]} " = *" $name "* ]] || continue
    rm -rf "$scratch/include"
    cp -r include "$scratch/include"
    if ! apply "$patch"; then
        echo "$name: the patch does not apply any more"
        unseen=1
        continue
    fi
    if ! build "$scratch/include"; then
        echo "$name: the patch does not compile any more"
        unseen=1
        continue
    fi
    said=$(live) && status=0 || status=$?
    seen=$(sed -n 's/^ *seed \([0-9]*\): \([A-Z][0-9a-z]*\): .*/\1 \2/p' <<<"$said" | head -1)
    if [ "$status" = 0 ]; then
        echo "$name: NOT SEEN in $seeds seeds: $(head -1 "$patch")"
        unseen=1
    elif [ -z "$seen" ]; then # not what one world promises, but what two have in common
        echo "$name: $(sed -n '/^-----/{n;p;q}' <<<"$said"): $(head -1 "$patch")"
    else
        echo "$name: seed ${seen% *}, promise ${seen#* }: $(head -1 "$patch")"
    fi
done
exit $unseen
