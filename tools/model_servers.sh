#!/usr/bin/env bash
# Installs LiteLLM and the official clients of OpenAI and Anthropic into build/peers/servers, then runs
# tests/peers/model_servers.py with them, on loopback only. Safe to repeat.
# usage: model_servers.sh [OPTION of pytest]...
set -euo pipefail
cd "$(dirname "$0")/.."

home=build/peers env=build/peers/servers wanted=tests/peers/servers.txt
mkdir -p "$home"

skip() {
  rm -rf "$env"
  echo "model servers: skipped, because $1"
  exit 0
}

install_all() {
  /usr/bin/python3 -m venv --clear "$env" >"$home/servers.log" 2>&1 ||
    skip "python3-venv is missing (apt-get install python3-venv)"
  "$env/bin/python" -m pip --disable-pip-version-check install --quiet --retries 1 --timeout 30 -r "$wanted" \
    >"$home/servers.log" 2>&1 ||
    skip "the Python package index cannot be reached: $(grep -m 1 '^ERROR' "$home/servers.log" || tail -n 1 "$home/servers.log")"
  cp "$wanted" "$env/installed.txt"
}

cmp -s "$wanted" "$env/installed.txt" || install_all
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 -m pytest -q -p no:cacheprovider tests/peers/model_servers.py "$@"
