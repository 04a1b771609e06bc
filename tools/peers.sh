#!/usr/bin/env bash
# Installs the tools that assay is compared with into build/peers/env, then compares. Safe to repeat.
# usage: peers.sh [OPTION of tests/peers/run.py]...
#
# PEERS_PATH: folders with Python packages that the package index does not have, such as a checkout of MetricsReloaded.
# pip's own settings apply: without a CPU build of torch in reach (PIP_FIND_LINKS), pip takes the large one.
set -euo pipefail
cd "$(dirname "$0")/.."

home=build/peers env=build/peers/env wanted=tests/peers/requirements.txt
pip=("$env/bin/python" -m pip --disable-pip-version-check)
mkdir -p "$home"

skip() {
  echo "test-peers: skipped, because $1"
  exit 0
}

# One line of the requirements; the rest of them bound what else it brings.
install() {
  "${pip[@]}" install --quiet --retries 1 --timeout 30 --constraint "$home/constraints.txt" "$1" >"$home/pip.log" 2>&1
}

install_all() {
  /usr/bin/python3 -m venv "$env" >"$home/pip.log" 2>&1 || skip "python3-venv is missing (apt-get install python3-venv)"
  grep -v '^#' "$wanted" | grep '==' >"$home/constraints.txt"
  : >"$home/missing.txt"
  local first=yes requirement
  while read -r requirement; do
    if install "$requirement"; then
      echo "test-peers: $requirement is there"
    elif [ -n "$first" ]; then
      skip "the Python package index cannot be reached: $(tail -n 1 "$home/pip.log")"
    else
      echo "$requirement: $(grep -m 1 '^ERROR' "$home/pip.log" || tail -n 1 "$home/pip.log")" >>"$home/missing.txt"
      echo "test-peers: $requirement cannot be installed"
    fi
    first=
  done < <(grep -v '^#' "$wanted")
  # nnU-Net brings a torchvision along that may belong to another build of torch. torchmetrics then does not start, and
  # nothing here needs it.
  "$env/bin/python" -c "import torchvision" 2>/dev/null || "${pip[@]}" uninstall --quiet --yes torchvision 2>/dev/null || true
  cp "$wanted" "$home/installed.txt"
}

cmp -s "$wanted" "$home/installed.txt" || install_all
PYTHONPATH="build/release/python${PEERS_PATH:+:$PEERS_PATH}" exec "$env/bin/python" tests/peers/run.py "$@"
