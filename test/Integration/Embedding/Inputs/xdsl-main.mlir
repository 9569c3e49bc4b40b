// Two processes of 32 rows each, with rims: ten steps of @step there and back, and the sum of the squares.
llvm.mlir.global constant @format("%.10g\0A\00")
llvm.func @printf(!llvm.ptr, ...) -> i32
func.func private @step(memref<66x66xf64>, memref<66x66xf64>)

func.func private @fill(%a: memref<66x66xf64>, %rank: i32) {
  %c32 = arith.constant 32 : index
  %c3 = arith.constant 3 : index
  %c17 = arith.constant 17 : index
  %r = arith.index_cast %rank : i32 to index
  %first = arith.muli %r, %c32 : index
  affine.for %i = 0 to 34 {
    affine.for %j = 0 to 66 {
      %row = arith.addi %first, %i : index
      %square = arith.muli %row, %row : index
      %three = arith.muli %j, %c3 : index
      %sum = arith.addi %square, %three : index
      %rest = arith.remui %sum, %c17 : index
      %integer = arith.index_cast %rest : index to i64
      %number = arith.sitofp %integer : i64 to f64
      affine.store %number, %a[%i, %j] : memref<66x66xf64>
    }
  }
  return
}

func.func @main() -> i32 {
  comm.init
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %sum_op = comm.constant "MPI_SUM" : !comm.op
  %rank = comm.comm_rank comm(%world) -> rank
  %zero = arith.constant 0 : index
  %root = arith.constant 0 : i32
  %none = arith.constant 0.0 : f64
  %u = memref.alloc() : memref<66x66xf64>
  %v = memref.alloc() : memref<66x66xf64>
  func.call @fill(%u, %rank) : (memref<66x66xf64>, i32) -> ()
  func.call @fill(%v, %rank) : (memref<66x66xf64>, i32) -> ()
  affine.for %t = 0 to 10 {
    func.call @step(%u, %v) : (memref<66x66xf64>, memref<66x66xf64>) -> ()
    func.call @step(%v, %u) : (memref<66x66xf64>, memref<66x66xf64>) -> ()
  }
  %mine = memref.alloc() : memref<1xf64>
  %all = memref.alloc() : memref<1xf64>
  affine.store %none, %mine[0] : memref<1xf64>
  affine.for %i = 1 to 33 {
    affine.for %j = 1 to 65 {
      %x = affine.load %u[%i, %j] : memref<66x66xf64>
      %square = arith.mulf %x, %x : f64
      %so_far = affine.load %mine[0] : memref<1xf64>
      %sum = arith.addf %so_far, %square : f64
      affine.store %sum, %mine[0] : memref<1xf64>
    }
  }
  comm.reduce sendbuf(%mine : memref<1xf64>) recvbuf(%all : memref<1xf64>) op(%sum_op) root(%root) comm(%world)
  %is_root = arith.cmpi eq, %rank, %root : i32
  scf.if %is_root {
    %value = memref.load %all[%zero] : memref<1xf64>
    %format = llvm.mlir.addressof @format : !llvm.ptr
    %printed = llvm.call @printf(%format, %value) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, f64) -> i32
  }
  comm.finalize
  %e = arith.constant 0 : i32
  return %e : i32
}
