// RUN: comm-opt %s --split-input-file --verify-diagnostics -convert-comm-to-llvm=abi=openmpi4

func.func @lacking(%b: !llvm.ptr, %n: i32, %t: !comm.datatype, %c: !comm.comm) {
  // expected-error @below {{'comm.sendrecv_replace' op calls MPI_Isendrecv_replace, which Open MPI 4.1 does not have: use a newer implementation, or another operation}}
  %r = comm.sendrecv_replace async buf(%b : !llvm.ptr) count(%n) datatype(%t) dest(%n) sendtag(%n) source(%n) recvtag(%n) comm(%c) -> request
  comm.wait request(%r)
  return
}

// -----

func.func @strided(%b: memref<4x4xf32, strided<[8, 1]>>, %n: i32, %c: !comm.comm) {
  // expected-error @below {{'comm.send' op has the memref 'buf' of type 'memref<4x4xf32, strided<[8, 1]>>', which is not contiguous: copy it to a contiguous buffer, or pass an !llvm.ptr with a derived datatype}}
  comm.send buf(%b : memref<4x4xf32, strided<[8, 1]>>) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @maybe_contiguous(%b: memref<1x?x?xf32, strided<[?, ?, 1]>>, %n: i32, %c: !comm.comm) {
  // expected-error @below {{which is not known to be contiguous: if it is, make it one-dimensional with memref.reinterpret_cast; otherwise copy it to a contiguous buffer, or pass an !llvm.ptr with a derived datatype}}
  comm.send buf(%b : memref<1x?x?xf32, strided<[?, ?, 1]>>) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @element(%b: memref<4xf16>, %n: i32, %c: !comm.comm) {
  // expected-error @below {{'comm.send' op has no datatype of Open MPI 4.1 for elements of type 'f16': convert them, or pass an !llvm.ptr with a datatype}}
  comm.send buf(%b : memref<4xf16>) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @large(%b: !llvm.ptr, %n: i64, %t: !comm.datatype, %p: i32, %c: !comm.comm) {
  // expected-error @below {{'comm.send' op calls MPI_Send_c, which Open MPI 4.1 does not have}}
  comm.send buf(%b : !llvm.ptr) count(%n : i64) datatype(%t) dest(%p) tag(%p) comm(%c)
  return
}

// -----

// expected-note @below {{declared here}}
llvm.func @MPI_Barrier(i32) -> i32
func.func @declared(%c: !comm.comm) {
  // expected-error @below {{'comm.barrier' op calls MPI_Barrier, which the module declares differently}}
  comm.barrier comm(%c)
  return
}

// -----

func.func @constant() -> !comm.datatype {
  // expected-error @below {{'comm.constant' op names MPI_COMM_WORLD as '!comm.datatype', which Open MPI 4.1 does not have}}
  %t = comm.constant "MPI_COMM_WORLD" : !comm.datatype
  return %t : !comm.datatype
}

// -----

func.func @cast(%i: i32) -> !comm.comm {
  // expected-error @below {{'comm.cast' op takes '!comm.comm' for 'i32', but in Open MPI 4.1 it is '!llvm.ptr'}}
  %c = comm.cast %i : i32 to !comm.comm
  return %c : !comm.comm
}

// -----

func.func @ompi_mpi_comm_world() {
  return
}
func.func @taken() -> !comm.comm {
  // expected-error @below {{'comm.constant' op needs the global @ompi_mpi_comm_world of Open MPI 4.1, but the module uses that name for something else: rename it}}
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  return %c : !comm.comm
}

// -----

func.func @neighbors(%in: memref<4xf32>, %out: memref<8xf32>, %c: !comm.comm) {
  // expected-error @below {{'comm.neighbor_allgather' op has a memref for 'sendcount' elements per neighbor, and the number of neighbors is not known: pass an !llvm.ptr, count and datatype}}
  comm.neighbor_allgather sendbuf(%in : memref<4xf32>) recvbuf(%out : memref<8xf32>) comm(%c)
  return
}

// -----

func.func @memory_space(%b: memref<4xf32, 1>, %n: i32, %c: !comm.comm) {
  // expected-error @below {{'comm.send' op has the memref 'buf' of type 'memref<4xf32, 1>', which is not in the default memory space: copy it to a buffer that MPI can access}}
  comm.send buf(%b : memref<4xf32, 1>) dest(%n) tag(%n) comm(%c)
  return
}

// -----

func.func @graph(%c: !comm.comm) {
  // expected-error @below {{'comm.cdag' op has no counterpart in MPI: lower it first}}
  comm.cdag comm(%c) implied {
    // expected-error @below {{'comm.yield' op has no counterpart in MPI: lower it first}}
    comm.yield
  }
  return
}

// -----

func.func @kept_handle(%i: index) {
  // expected-error @below {{op still has a value of type '!comm.comm': convert it to a form without comm types before convert-comm-to-llvm}}
  %c = builtin.unrealized_conversion_cast %i : index to !comm.comm
  comm.barrier comm(%c)
  return
}

// -----

func.func @kind(%b: !llvm.ptr, %n: i32, %t: !comm.datatype, %c: !comm.comm) {
  // expected-error @below {{'comm.send' op has a comm.start_kind, which belongs on starts of collectives: drop it}}
  %r = comm.send async buf(%b : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) {comm.start_kind = "exact"} -> request
  comm.wait request(%r)
  return
}
