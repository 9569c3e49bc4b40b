// C += A * B on a grid of RxC processes: A is split along both axes, B along the contracted dimension. Every process has
// partial sums of its rows, which an all-reduce along the second axis of the grid adds up.
shard.grid @grid(shape = ROWSxCOLS)

func.func @matmul(%a: tensor<8x8xf64>, %b: tensor<8x4xf64>, %c: tensor<8x4xf64>) -> tensor<8x4xf64>
    attributes {llvm.emit_c_interface} {
  %sa = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
  %sb = shard.sharding @grid split_axes = [[1], []] : !shard.sharding
  %sc = shard.sharding @grid split_axes = [[0], []] : !shard.sharding
  %a1 = shard.shard %a to %sa : tensor<8x8xf64>
  %a2 = shard.shard %a1 to %sa annotate_for_users : tensor<8x8xf64>
  %b1 = shard.shard %b to %sb : tensor<8x4xf64>
  %b2 = shard.shard %b1 to %sb annotate_for_users : tensor<8x4xf64>
  %c1 = shard.shard %c to %sc : tensor<8x4xf64>
  %c2 = shard.shard %c1 to %sc annotate_for_users : tensor<8x4xf64>
  %r = linalg.matmul ins(%a2, %b2 : tensor<8x8xf64>, tensor<8x4xf64>) outs(%c2 : tensor<8x4xf64>) -> tensor<8x4xf64>
  %r1 = shard.shard %r to %sc : tensor<8x4xf64>
  %r2 = shard.shard %r1 to %sc annotate_for_users : tensor<8x4xf64>
  return %r2 : tensor<8x4xf64>
}
