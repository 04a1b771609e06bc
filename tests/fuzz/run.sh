#!/usr/bin/env bash
# Runs every fuzzer for a bounded time, from the committed corpus, and prints how often each ran and what it covered.
# What it finds is left in build/fuzz/finds, what it learned in build/fuzz/grown.
# usage: run.sh PROGRAM SECONDS_EACH [TARGET...]
set -euo pipefail
program=$1 seconds=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
finds=build/fuzz/finds
mkdir -p "$finds"
[ $# -gt 0 ] || set -- $(ls "$here/corpus")
for name in "$@"; do
  grown=build/fuzz/grown/$name log=build/fuzz/$name.log
  mkdir -p "$grown"
  # Nesting needs long text. A compressed file of that length may honestly hold gigabytes.
  longest=1000000
  case $name in fuzz_gzip | fuzz_jpeg | fuzz_metaimage | fuzz_nifti | fuzz_npy | fuzz_nrrd | fuzz_runs) longest=65536 ;; esac
  # DCMTK asks for as much memory as an element states, and touches only what the file holds.
  most=3000
  [ "$name" != fuzz_dicom_objects ] || most=8000
  "$program" --target="$name" -malloc_limit_mb=$most -max_total_time="$seconds" -max_len=$longest -timeout=25 -rss_limit_mb=3000 -print_final_stats=1 \
    -artifact_prefix="$finds/$name-" "$grown" "$here/corpus/$name" >"$log" 2>&1 || true
  runs=$(grep -oE 'number_of_executed_units: +[0-9]+' "$log" | grep -oE '[0-9]+' || true)
  covered=$(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$log" | tail -1 || true)
  echo "$name: $seconds s, ${runs:-0} runs, $covered $(grep -E '^SUMMARY' "$log" || true)"
done
if [ -n "$(ls -A "$finds")" ]; then
  echo "finds in $finds:" && ls "$finds" && exit 1
fi
