#!/bin/sh
# fetch_hnswlib.sh DEST: puts the hnswlib 0.8.0 headers into DEST/hnswlib/, so that DEST is an
# include directory. They come from the npm package hnswlib-node 3.0.0 (Debian's 0.6.2 has no filter
# functor), each checked by its SHA-256. Does nothing when they are there already.
set -eu
name=fetch_hnswlib
package=hnswlib-node@3.0.0
archive=hnswlib-node-3.0.0.tgz
dest=${1:?usage: sh tools/fetch_hnswlib.sh DEST}
sums='b40930bbcf80744c86c46a12bc9da056641d722716c378f5659b9e555ef833e1  LICENSE
da1f179e99d8e5a4c39b5db0c681bccf3c63e797aaa4982620519f8e001cb2c6  bruteforce.h
0fb2c1b1d3aae1ea959b536f96844f3f3ae6a2f32ce063f2c31f93d84a7e5c32  hnswalg.h
54403db81f55fd28246114c5c9f683e663a2a55ad64903b56578c73e6db5ad2c  hnswlib.h
6a89b5275527fe3592a9b02ea4fc50293fdc68cbd9f7c1ec13683581e1ebbaf7  space_ip.h
c599d024657896412250b4fde1a95e39f8bc55cccd263f36c8948fa35779edf1  space_l2.h
930da73eead77dff0c8c9f3281c5d12250051c90ef98fcfbab8f5f307bdae8d9  stop_condition.h
8e5bab8d12b5ef26e3b603b656b8a1acba6738498d1d98f44c9fdb1cb0e25110  visited_list_pool.h'
. "$(dirname "$0")/npm_files.sh"

if all_match "$dest/hnswlib"; then
  say "present and unchanged in $dest"
  exit 0
fi
unpack
all_match "$work/package/src/hnswlib" || die "a header of $package has an unexpected SHA-256"
rm -rf "$dest/hnswlib"
mv "$work/package/src/hnswlib" "$dest/hnswlib"
say "hnswlib 0.8.0 headers are in $dest/hnswlib"
