#!/usr/bin/env bash
# What the tests with a real Redis and a real Kafka need: Debian's redis-server, and Kafka's jars in .services/kafka (git-ignored).
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v redis-server >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-server >/dev/null
fi
pom=test/tools/kafka/pom.xml
if ! cmp -s "$pom" .services/kafka/pom.xml; then
  rm -rf .services/kafka
  mvn -q -B -f "$pom" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$PWD/.services/kafka"
  cp "$pom" .services/kafka/pom.xml
fi
redis-server --version
ls .services/kafka/kafka_*.jar
