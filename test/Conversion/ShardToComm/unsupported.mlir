// RUN: comm-opt --convert-shard-to-mpi --split-input-file --verify-diagnostics %s
// The inputs that convert-shard-to-mpi of LLVM 22 cannot lower, and their errors; docs/mpi-dialect.md lists them. When
// one of these starts to work, this test fails: remove it from both.

shard.grid @grid(shape = 2)
func.func @all_gather(%a: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{failed to legalize operation 'shard.all_gather' that was explicitly marked illegal}}
  %0 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<4xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @all_slice(%a: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{failed to legalize operation 'shard.all_slice' that was explicitly marked illegal}}
  %0 = shard.all_slice %a on @grid grid_axes = [0] slice_axis = 0 : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @all_to_all(%a: tensor<8x4xf32>) -> tensor<16x2xf32> {
  // expected-error @+1 {{failed to legalize operation 'shard.all_to_all' that was explicitly marked illegal}}
  %0 = shard.all_to_all %a on @grid grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<8x4xf32> -> tensor<16x2xf32>
  return %0 : tensor<16x2xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @broadcast(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{failed to legalize operation 'shard.broadcast' that was explicitly marked illegal}}
  %0 = shard.broadcast %a on @grid grid_axes = [0] root = [0] : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @gather(%a: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{failed to legalize operation 'shard.gather' that was explicitly marked illegal}}
  %0 = shard.gather %a on @grid grid_axes = [0] gather_axis = 0 root = [0] : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @reduce_scatter(%a: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{failed to legalize operation 'shard.reduce_scatter' that was explicitly marked illegal}}
  %0 = shard.reduce_scatter %a on @grid grid_axes = [0] scatter_axis = 0 : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @reduce(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{failed to legalize operation 'shard.reduce' that was explicitly marked illegal}}
  %0 = shard.reduce %a on @grid grid_axes = [0] root = [0] : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @scatter(%a: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{failed to legalize operation 'shard.scatter' that was explicitly marked illegal}}
  %0 = shard.scatter %a on @grid grid_axes = [0] scatter_axis = 0 root = [0] : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @shift(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{failed to legalize operation 'shard.shift' that was explicitly marked illegal}}
  %0 = shard.shift %a on @grid grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @send(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{failed to legalize operation 'shard.send' that was explicitly marked illegal}}
  %0 = shard.send %a on @grid grid_axes = [0] destination = [1] : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @recv(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{failed to legalize operation 'shard.recv' that was explicitly marked illegal}}
  %0 = shard.recv %a on @grid grid_axes = [0] source = [0] : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
