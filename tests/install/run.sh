#!/usr/bin/env bash
# Installs a built tree into an empty folder and uses it from there as a stranger would:
# run.sh BUILD_DIR WORK_DIR COMPILER
set -euo pipefail
build=$1 work=$2 compiler=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

rm -rf "$work"
mkdir -p "$work/run"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
cd "$work/run"

echo "-- program"
"$work/prefix/bin/nodl" --version

echo "-- documents: links of installed pages and names in help texts lead to installed files"
documents=$(dirname "$(find "$work/prefix" -name README.md)")
found=0
expect() { # FILE WHO_NAMES_IT
  found=$((found + 1))
  [[ -e $1 ]] && return
  echo "$2 names ${1#"$documents"/}, which is not installed" >&2
  exit 1
}
while IFS= read -r page; do
  while IFS= read -r target; do
    expect "$(dirname "$page")/$target" "${page#"$documents"/}"
  done < <(grep -oE '\]\([^)#]+' "$page" | cut -c 3- | grep -vE '^[a-z]+:')
done < <(find "$documents" -name '*.md')
for name in $("$work/prefix/bin/nodl" train --help | grep -oE 'docs/[A-Z_]+\.md'); do
  expect "$documents/$name" "nodl train --help"
done
echo "$found names"
((found > 30))

echo "-- each header alone, with Eigen and the standard library"
eigen=$(pkg-config --cflags eigen3)
# shellcheck disable=SC2086
find "$work/prefix/include" -name '*.h' -print0 |
  xargs -0 -I {} -P 2 "$compiler" -std=c++20 -DEIGEN_MAX_ALIGN_BYTES=64 -fsyntax-only -Wall -Wextra -Werror \
    -I"$work/prefix/include" $eigen -include {} -x c++ /dev/null

echo "-- find_package"
cmake -G Ninja -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release --log-level=WARNING
cmake --build "$work/consumer"
"$work/consumer/learn"
"$work/consumer/files"

echo "-- pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name nodl.pc)")
export PKG_CONFIG_PATH
# For another processor than the library was built for: matrices cross the border all the same.
flags=()
if grep -qw avx2 /proc/cpuinfo; then flags+=(-mavx2 -mfma); fi
# shellcheck disable=SC2046
"$compiler" -std=c++20 -O2 "${flags[@]}" "$here/consumer/files.cpp" -o files $(pkg-config --cflags --libs nodl)
./files
