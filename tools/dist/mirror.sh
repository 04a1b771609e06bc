#!/usr/bin/env bash
# Prints the address of Debian's packages that this machine's own settings of apt name.
set -euo pipefail
found=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sed -n 1p)
if [ -z "$found" ]; then
  echo "mirror: apt names no Debian mirror here; add one to /etc/apt/sources.list and run apt-get update" >&2
  exit 1
fi
echo "${found%/}"
