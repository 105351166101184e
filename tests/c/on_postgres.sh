#!/usr/bin/env bash
# on_postgres.sh COMMAND...: runs it with the address of a new PostgreSQL server, and a word more, as its last arguments.
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../support/own_postgres.sh"
own_postgres c
timeout -k 1 280 "$@" "$server_url" alone
