// Functions of the llvm dialect are not partitioned: upstream's pass would fail on them.
// RUN: comm-opt --shard-to-comm %s | FileCheck %s

// CHECK: llvm.func @other(%[[X:.*]]: i64) -> i64
// CHECK-NEXT: llvm.return %[[X]] : i64
llvm.func @other(%x: i64) -> i64 {
  llvm.return %x : i64
}

// CHECK: func.func @here
func.func @here() {
  return
}
