# Sourced by ./run and ./test: installs the Debian packages that are missing, configures once, builds what changed.

build_packages=(g++ cmake ninja-build ca-certificates python3 libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libflatbuffers-dev)
# tree-sitter's sources come through npm or git.
command -v npm >/dev/null || build_packages+=(git)
test_packages=(ccache libgtest-dev libgmock-dev python3-venv python3-pip git)

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
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then sudo=(sudo); fi
  "${sudo[@]}" apt-get update -qq >&2
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# configure ROOT ON|OFF: with or without the tests. Ninja configures again by itself when a build file changed.
configure() {
  local root=$1 tests=$2
  if [ -f "$root/build/build.ninja" ]; then
    [ "$tests" = ON ] && grep -q '^DEADGRAD_TESTS:BOOL=OFF' "$root/build/CMakeCache.txt" || return 0
  fi
  cmake -S "$root" -B "$root/build" -G Ninja -DDEADGRAD_TESTS="$tests" >&2
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
