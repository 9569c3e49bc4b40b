// RUN: not comm-opt --shard-to-comm %s 2>&1 | FileCheck %s
// A collective that upstream cannot lower stops the pipeline, and names itself.

shard.grid @grid(shape = 2)
func.func @replicate(%a: tensor<8xf32>) -> tensor<8xf32> {
  %split = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %whole = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %a1 = shard.shard %a to %split : tensor<8xf32>
  // CHECK: error: failed to legalize operation 'shard.all_gather' that was explicitly marked illegal
  %a2 = shard.shard %a1 to %whole annotate_for_users : tensor<8xf32>
  return %a2 : tensor<8xf32>
}
