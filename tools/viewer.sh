#!/usr/bin/env bash
# Fetches NiiVue for the report's viewer, and axe-core for its tests, where npm is there; nothing
# depends on them. Safe to repeat.
set -uo pipefail
cd "$(dirname "$0")/../web"
command -v npm >/dev/null || exit 0
[ -e node_modules/@niivue/niivue/dist/niivue.umd.js ] && [ -e node_modules/axe-core/axe.min.js ] && exit 0
timeout 120 npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 >/dev/null 2>&1 ||
  echo "viewer: NiiVue and axe-core could not be fetched; reports show three planes without it" >&2
exit 0
