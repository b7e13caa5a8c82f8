# npm_files.sh, read by the scripts that fetch files from an npm package. They set
#   name     of the script, for its messages
#   package  with its version
#   archive  the file that `npm pack` makes of it
#   dest     the directory that the files go to, which is made
#   sums     what `sha256sum` says of them, a line each

say() { printf '%s: %s\n' "$name" "$*"; }
die() { printf '%s: error: %s\n' "$name" "$*" >&2; exit 1; }

all_match() { (cd "$1" 2>/dev/null && printf '%s\n' "$sums" | sha256sum --check --status 2>/dev/null); }

# Unpacks the package into $work/package, which goes when the script ends.
unpack() {
  command -v npm >/dev/null 2>&1 || die "npm is missing: install the Debian package npm"
  mkdir -p "$dest"
  work=$(mktemp -d "$dest/.fetch.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  say "packing $package from the npm registry"
  (cd "$work" && npm pack --silent "$package" >/dev/null) || die "npm pack $package failed"
  tar -xzf "$work/$archive" -C "$work" || die "the package of $package cannot be unpacked"
}
