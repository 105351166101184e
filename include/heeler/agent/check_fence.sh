# For workers that are shell scripts: the same as check_fence.hpp, for any POSIX shell that reads this file with `.`.
# check_fence answers 0: the run is this worker's still; 1: another worker has taken it up; 2: nobody can tell.
# shellcheck shell=sh
check_fence() {
    heeler_newest=
    { IFS= read -r heeler_newest <"${HEELER_FENCE:-/dev/null}"; } 2>/dev/null || return 2
    case ${heeler_newest:-x}${HEELER_GENERATION:-x} in *[!0-9]*) return 2 ;; esac
    [ "${#heeler_newest}" -le 18 ] && [ "${#HEELER_GENERATION}" -le 18 ] || return 2
    [ "$heeler_newest" -ne "$HEELER_GENERATION" ] || return 0
    [ "$heeler_newest" -gt "$HEELER_GENERATION" ] || return 2
    return 1
}
