// Graphs become runtime calls around the region's operations; operations that its phases cannot express are errors.
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

// Explicit dependencies: the runtime numbers the operations.
module attributes {comm.abi = "openmpi4"} {
  // CHECK-LABEL: llvm.func @explicit
  // CHECK-DAG: %[[GRAPH:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
  // CHECK: llvm.call @comm_cdag_create(%{{.*}}, %[[GRAPH]]) : (!llvm.ptr, !llvm.ptr) -> i32
  // CHECK: %[[G:.*]] = llvm.load %[[GRAPH]]
  // CHECK: llvm.call @comm_cdag_add_recv(%[[G]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[R:.*]]) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i32, i32, !llvm.ptr) -> i32
  // CHECK: %[[RECV:.*]] = llvm.load %[[R]] : !llvm.ptr -> i32
  // CHECK: llvm.call @comm_cdag_add_send(%[[G]], {{.*}}, %[[S:[^)]*]])
  // CHECK: %[[SEND:.*]] = llvm.load %[[S]] : !llvm.ptr -> i32
  // CHECK: llvm.call @comm_cdag_add_dependency(%[[G]], %[[SEND]], %[[RECV]]) : (!llvm.ptr, i32, i32) -> i32
  // CHECK: llvm.call @comm_cdag_execute(%[[GRAPH]], %{{.*}}) : (!llvm.ptr, !llvm.ptr) -> ()
  llvm.func @explicit(%in: !llvm.ptr, %n: i32, %peer: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    comm.cdag comm(%c) {
      %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%peer) tag(%n) comm(%c) -> request
      %s = comm.send async buf(%in : !llvm.ptr) count(%n) datatype(%t) dest(%peer) tag(%n) comm(%c) -> request
      comm.after %s on(%r)
      comm.yield
    }
    llvm.return
  }
}

// -----

// Transfers are a table.
module attributes {comm.abi = "openmpi4"} {
  // CHECK: llvm.mlir.global private constant @comm.transfers.[[#]](dense<[0, 0, 8, 1, 1, 16, 24, 1, 1, 0, 0, 0, 0, 8]> : tensor<14xi64>)
  // CHECK-LABEL: llvm.func @transfers
  // CHECK: llvm.call @comm_cdag_add_transfers(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i32) -> i32
  // CHECK: llvm.call @comm_cdag_execute
  llvm.func @transfers(%p: !llvm.ptr, %q: !llvm.ptr) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    comm.cdag comm(%c) {
      comm.transfer from(%p : !llvm.ptr) rank 0 offset 8 to(%q : !llvm.ptr) rank 1 offset 16 bytes 24
      comm.transfer from(%q : !llvm.ptr) rank 1 offset 0 to(%p : !llvm.ptr) rank 0 offset 0 bytes 8
      comm.yield
    }
    llvm.return
  }
}

// -----

// Gets between fences, and a local reduction between messages.
module attributes {comm.abi = "openmpi4"} {
  // CHECK-LABEL: llvm.func @fences
  // CHECK: %[[WIN:.*]] = comm.cast %{{.*}} : !comm.win to !llvm.ptr
  // CHECK: %[[EPOCHS:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK: llvm.call @comm_cdag_phase_begin_fences(%{{.*}}, %[[WIN]], %{{.*}}, %{{.*}}, %[[EPOCHS]]) : (!llvm.ptr, !llvm.ptr, i32, i32, i32) -> i32
  // CHECK: llvm.call @comm_cdag_phase_get({{.*}}) : (!llvm.ptr, i32, !llvm.ptr, i32, i64, !llvm.ptr) -> i32
  // CHECK: llvm.call @comm_cdag_phase_put({{.*}}) : (!llvm.ptr, i32, !llvm.ptr, i32, i64, !llvm.ptr) -> i32
  // CHECK: llvm.call @comm_cdag_phase_end() : () -> i32
  llvm.func @fences(%in: !llvm.ptr, %n: i32, %peer: i32, %disp: i64, %handle: !llvm.ptr) {
    %win = comm.cast %handle : !llvm.ptr to !comm.win
    %t = comm.constant "MPI_INT" : !comm.datatype
    comm.cdag win(%win) fences(%n, %n) epochs implied {
      comm.get origin_addr(%in : !llvm.ptr) origin_count(%n) origin_datatype(%t) target_rank(%peer) target_disp(%disp : i64) target_count(%n) target_datatype(%t) win(%win)
      comm.put origin_addr(%in : !llvm.ptr) origin_count(%n) origin_datatype(%t) target_rank(%peer) target_disp(%disp : i64) target_count(%n) target_datatype(%t) win(%win)
      comm.yield
    }
    llvm.return
  }

