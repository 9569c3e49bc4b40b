// Graphs become calls of the runtime around what the region executes; what its phases cannot express is an error.
// RUN: comm-opt -comm-cdag-to-runtime --split-input-file -verify-diagnostics %s | FileCheck %s

module attributes {comm.abi = "openmpi4"} {
  // CHECK: llvm.mlir.global private constant @comm.string.0("cdag-to-runtime.mlir:[[#]]:[[#]] (exchange)\00")
  // CHECK-LABEL: llvm.func @exchange
  // CHECK: %[[SITE:.*]] = llvm.mlir.addressof @comm.string.0
  // CHECK: %[[COMM:.*]] = comm.cast %{{.*}} : !comm.comm to !llvm.ptr
  // CHECK: llvm.call @comm_cdag_phase_begin(%[[SITE]], %[[COMM]]) : (!llvm.ptr, !llvm.ptr) -> i32
  // CHECK: llvm.br ^[[LOOP:bb[0-9]+]](%{{.*}} : i32)
  // CHECK: ^[[LOOP]](%[[P:.*]]: i32):
  // CHECK: llvm.call @comm_cdag_phase_recv(%{{.*}}, %{{.*}}, %{{.*}}, %[[P]], %{{.*}}) : (!llvm.ptr, i32, !llvm.ptr, i32, i32) -> i32
  // CHECK: llvm.call @comm_cdag_phase_send(
  // CHECK: llvm.cond_br
  // CHECK: %[[SQUARE:.*]] = llvm.mul
  // CHECK: llvm.call @comm_cdag_phase_end() : () -> i32
  // CHECK: llvm.return %[[SQUARE]] : i32
  llvm.func @exchange(%size: i32, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_DOUBLE" : !comm.datatype
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %x = comm.cdag comm(%c) implied -> i32 {
      llvm.br ^loop(%zero : i32)
    ^loop(%p: i32):
      %r = comm.recv async buf(%in : !llvm.ptr) count(%one) datatype(%t) source(%p) tag(%zero) comm(%c) -> request
      %s = comm.send async buf(%out : !llvm.ptr) count(%one) datatype(%t) dest(%p) tag(%zero) comm(%c) -> request
      %next = llvm.add %p, %one : i32
      %more = llvm.icmp "slt" %next, %size : i32
      llvm.cond_br %more, ^loop(%next : i32), ^done
    ^done:
      %square = llvm.mul %size, %size : i32
      comm.yield %square : i32
    }
    llvm.return %x : i32
  }
}

// -----

module attributes {comm.abi = "openmpi4"} {
  llvm.func @explicit() {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    // expected-error @+1 {{has no 'implied' dependencies: the runtime's phases have no others yet}}
    comm.cdag comm(%c) {
      comm.yield
    }
    llvm.return
  }
}

// -----

module attributes {comm.abi = "openmpi4"} {
  llvm.func @transfers(%p: !llvm.ptr) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    comm.cdag comm(%c) implied {
      // expected-error @+1 {{cannot be lowered to the runtime's phases yet, which take messages alone}}
      comm.transfer from(%p : !llvm.ptr) rank 0 offset 0 to(%p : !llvm.ptr) rank 1 offset 0 bytes 8
      comm.yield
    }
    llvm.return
  }
}

// -----

module attributes {comm.abi = "openmpi4"} {
  func.func @not_of_llvm(%c: !comm.comm) {
    // expected-error @+1 {{can be lowered in the body of an llvm.func alone: convert the function first}}
    comm.cdag comm(%c) implied {
      comm.yield
    }
    return
  }
}

// -----

module attributes {comm.abi = "mpich"} {
  llvm.func @wide(%p: !llvm.ptr, %n: i64, %peer: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    comm.cdag comm(%c) implied {
      // expected-error @+1 {{has a count of type 'i64': the runtime's phases take int, as MPI_Send does}}
      %s = comm.send async buf(%p : !llvm.ptr) count(%n : i64) datatype(%t) dest(%peer) tag(%peer) comm(%c) -> request
      comm.yield
    }
    llvm.return
  }
}

// -----

// expected-error @+1 {{has no attribute comm.abi, which tells how handles are passed to the runtime}}
module {
  llvm.func @unknown() {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    comm.cdag comm(%c) implied {
      comm.yield
    }
    llvm.return
  }
}
