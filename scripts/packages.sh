# Sourced by ./demo, ./test and scripts/*: what a bare Debian 12 lacks, and how it gets it.

build_packages=(g++ cmake ninja-build pkg-config libeigen3-dev libcli11-dev libfmt-dev
  nlohmann-json3-dev libxxhash-dev zlib1g-dev libzstd-dev libjpeg-dev libpng-dev
  liblinear-dev libxgboost-dev)
test_packages=(libgtest-dev libbenchmark-dev libopenblas-dev clang-format python3-numpy python3-scipy python3-sklearn
  python3-pil chromium clang-14 libclang-rt-14-dev zstd pybind11-dev python3-dev python3-pip python3-venv
  python3-setuptools python3-wheel python3-pandas python3-matplotlib)

say() { printf '\n== %s\n' "$*"; }
fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# Installs those of the packages that are missing. Takes no time, and needs no rights, if none is.
need() {
  local missing=() package
  command -v dpkg-query >/dev/null || return 0 # not a Debian: CMake says what it does not find
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  local root=()
  if ((EUID != 0)); then
    sudo -n true 2>/dev/null ||
      fail "needs packages. Run as root: apt-get install --no-install-recommends ${missing[*]}"
    root=(sudo -n)
  fi
  say "Installing ${missing[*]}"
  local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3
    -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold)
  local log
  log=$(mktemp)
  # A foreign source that does not answer must not stop us; the installation decides.
  "${apt[@]}" update >"$log" 2>&1 || true
  if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    fail "apt-get could not install ${missing[*]}"
  fi
  rm -f "$log"
}

# Configures and builds one preset of CMakePresets.json.
build_preset() {
  local preset=$1 arguments=()
  shift
  if command -v ccache >/dev/null; then arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  say "Building ($preset)"
  local log
  log=$(mktemp)
  if ! cmake --preset "$preset" "${arguments[@]}" "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "cmake could not configure the preset $preset"
  fi
  rm -f "$log"
  cmake --build --preset "$preset"
}
