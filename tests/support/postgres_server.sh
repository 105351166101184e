#!/usr/bin/env bash
# A PostgreSQL server for tests: private, without network, its data thrown away.
#   postgres_server.sh start DIR [PID]   a new one; ends by itself when the process PID is gone (default: the caller)
#   postgres_server.sh again DIR         the same, with its data
#   postgres_server.sh stop DIR [MODE]   MODE: fast, or immediate
#   postgres_server.sh remove DIR        stops it and removes DIR
# DIR/server is this script with its environment. The server listens in DIR, whose path must be short: a socket's path has at most 107 bytes. HEELER_POSTGRES_BIN names the directory of
# initdb and pg_ctl. Roles: heeler (no password), reader (may read what exists in the database), guarded (password).
set -euo pipefail

action=$1
dir=$2
bin=${HEELER_POSTGRES_BIN:?where initdb and pg_ctl are}

# PostgreSQL refuses to run as root.
as_user=()
if [ "$(id -u)" = 0 ]; then
    user=postgres
    id "$user" >/dev/null 2>&1 || user=nobody
    as_user=(setpriv "--reuid=$user" "--regid=$(id -g "$user")" --clear-groups)
fi

run() {
    (cd "$dir" && "${as_user[@]}" env -u LC_ALL LC_ALL=C "$@")
}

launch() {
    run "$bin/pg_ctl" start -w -t 60 -s -D "$dir/data" -l "$dir/log" </dev/null >/dev/null 2>&1 || {
        cat "$dir/log" >&2
        return 1
    }
}

stop() {
    [ ! -f "$dir/data/postmaster.pid" ] || run "$bin/pg_ctl" stop -w -t 60 -s -D "$dir/data" -m "${1:-fast}" || true
}

make() {
    stop
    rm -rf "$dir"
    mkdir -m 700 "$dir"
    [ "${#as_user[@]}" = 0 ] || chown "$user" "$dir"
    run "$bin/initdb" -D "$dir/data" -U heeler -A trust -E UTF8 --locale=C --no-sync --no-instructions >"$dir.log" 2>&1 || {
        cat "$dir.log" >&2
        return 1
    }
    rm -f "$dir.log"
    run tee -a "$dir/data/postgresql.conf" >/dev/null <<EOF
listen_addresses = ''
unix_socket_directories = '$dir'
fsync = off
full_page_writes = off
shared_buffers = 16MB
max_connections = 60
logging_collector = off
EOF
    run tee "$dir/data/pg_hba.conf" >/dev/null <<EOF
local all guarded scram-sha-256
local all all     trust
EOF
    printf '#!/bin/sh\nHEELER_POSTGRES_BIN="%s" exec bash "%s" "$@"\n' "$bin" "$(realpath "$0")" >"$dir/server"
    chmod 755 "$dir/server"
    launch
    run "$bin/psql" -q -v ON_ERROR_STOP=1 -h "$dir" -U heeler -d postgres >/dev/null <<EOF
CREATE ROLE reader LOGIN IN ROLE pg_read_all_data;
CREATE ROLE guarded LOGIN PASSWORD 'swordfish-17';
EOF
}

# A server that nobody stops would outlive the tests. The mark tells it from a later one in the same place.
guard() {
    local watched=$1 mark
    mark=$(mktemp "$dir/guarded.XXXXXX")
    (
        while kill -0 "$watched" 2>/dev/null && [ -f "$mark" ]; do sleep 1; done
        [ ! -f "$mark" ] || { stop immediate; rm -rf "$dir"; }
    ) </dev/null >/dev/null 2>&1 &
}

case "$action" in
    start)
        make
        guard "${3:-$PPID}"
        ;;
    again) launch ;;
    stop) stop "${3:-fast}" ;;
    remove)
        stop immediate
        rm -rf "$dir"
        ;;
    *)
        echo "postgres_server.sh: unknown action '$action'" >&2
        exit 2
        ;;
esac
