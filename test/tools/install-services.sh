#!/usr/bin/env bash
# Installs dependencies of some tests: Debian's packages of Redis and of the shells with completion; in .services (git-ignored) Kafka's jars, workers in
# Go and Python, Helm and the image's Node.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! { command -v redis-server && command -v zsh && command -v fish; } >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-server zsh fish >/dev/null
fi
pom=test/tools/kafka/pom.xml
if ! cmp -s "$pom" .services/kafka/pom.xml; then
  rm -rf .services/kafka
  mvn -q -B -f "$pom" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$PWD/.services/kafka"
  cp "$pom" .services/kafka/pom.xml
fi
workers=.services/workers
sources=test/temporal/workers
mkdir -p "$workers"
if ! [ -x "$workers/go-worker" ] || [ -n "$(find "$sources/go" -newer "$workers/go-worker" -type f)" ]; then
  go build -C "$sources/go" -o "$PWD/$workers/go-worker" .
fi
if ! cmp -s "$sources/python/requirements.txt" "$workers/python/requirements.txt"; then
  rm -rf "$workers/python"
  python3 -m venv "$workers/python"
  "$workers/python/bin/pip" install -q --disable-pip-version-check -r "$sources/python/requirements.txt"
  cp "$sources/python/requirements.txt" "$workers/python/requirements.txt"
fi
helm=3.22.0
if [ ! -x ".services/helm-$helm/helm" ]; then
  GOBIN="$PWD/.services/helm-$helm" go install "helm.sh/helm/v3/cmd/helm@v$helm"
fi
node=$(sed -n 's/^FROM node:\([0-9.]*\).*/\1/p' Dockerfile | tail -n 1)
if [ ! -x ".services/node-$node/package/bin/node" ]; then
  mkdir -p ".services/node-$node"
  case "$(uname -m)" in aarch64 | arm64) arch=arm64 ;; *) arch=x64 ;; esac
  archive=$(cd ".services/node-$node" && npm pack --silent "node-linux-$arch@$node")
  tar -xzf ".services/node-$node/$archive" -C ".services/node-$node"
  rm ".services/node-$node/$archive"
fi
redis-server --version
ls .services/kafka/kafka_*.jar
".services/helm-$helm/helm" version --short
".services/node-$node/package/bin/node" --version
