#!/usr/bin/env bash
# Installs what the named groups need, and nothing that is already there. Safe to repeat. Without root it names what is missing
# in one line, and succeeds where the program can be built without that.
# usage: setup.sh GROUP...        groups: build test fuzz bench cluster dist arm site peers
set -euo pipefail

build="g++ cmake ninja-build ccache pkg-config git
  libdeflate-dev zlib1g-dev libbz2-dev libssl-dev libfmt-dev nlohmann-json3-dev libcli11-dev libboost-math-dev libtomlplusplus-dev
  libcurl4-openssl-dev ca-certificates libjpeg62-turbo-dev libpng-dev libtiff-dev libopenslide0 libdcmtk-dev libblosc-dev libzstd-dev
  python3-dev pybind11-dev python3-numpy"
test="libgtest-dev libgmock-dev libbenchmark-dev clang-14 clang-format clang-tidy libclang-rt-14-dev universal-ctags jq
  python3 python3-numpy python3-scipy python3-nibabel python3-pydicom python3-pytest python3-pytest-xdist python3-torch python3-pandas python3-sklearn python3-statsmodels python3-pil python3-tifffile python3-pip
  python3-venv chromium chromium-driver firefox-esr python3-selenium librsvg2-bin libinsighttoolkit5-dev zsh fish mandoc pigz isal zopfli mkdocs mkdocs-material"
# Without these there is still a program: no Python package, no whole slides, no DICOM, no compressed Zarr, a slower second build, an unnamed commit.
optional=" ccache git ca-certificates libopenslide0 libdcmtk-dev libblosc-dev libzstd-dev python3-dev pybind11-dev python3-numpy "
fuzz="clang-14 libclang-rt-14-dev"
bench="libbenchmark-dev python3 python3-numpy python3-scipy python3-nibabel python3-torch python3-statsmodels python3-sklearn valgrind"
cluster="slurm-wlm slurmd slurmctld slurm-client munge snakemake python3-distributed"
dist="dpkg-dev binutils nasm debootstrap python3 python3-pip python3-pil python3-pydicom"
arm="g++-aarch64-linux-gnu qemu-user-static cmake ninja-build pkg-config ccache"
site="mkdocs mkdocs-material"
peers="python3-venv plastimatch dcmtk"
# npm brings ONNX Runtime. Debian's only where there is none: many machines have a newer one that is no package.
command -v npm >/dev/null || test="$test nodejs npm" bench="$bench nodejs npm"

wanted=()
for group in "$@"; do
  case "$group" in
    build | test | fuzz | bench | cluster | dist | arm | site | peers) read -r -d '' -a names <<<"${!group}" || true; wanted+=("${names[@]}") ;;
    *) echo "setup: there is no group '$group' (build, test, fuzz, bench, cluster, dist, arm, site, peers)" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "setup: this system has no Debian packages; it needs what these hold: ${wanted[*]}" >&2
  exit 0
fi
missing=()
needed=no
for package in "${wanted[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] && continue
  missing+=("$package")
  [[ $optional == *" $package "* ]] || needed=yes
done
[ ${#missing[@]} -gt 0 ] || exit 0

run=()
if [ "$(id -u)" -ne 0 ]; then
  if ! sudo -v 2>/dev/null; then
    why="going on without, because the program can be built"
    [ $needed = no ] || why="ask an administrator, because the build needs them"
    echo "setup: missing packages, and no root to install them ($why): apt-get install ${missing[*]}" >&2
    [ $needed = no ] && exit 0 || exit 2
  fi
  run=(sudo)
fi
# Packages are installed for their programs: no daemon of theirs is started, unless the machine has a rule of its own.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap '"${run[@]}" rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | "${run[@]}" install -m 755 /dev/stdin "$policy"
fi
echo "setup: installing ${#missing[@]} packages: ${missing[*]}"
options=(-qq -y --no-install-recommends -o DPkg::Lock::Timeout=900 -o Dpkg::Options::=--force-unsafe-io -o Dpkg::Use-Pty=0)
"${run[@]}" apt-get -qq -o DPkg::Lock::Timeout=900 update
"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" install "${missing[@]}" >/dev/null
