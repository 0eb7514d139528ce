#!/usr/bin/env bash
# Installs the programs that `npm run cluster` needs: Temporal's server and its tool for SQL schemas, built once into .services (git-ignored), and
# PostgreSQL of Debian. Prints their paths.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=1.29.1
folder=$PWD/.services/temporal-server-$version
if ! [ -x "$folder/server" ] || ! [ -x "$folder/sql" ]; then
  if ! command -v go >/dev/null; then
    echo "Temporal's server is not there and cannot be built: install Go (https://go.dev/dl), or put server and sql into $folder" >&2
    exit 69
  fi
  echo "Building Temporal's server $version once, into $folder; this takes a few minutes" >&2
  for tool in cmd/server cmd/tools/sql; do
    GOBIN=$folder go install "go.temporal.io/server/$tool@v$version" >&2
  done
fi
find_postgresql() {
  { find /usr/lib/postgresql -path '*/bin/initdb' 2>/dev/null || true; } | sort -V | tail -n 1 | xargs -r dirname
}
postgresql=$(find_postgresql)
if [ -z "$postgresql" ] && command -v initdb >/dev/null; then
  postgresql=$(dirname "$(command -v initdb)")
fi
if [ -z "$postgresql" ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "PostgreSQL's server is not installed: install it (Debian and Ubuntu: apt-get install postgresql)" >&2
    exit 69
  fi
  echo "Installing PostgreSQL" >&2
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >&2
  postgresql=$(find_postgresql)
fi
printf 'version=%s\ntemporal=%s/server\nsql=%s/sql\npostgresql=%s\n' "$version" "$folder" "$folder" "$postgresql"
