// RUN: comm-opt --drop-shard-grids --split-input-file --verify-diagnostics %s | FileCheck %s

// CHECK-NOT: shard.grid
// CHECK: func.func @converted
shard.grid @grid(shape = 2)
func.func @converted() {
  return
}

// -----

shard.grid @grid(shape = 2)
func.func @forgotten(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'shard.all_reduce' op is left over from the shard program: run sharding-propagation, shard-partition and convert-shard-to-mpi first}}
  %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
