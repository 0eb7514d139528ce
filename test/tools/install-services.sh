#!/usr/bin/env bash
# What the tests with a real Redis, a real Kafka and the shells that have completion need: Debian's packages, and Kafka's jars in
# .services/kafka (git-ignored).
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
redis-server --version
ls .services/kafka/kafka_*.jar
