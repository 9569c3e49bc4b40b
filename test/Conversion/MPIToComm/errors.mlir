// RUN: comm-opt --convert-mpi-to-comm --split-input-file --verify-diagnostics %s

func.func @index(%a: memref<4xindex>, %i: i32, %comm: !mpi.comm) {
  // expected-error @+1 {{'mpi.send' op cannot be converted to comm with a buffer of type 'memref<4xindex>': MPI has no datatype for its elements: use integers, floats or complex numbers}}
  mpi.send(%a, %i, %i, %comm) : memref<4xindex>, i32, i32
  return
}

// -----

func.func @gaps(%a: memref<4x4xf32, strided<[8, 1]>>, %i: i32, %comm: !mpi.comm) {
  // expected-error @+1 {{'mpi.recv' op cannot be converted to comm with a buffer of type 'memref<4x4xf32, strided<[8, 1]>>': its elements are not known to be contiguous: copy them to a memref without gaps}}
  mpi.recv(%a, %i, %i, %comm) : memref<4x4xf32, strided<[8, 1]>>, i32, i32
  return
}

// -----

// All errors are reported at once.
func.func @operators(%a: memref<4xf32>, %b: memref<4xf32>, %comm: !mpi.comm) {
  // expected-error @+1 {{'mpi.allreduce' op reduces with MPI_OP_NULL, which is not an operator}}
  mpi.allreduce(%a, %b, MPI_OP_NULL, %comm) : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'mpi.allreduce' op reduces with MPI_REPLACE, which MPI has for one-sided communication only}}
  mpi.allreduce(%a, %b, MPI_REPLACE, %comm) : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'mpi.allreduce' op reduces with MPI_MINLOC, which needs pairs of value and index}}
  mpi.allreduce(%a, %b, MPI_MINLOC, %comm) : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'mpi.allreduce' op reduces with MPI_MAXLOC, which needs pairs of value and index}}
  mpi.allreduce(%a, %b, MPI_MAXLOC, %comm) : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @shapes(%a: memref<4xf32>, %b: memref<8xf32>, %c: memref<4xf64>, %comm: !mpi.comm) {
  // expected-error @+1 {{'mpi.allreduce' op sends 4 elements and receives 8: MPI_Allreduce has one count}}
  mpi.allreduce(%a, %b, MPI_SUM, %comm) : memref<4xf32>, memref<8xf32>
  // expected-error @+1 {{'mpi.allreduce' op sends elements of type 'f32' and receives 'f64': MPI_Allreduce has one datatype}}
  mpi.allreduce(%a, %c, MPI_SUM, %comm) : memref<4xf32>, memref<4xf64>
  return
}
