#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the libraries and the program in a folder, with all that makes symbols hard to find:
#   build.sh FOLDER C-COMPILER C++-COMPILER [FLAG...]
set -e
folder=$1 cc=$2 cxx=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$folder"
mkdir "$folder"
cd "$folder"
c() { $cc "$@"; }
cxx() { $cxx -std=c++17 -O1 -fPIC -ffunction-sections -fdata-sections "$@"; }
${PLAIN_CC:-$cc} -O1 -fPIC -shared "$here/plain.c" -o libplain.so
c "$@" -O1 -fPIC -c "$here/archive.c" -o archive.o
ar rc libarchive.a archive.o
cxx "$@" -c "$here/one.cpp" -o one.o
cxx "$@" -shared one.o libarchive.a -Wl,-soname,libone.so.1 -Wl,--version-script="$here/one.map" \
  -Wl,--exclude-libs,ALL -Wl,--gc-sections -o libone.so.1.2
ln -s libone.so.1.2 libone.so.1
ln -s libone.so.1 libone.so
cxx "$@" -fvisibility=hidden -c "$here/two.cpp" -o two.o
cxx "$@" -shared two.o -L. -lone libarchive.a -Wl,--exclude-libs,libarchive.a -Wl,--gc-sections -o libtwo.so
strip libone.so.1.2 libtwo.so
$cxx "$@" -std=c++17 -O1 -fPIE -pie "$here/program.cpp" -L. -Wl,--no-as-needed -lplain -lone -ltwo \
  -Wl,-rpath,"$folder" -Wl,--gc-sections -o program
strip program
