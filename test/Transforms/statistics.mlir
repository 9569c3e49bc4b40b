// Pass statistics are printed, even with a release build of MLIR, whose own statistics are empty.
// RUN: comm-opt -comm-split-blocking -comm-move-slices -mlir-pass-statistics %s 2>&1 >/dev/null | FileCheck %s
// RUN: comm-opt -comm-split-blocking %s 2>&1 >/dev/null | count 0
// CHECK: comm-split-blocking
// CHECK: (S) {{ *}}1 num-kept - {{.+}}
// CHECK: (S) {{ *}}2 num-split - {{.+}}

func.func @two(%a: memref<16xf32>, %b: memref<16xf32>, %rank: i32, %c: !comm.comm) {
  comm.recv buf(%a : memref<16xf32>) source(%rank) tag(%rank) comm(%c)
  comm.send buf(%b : memref<16xf32>) dest(%rank) tag(%rank) comm(%c)
  comm.barrier comm(%c)
  return
}
