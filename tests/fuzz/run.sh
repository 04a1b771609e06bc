#!/usr/bin/env bash
# Runs every fuzzer for a bounded time, from the committed corpus; finds are left in build/fuzz/finds.
# usage: run.sh BIN_DIR SECONDS_EACH
set -euo pipefail
bin=$1 seconds=$2
here=$(cd "$(dirname "$0")" && pwd)
finds=build/fuzz/finds
mkdir -p "$finds"
for corpus in "$here"/corpus/*; do
  name=$(basename "$corpus")
  echo "$name: $seconds s"
  mkdir -p "build/fuzz/grown/$name"
  "$bin/$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=512 -print_final_stats=1 \
    -artifact_prefix="$finds/$name-" "build/fuzz/grown/$name" "$corpus" 2>&1 | grep -E 'stat::number_of|ERROR|SUMMARY' || true
done
if [ -n "$(ls -A "$finds")" ]; then
  echo "finds in $finds:" && ls "$finds" && exit 1
fi
