// Eight elements a process and one more on each side, which are copies of the neighbors': mpi.send and mpi.recv.
shard.grid @grid(shape = ROWS)

func.func @halo(%a: memref<10xi32>) attributes {llvm.emit_c_interface} {
  %0 = shard.update_halo %a on @grid split_axes = [[0]] halo_sizes = [1, 1] : memref<10xi32>
  return
}
