#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Lowers every operation for every implementation that has a binding, and fails if a call is missing.
#
#   lower-all-ops.sh PYTHON BINDINGS OUTPUT
set -e
python=$1 bindings=$2 output=$3
all_ops=$(dirname "$0")/all_ops.py
for binding in "$bindings"/*.json; do
  abi=$(basename "$binding" .json)
  "$python" "$all_ops" mlir --abi "$abi" > "$output.$abi.mlir"
  comm-opt "$output.$abi.mlir" -convert-comm-to-llvm="abi=$abi" -convert-func-to-llvm -reconcile-unrealized-casts \
    -o "$output.$abi.lowered.mlir"
  printf '%s: ' "$abi"
  "$python" "$all_ops" count --abi "$abi" "$output.$abi.lowered.mlir"
  mlir-translate --mlir-to-llvmir "$output.$abi.lowered.mlir" -o /dev/null
done
