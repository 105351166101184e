#!/usr/bin/env bash
# Searches the model (continuation.pml) for the cases of cases.txt.
#   tests/model/check.sh               all of them
#   tests/model/check.sh NAME...       these
#   tests/model/check.sh --trail NAME  what a case that must fail found, step by step
# HEELER_MODEL_ALL=1 searches with larger bounds: minutes and 2 GB instead of seconds. 77: there is no spin or no C compiler.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cc=${CC:-cc}

for tool in spin "$cc"; do
    command -v "$tool" >/dev/null || {
        echo "heeler: skipped: no $tool (package spin; a C compiler)"
        exit 77
    }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What a search must have come by, lest it holds of nothing.
wanted() {
    echo takes_over lease_lapses is_killed stays_dead is_fenced claims loses_claim_done loses_claim_not_done continues \
        starts loses_start_done loses_start_not_done loses_start_on_its_way refuses_to_start releases \
        loses_release_done loses_release_not_done stores_done stores_failed stores_unknown
    case " $* " in *" -DFIND "*) echo finds finds_nothing finds_no_answer starts_late comes_too_late ;; esac
    case " $* " in
        *" -DIDEMPOTENT "*) echo adopts starts_nothing_new comes_too_late keeps_claim ;;
        *" -DFIND "*) echo is_foreign ;;
    esac
}

# build DEFINES...: makes ./pan in the current directory.
build() {
    local options=("-O$optimise" -w -DCOLLAPSE -DMEMLIM=8000)
    case " $* " in
        *" -DLIVE "*) options+=(-DNFAIR=3) ;;
        *) options+=(-DSAFETY) ;;
    esac
    spin -a "$@" "$here/continuation.pml" >spin.log 2>&1 || {
        cat spin.log
        return 1
    }
    "$cc" "${options[@]}" -o pan pan.c
}

# Too long a path counts as an error (-b), so no path is left out.
search() {
    ./pan -b -m20000 -w22 "$@" >found.txt 2>&1 || true
}

complete() {
    grep -q 'errors: 0$' found.txt && ! grep -Eq 'not completed|too small|out of memory|truncated|aborting' found.txt
}

violated() {
    grep -q "^pan:1: $1" found.txt
}

steps() {
    ./pan -r continuation.pml.trail | sed -n 's/^step: //p'
}

came_by() {
    local event missing=()
    for event in $(wanted "$@"); do
        grep -q "^reached: $event\$" found.txt || missing+=("$event")
    done
    [ ${#missing[@]} = 0 ] || {
        echo "never reached: ${missing[*]}"
        return 1
    }
}

# in_order FILE: its lines are among those of the input, in this order.
in_order() {
    awk 'BEGIN { n = at = 0 } NR == FNR { step[n++] = $0; next } $0 == step[at] { at++ }
         END { if (at < n) { print "not in the trail, or not in this order: " step[at]; exit 1 } }' "$1" -
}

check() {
    local kind=$1 story optimise=0  # what fails is found sooner than the compiler has optimised
    shift
    case "$kind" in holds | lives) optimise=1 ;; esac
    case "$kind" in
        holds | lives)
            # The last definition of a bound counts.
            [ "$kind$HEELER_MODEL_ALL" != holds1 ] || set -- "$@" -DLAPSES=2 -DLOSSES=2 -DREFUSALS=2 -DKEYS=3
            [ "$kind$HEELER_MODEL_ALL" != lives1 ] || set -- "$@" -DLOSSES=2 -DREFUSALS=2 -DKEYS=3
            ;;
    esac
    case "$kind" in
        holds) build "$@" && search && complete && came_by "$@" ;;
        lives) build "$@" -DLIVE && search -a -f && complete ;;
        fails) build "$@" && search && violated 'assertion violated' ;;
        stalls) build "$@" -DLIVE && search -a -f && violated 'acceptance cycle' ;;
        tells)
            story=$(sed -n 's/.*-DSTORY=\([0-9]*\).*/\1/p' <<<"$*")
            build "$@" && search && violated 'assertion violated' && steps | in_order "$here/stories/$story.txt"
            ;;
        *)
            echo "unknown kind '$kind'"
            return 1
            ;;
    esac
}

HEELER_MODEL_ALL=${HEELER_MODEL_ALL:-}
trail=no
if [ "${1-}" = --trail ]; then
    trail=yes
    shift
fi
failed=0
for name in "${@:-}"; do
    lines=$(sed -n "s/^\\(${name:-[a-z][^ ]*}\\)  *\\(.*\\)/\\1 \\2/p" "$here/cases.txt")
    [ -n "$lines" ] || {
        echo "tests/model/check.sh: no case '$name' in cases.txt" >&2
        exit 2
    }
    while read -r case kind defines; do
        rm -rf "${work:?}/$case"
        mkdir "$work/$case"
        cd "$work/$case"
        # shellcheck disable=SC2086
        if check "$kind" $defines; then
            echo "ok      $case: $(sed -n 's/^ *\([0-9]*\) states, stored.*/\1 states/p' found.txt)"
        else
            failed=1
            echo "FAILED  $case ($kind $defines)"
            [ ! -e found.txt ] || grep -v '^reached: ' found.txt | head -n 40
        fi
        [ $trail = no ] || [ ! -e continuation.pml.trail ] || steps
    done <<<"$lines"
done
exit $failed
