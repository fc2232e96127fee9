# Sourced by ./run and ./test: installs the Debian packages that are missing, configures once, builds what changed.

build_packages=(g++ cmake ninja-build ca-certificates python3 libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libflatbuffers-dev)
# tree-sitter's sources come through npm or git.
command -v npm >/dev/null || build_packages+=(git)
# What reads C++; without it, where it cannot be had, deadgrad is built for Python alone.
llvm_packages=(llvm-19-dev libclang-19-dev clang-19)
# What the probe measures in tests; without it, where it cannot be had, these tests are left out. Debian's torch computes without OpenBLAS
# for minutes.
torch_packages=(libtorch-dev python3-torch libopenblas0-pthread binutils)
# What opens the pages that the probe draws.
browser_packages=(chromium)
test_packages=(ccache libgtest-dev libgmock-dev python3-venv python3-pip git)

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Whether the build folder is configured; one from before the C++ frontend could be found by itself is not.
is_configured() {
  [ -f "$1/build/build.ninja" ] && grep -q '^DEADGRAD_CPP_FRONTEND:STRING' "$1/build/CMakeCache.txt"
}

# Installs those of its arguments that dpkg does not know as installed. Does nothing on systems without dpkg.
install_missing() {
  command -v dpkg-query >/dev/null || return 0
  local package missing=()
  local installed
  installed=$(dpkg-query --show --showformat='${Package} ${db:Status-Abbrev}\n' "$@" 2>/dev/null | sed -n 's/ ii *$//p' || true)
  for package in "$@"; do
    grep -qx -- "$package" <<<"$installed" || missing+=("$package")
  done
  ((${#missing[@]} > 0)) || return 0
  echo "installing: ${missing[*]}" >&2
  as_root apt-get update -qq >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# install_llvm ROOT: before the first configuration. Where apt does not know these packages the build looks for another LLVM
# itself, and says what it found.
install_llvm() {
  if is_configured "$1" || ! command -v apt-cache >/dev/null; then return 0; fi
  apt-cache show "${llvm_packages[@]}" >/dev/null 2>&1 || as_root apt-get update -qq >&2 || return 0
  if ! apt-cache show "${llvm_packages[@]}" >/dev/null 2>&1; then return 0; fi
  install_missing "${llvm_packages[@]}" || echo "could not install ${llvm_packages[*]}" >&2
}

# install_optional PACKAGE…: for tests that are left out where these cannot be had.
install_optional() {
  command -v apt-cache >/dev/null || return 0
  apt-cache show "$@" >/dev/null 2>&1 || return 0
  install_missing "$@" || echo "could not install $*" >&2
}

# configure ROOT ON|OFF: with or without the tests. Ninja configures again by itself when a build file changed.
configure() {
  local root=$1 tests=$2
  if is_configured "$root"; then
    [ "$tests" = ON ] && grep -q '^DEADGRAD_TESTS:BOOL=OFF' "$root/build/CMakeCache.txt" || return 0
  fi
  local fresh=()
  is_configured "$root" || fresh=(-UDEADGRAD_CPP_FRONTEND)
  cmake -S "$root" -B "$root/build" -G Ninja "${fresh[@]}" -DDEADGRAD_TESTS="$tests" >&2
}

# build ROOT [TARGET…]: quiet unless it fails or someone watches.
build() {
  local root=$1 log
  shift
  if [ -t 2 ]; then
    ninja -C "$root/build" -j "$(nproc)" "$@" >&2
    return
  fi
  log=$(mktemp)
  if ! ninja -C "$root/build" -j "$(nproc)" "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}