  // CHECK-LABEL: llvm.func @reduction
  // CHECK: llvm.call @comm_cdag_phase_recv
  // CHECK: llvm.call @comm_cdag_phase_reduce({{.*}}) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> i32
  llvm.func @reduction(%in: !llvm.ptr, %out: !llvm.ptr, %n: i32, %peer: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %sum = comm.constant "MPI_SUM" : !comm.op
    comm.cdag comm(%c) implied {
      %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%peer) tag(%n) comm(%c) -> request
      comm.reduce_local inbuf(%in : !llvm.ptr) inoutbuf(%out : !llvm.ptr) count(%n) datatype(%t) op(%sum)
      comm.yield
    }
    llvm.return
  }
}

// -----

module attributes {comm.abi = "openmpi4"} {
  llvm.func @both(%in: !llvm.ptr, %n: i32, %peer: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    comm.cdag comm(%c) implied {
      %r = comm.recv async buf(%in : !llvm.ptr) count(%n) datatype(%t) source(%peer) tag(%n) comm(%c) -> request
      %s = comm.send async buf(%in : !llvm.ptr) count(%n) datatype(%t) dest(%peer) tag(%n) comm(%c) -> request
      // expected-error @+1 {{cannot be lowered with 'implied' dependencies: the runtime supports one kind or the other, not both}}
      comm.after %s on(%r)
      comm.yield
    }
    llvm.return
  }
}

// -----

module attributes {comm.abi = "openmpi4"} {
  llvm.func @implied_transfers(%p: !llvm.ptr) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    comm.cdag comm(%c) implied {
      // expected-error @+1 {{can be lowered only in a graph of one block without 'implied' dependencies}}
      comm.transfer from(%p : !llvm.ptr) rank 0 offset 0 to(%p : !llvm.ptr) rank 1 offset 0 bytes 8
      comm.yield
    }
    llvm.return
  }
}

// -----

module attributes {comm.abi = "openmpi4"} {
  llvm.func @transfer_inside() {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    comm.cdag comm(%c) {
      %p = llvm.mlir.zero : !llvm.ptr
      // expected-error @+1 {{needs buffers from outside of the graph, in the types of the llvm dialect: convert memrefs first}}
      comm.transfer from(%p : !llvm.ptr) rank 0 offset 0 to(%p : !llvm.ptr) rank 1 offset 0 bytes 8
      comm.yield
    }
    llvm.return
  }
}

// -----

module attributes {comm.abi = "openmpi4"} {
  llvm.func @transfers_and_messages(%p: !llvm.ptr, %n: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    comm.cdag comm(%c) {
      comm.transfer from(%p : !llvm.ptr) rank 0 offset 0 to(%p : !llvm.ptr) rank 1 offset 0 bytes 8
      // expected-error @+1 {{cannot be lowered together with comm.transfer: no order is defined between them}}
      %s = comm.send async buf(%p : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
      comm.yield
    }
    llvm.return
  }
}

// -----

module attributes {comm.abi = "openmpi4"} {
  llvm.func @unordered_reduction(%in: !llvm.ptr, %n: i32) {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    %t = comm.constant "MPI_INT" : !comm.datatype
    %sum = comm.constant "MPI_SUM" : !comm.op
    comm.cdag comm(%c) {
      // expected-error @+1 {{has no request for comm.after to order it by: it needs 'implied' dependencies}}
      comm.reduce_local inbuf(%in : !llvm.ptr) inoutbuf(%in : !llvm.ptr) count(%n) datatype(%t) op(%sum)
      comm.yield
    }
    llvm.return
  }
}

// -----

module attributes {comm.abi = "openmpi4"} {
  llvm.func @other_ends(%in: !llvm.ptr, %n: i32, %m: i32, %disp: i64, %handle: !llvm.ptr) {
    %win = comm.cast %handle : !llvm.ptr to !comm.win
    %t = comm.constant "MPI_INT" : !comm.datatype
    comm.cdag win(%win) fences(%n, %n) implied {
      // expected-error @+1 {{has different counts or datatypes at its two ends: the runtime requires them to be equal}}
      comm.get origin_addr(%in : !llvm.ptr) origin_count(%n) origin_datatype(%t) target_rank(%n) target_disp(%disp : i64) target_count(%m) target_datatype(%t) win(%win)
      comm.yield
    }
    llvm.return
  }
}

// -----

module attributes {comm.abi = "openmpi4"} {
  func.func @not_of_llvm(%c: !comm.comm) {
    // expected-error @+1 {{can be lowered only in the body of an llvm.func: convert the function first}}
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
      // expected-error @+1 {{has a count of type 'i64': the runtime's functions take int, as MPI_Send does}}
      %s = comm.send async buf(%p : !llvm.ptr) count(%n : i64) datatype(%t) dest(%peer) tag(%peer) comm(%c) -> request
      comm.yield
    }
    llvm.return
  }
}

// -----

// expected-error @+1 {{has no attribute comm.abi, which determines how handles are passed to the runtime}}
module {
  llvm.func @unknown() {
    %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
    comm.cdag comm(%c) implied {
      comm.yield
    }
    llvm.return
  }
}
