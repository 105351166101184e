# Sourced by tests of tools: a PostgreSQL server of the test's own, named NAME, that goes with the script.
#   own_postgres NAME     sets `work` (a directory), `data` (the server's) and `server_url`; ends the script with 77
#                         where no server is installed
# shellcheck shell=bash
own_postgres() {
    local directory
    for directory in $(dirname "$(command -v initdb || echo /none/initdb)") /usr/lib/postgresql/*/bin; do
        [ -x "$directory/initdb" ] && [ -x "$directory/psql" ] && export HEELER_POSTGRES_BIN=$directory
    done
    [ -n "${HEELER_POSTGRES_BIN:-}" ] || { echo "no PostgreSQL server is installed"; exit 77; }
    server=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/postgres_server.sh
    work=$(mktemp -d)
    data=/tmp/heeler-$1-$$
    trap 'bash "$server" remove "$data"; rm -rf "$work"' EXIT
    bash "$server" start "$data" $$ >"$work/server" 2>&1 || { cat "$work/server"; exit 1; }
    # shellcheck disable=SC2034 # for the script that sources this
    server_url="postgres:host=$data user=heeler dbname=postgres"
}
