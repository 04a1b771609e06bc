#!/usr/bin/env bash
# Unpacks Debian packages and all that they depend on into a folder, without installing anything on this machine.
# usage: debs.sh FOLDER SUITE ARCHITECTURE PACKAGE...      a PACKAGE such as src:curl is a source package
set -euo pipefail
[ $# -ge 4 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
folder=$1 suite=$2 architecture=$3
shift 3
keys=/usr/share/keyrings/debian-archive-keyring.gpg
wanted="$suite $architecture $*"
[ "$(cat "$folder/.unpacked" 2>/dev/null)" != "$wanted" ] || exit 0
mirror=$("$(dirname "$0")/mirror.sh")
rm -rf "$folder"
state=$folder/.apt
mkdir -p "$state"/{lists/partial,archives/partial}
state=$(realpath "$state")
for kind in deb deb-src; do
  for each in "$suite" "$suite-updates"; do
    echo "$kind [signed-by=$keys] $mirror $each main"
  done
done >"$state/sources.list"
: >"$state/status"
options=(-qq -o Dir::State="$state" -o Dir::State::Lists="$state/lists" -o Dir::State::status="$state/status"
  -o Dir::Cache="$state" -o Dir::Cache::Archives="$state/archives" -o Dir::Etc::SourceList="$state/sources.list"
  -o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null -o APT::Architecture="$architecture"
  -o APT::Architectures="$architecture" -o APT::Sandbox::User=root -o Debug::NoLocking=1 -o Acquire::Languages=none)
apt-get "${options[@]}" update
for package; do
  case $package in
    src:*) (cd "$folder" && apt-get "${options[@]}" source --only-source --download-only "${package#src:}") ;;
    *) apt-get "${options[@]}" install --yes --no-install-recommends --download-only "$package" ;;
  esac
done
for archive in "$state"/archives/*.deb; do
  [ ! -e "$archive" ] || dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$folder" --keep-directory-symlink
done
rm -rf "$state"
echo "$wanted" >"$folder/.unpacked"
