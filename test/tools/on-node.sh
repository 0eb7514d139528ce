#!/usr/bin/env bash
# Runs npm scripts on another version of Node: `npm run test:node -- 22` runs `npm test` on the newest Node 22, `npm run test:node -- 24 check build`
# two scripts on Node 24; the arguments after `--` run as a command (`-- npx vitest …`). Works in a copy of the files in git, with the
# changes in the working tree: the developer's node_modules and dist do not change. `npm ci` there must not print warnings.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! [[ ${1:-} =~ ^[0-9]+(\.[0-9]+){0,2}$ ]]; then
  echo "Usage: npm run test:node -- <version of Node, such as 22> [npm script …] [-- command …]" >&2
  exit 64
fi
version=$1
shift
services=$PWD/.services
mkdir -p "$services"
case "$(uname -m)" in aarch64 | arm64) arch=arm64 ;; *) arch=x64 ;; esac
archive=$(cd "$services" && npm pack --silent "node-linux-$arch@$version") || {
  echo "npm has no package node-linux-$arch@$version" >&2
  exit 1
}
node=$services/$(basename "$archive" .tgz | sed "s/node-linux-$arch/node/")
if [ ! -x "$node/package/bin/node" ]; then
  mkdir -p "$node"
  tar -xzf "$services/$archive" -C "$node"
fi
rm "$services/$archive"
export PATH=$node/package/bin:$PATH

copy=$(mktemp -d -t journeyman-node-XXXXXX)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do [ -e "$file" ] && printf '%s\0' "$file"; done |
  tar --create --null --files-from=- | tar --extract --directory "$copy"
# git ignores a folder of this name, but lists a link.
mkdir "$copy/.services"
for service in "$services"/*; do [ -e "$service" ] && ln -s "$service" "$copy/.services/"; done
cd "$copy"
# The house tests list files with git.
git init --quiet && git add --all
echo "Node $(node --version), npm $(npm --version)"
# `npm run --silent` would silence it too. npm's warnings about settings of this machine do not concern the package.
npm ci --no-fund --no-audit --loglevel=notice 2>&1 | grep -v 'npm warn Unknown .* config' | tee "$copy.log"
if grep -iE '^npm (warn|error)' "$copy.log"; then
  rm "$copy.log"
  echo "npm ci prints warnings on Node $(node --version)" >&2
  exit 1
fi
rm "$copy.log"
[ $# -gt 0 ] || set -- test
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  echo "npm run $1 on Node $(node --version)"
  npm run --silent "$1"
  shift
done
if [ $# -gt 0 ]; then
  shift
  echo "$* on Node $(node --version)"
  "$@"
fi
