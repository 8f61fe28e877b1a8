#!/bin/sh
# Installs portolan @VERSION@ on Linux or macOS: downloads the archive of this platform, verifies its checksum, and
# copies the program to a folder.
#
#   sh install.sh                 installs to ~/.local/bin
#   sh install.sh --to FOLDER     installs to FOLDER
#
# PORTOLAN_DOWNLOADS is the address of the folder with the files of the release, if it is not the default.
set -eu

version='@VERSION@'
downloads=${PORTOLAN_DOWNLOADS:-'@DOWNLOADS@'}
folder="$HOME/.local/bin"

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

case "${1-}" in
'') ;;
--to) folder=${2:?'--to needs a folder'} ;;
*) fail "unknown argument $1; usage: sh install.sh [--to FOLDER]" ;;
esac

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) fail "there is no program for $(uname -s); download the archive for Windows by hand: $downloads" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "there is no program for $(uname -m)" ;;
esac

name="portolan-$version-$os-$arch"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fetch() {
    if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --output "$scratch/$1" "$downloads/$1"
    elif command -v wget >/dev/null; then
        wget --quiet --output-document "$scratch/$1" "$downloads/$1"
    else
        fail "curl or wget is needed"
    fi || fail "cannot download $downloads/$1"
}

fetch "$name.tar.gz"
fetch SHA256SUMS
expected=$(sed -n "s/^\([0-9a-f]*\)  $name.tar.gz\$/\1/p" "$scratch/SHA256SUMS")
[ -n "$expected" ] || fail "SHA256SUMS has no checksum of $name.tar.gz"
if command -v sha256sum >/dev/null; then
    actual=$(sha256sum "$scratch/$name.tar.gz")
elif command -v shasum >/dev/null; then
    actual=$(shasum -a 256 "$scratch/$name.tar.gz")
else
    fail "sha256sum or shasum is needed"
fi
[ "${actual%% *}" = "$expected" ] ||
    fail "the checksum of $name.tar.gz is ${actual%% *}, but SHA256SUMS has $expected; nothing is installed"

tar -xzf "$scratch/$name.tar.gz" -C "$scratch"
mkdir -p "$folder"
# A running program is replaced and not overwritten.
cp "$scratch/$name/portolan" "$folder/.portolan.new"
mv "$folder/.portolan.new" "$folder/portolan"
echo "portolan $version is installed: $folder/portolan"
case ":$PATH:" in
*":$folder:"*) ;;
*) echo "Add $folder to PATH to run it as portolan." ;;
esac
echo "Next: portolan diagnose"
