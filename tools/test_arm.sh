#!/usr/bin/env bash
# Compiles the library and its unit tests for 64-bit ARM and runs them under qemu. Skips, with a sentence, where it cannot.
# usage: test_arm.sh [OPTION of the test program]...      such as --gtest_filter='Dice.*'
set -euo pipefail
cd "$(dirname "$0")/.."
skip() {
  echo "test-arm: skipped, because $1"
  exit 0
}
tools/setup.sh arm || skip "the cross compiler and qemu are not installed"
# In a folder of its own: this machine's own packages stay those of one architecture.
export ASSAY_ARM64=$PWD/build/arm64-libraries
tools/dist/debs.sh "$ASSAY_ARM64" bookworm arm64 libc6-dev libstdc++-12-dev libdeflate-dev zlib1g-dev libssl-dev libfmt-dev \
  nlohmann-json3-dev libcli11-dev libboost-math-dev libtomlplusplus-dev libcurl4-openssl-dev libjpeg62-turbo-dev libpng-dev \
  libtiff-dev libbz2-dev libopenslide0 libgtest-dev libgmock-dev libdcmtk-dev libblosc-dev libzstd-dev ||
  skip "the libraries for ARM cannot be fetched"
# Less optimised than a release: the compiler takes longer than the tests, even under qemu.
cmake -S . -B build/arm64 -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/arm64.cmake -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DASSAY_UNITY=ON -DASSAY_WERROR=ON -DASSAY_BENCH=OFF -DASSAY_PYTHON=OFF \
  -DASSAY_DICOM=ON -DASSAY_BLOSC=ON >/dev/null
cmake --build build/arm64 --target assay_test
# qemu does not tell a program that another one could not be started (posix_spawn), which is what these tests are about.
left_out=CommandTest.a_handshake_that_fails_is_told_at_once:ChildProcess.an_absent_program_is_named
export GTEST_FILTER=-$left_out:RunProgram.what_cannot_be_started_is_named
qemu-aarch64-static -L "$ASSAY_ARM64" build/arm64/bin/assay_test --gtest_brief=1 "$@"
