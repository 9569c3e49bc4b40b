// Graphs that are proved to be collectives for any number of processes: the collective, its arguments, and the rest.
// RUN: comm-opt -comm-detect-collectives %s | FileCheck %s
// RUN: comm-opt -comm-detect-collectives --remark-format=emitRemark --remarks-filter=comm-detect.* %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: Function=gather | {{.*}}MPI_Gather{{.*}}, for any number of processes (of 1 to {{.*}}6{{.*}} tried, {{.*}}6{{.*}} agree)
// REMARK: Function=alltoall | {{.*}}MPI_Alltoall{{.*}}6{{.*}} agree)
// REMARK: Function=copied_in_another | {{.*}}whether it happens depends on the iteration
// REMARK: Function=disjoint | {{.*}}MPI_Allgather{{.*}}6{{.*}} agree)
// REMARK: Function=not_disjoint | {{.*}}it may write what is sent
// REMARK: Function=fresh_size | {{.*}}MPI_Allgather{{.*}} agree)
// REMARK: Function=stale_size | {{.*}}the trip count of a loop in it is not known in terms of the size
// REMARK: Function=ring | {{.*}}MPI_Allgather{{.*}}6{{.*}} agree)

// A gather at the last process, with a descending loop: its own block is already in place.
// CHECK-LABEL: llvm.func @gather
// CHECK-SAME: (%[[MINE:.*]]: !llvm.ptr, %[[ALL:.*]]: !llvm.ptr)
// CHECK-NOT: comm.cdag
// CHECK: %{{.*}} = comm.comm_rank comm(%[[COMM:.*]]) -> rank
// CHECK: %[[IS:.*]] = llvm.icmp "eq"
// CHECK: %[[PLACE:.*]] = comm.constant "MPI_IN_PLACE" : !llvm.ptr
// CHECK: %[[SEND:.*]] = llvm.select %[[IS]], %[[PLACE]], %[[MINE]]
// CHECK: comm.gather sendbuf(%[[SEND]] : !llvm.ptr) sendcount(%[[N:.*]]) sendtype(%[[TYPE:.*]]) recvbuf(%[[ALL]] : !llvm.ptr) recvcount(%[[N]]) recvtype(%[[TYPE]]) root(%{{.*}}) comm(%[[COMM]])
// CHECK-NEXT: llvm.return
llvm.func @gather(%mine: !llvm.ptr, %all: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %rank = comm.comm_rank comm(%c) -> rank
  %size = comm.comm_size comm(%c) -> size
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %ten = llvm.mlir.constant(10 : i32) : i32
  %last = llvm.sub %size, %one : i32
  comm.cdag comm(%c) implied {
    %root = llvm.icmp "eq" %rank, %last : i32
    llvm.cond_br %root, ^begin, ^send
  ^begin:
    %begin = llvm.sub %size, %two : i32
    llvm.br ^head(%begin : i32)
  ^head(%p: i32):
    %more = llvm.icmp "sge" %p, %zero : i32
    llvm.cond_br %more, ^receive, ^end
  ^receive:
    %place = llvm.mul %p, %ten overflow<nsw> : i32
    %to = llvm.getelementptr %all[%place] : (!llvm.ptr, i32) -> !llvm.ptr, f64
    %r = comm.recv async buf(%to : !llvm.ptr) count(%ten) datatype(%t) source(%p) tag(%zero) comm(%c) -> request
    %next = llvm.sub %p, %one : i32
    llvm.br ^head(%next : i32)
  ^send:
    %s = comm.send async buf(%mine : !llvm.ptr) count(%ten) datatype(%t) dest(%last) tag(%zero) comm(%c) -> request
    llvm.br ^end
  ^end:
    comm.yield
  }
  llvm.return
}

// The copy of the own block is in the graph, and computations next to the messages stay. The count is the same in all
// processes; without elements they still wait for each other.
// CHECK-LABEL: llvm.func @alltoall
// CHECK-SAME: (%[[OUT:.*]]: !llvm.ptr {llvm.noalias}, %[[IN:.*]]: !llvm.ptr {llvm.noalias}, %[[N:.*]]: i32)
// CHECK-NOT: comm.cdag
// CHECK: llvm.intr.memcpy
// CHECK-NOT: comm.send
// CHECK: %[[SQUARE:.*]] = llvm.mul %{{.*}}, %{{.*}} : i32
// CHECK: %[[EMPTY:.*]] = llvm.icmp "eq" %[[N]], %{{.*}} : i32
// CHECK: llvm.cond_br %[[EMPTY]], ^[[BARRIER:.*]], ^[[GO:.*]]
// CHECK: ^[[BARRIER]]:
// CHECK-NEXT: comm.barrier
// CHECK: ^[[GO]]:
// CHECK: comm.alltoall sendbuf(%[[OUT]] : !llvm.ptr) sendcount(%[[N]]) sendtype(%{{.*}}) recvbuf(%[[IN]] : !llvm.ptr) recvcount(%[[N]])
// CHECK: llvm.return %[[SQUARE]]
llvm.func @alltoall(%out: !llvm.ptr {llvm.noalias}, %in: !llvm.ptr {llvm.noalias}, %n: i32) -> i32 {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %rank = comm.comm_rank comm(%c) -> rank
  %size = comm.comm_size comm(%c) -> size
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %four = llvm.mlir.constant(4 : i64) : i64
  %wide = llvm.sext %n : i32 to i64
  %bytes = llvm.mul %wide, %four : i64
  %x = comm.cdag comm(%c) implied -> i32 {
    llvm.br ^loop(%zero : i32)
  ^loop(%p: i32):
    %place = llvm.mul %p, %n overflow<nsw> : i32
    %to = llvm.getelementptr %in[%place] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %from = llvm.getelementptr %out[%place] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %own = llvm.icmp "eq" %p, %rank : i32
    llvm.cond_br %own, ^copy, ^exchange
  ^copy:
    "llvm.intr.memcpy"(%to, %from, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
    llvm.br ^latch
  ^exchange:
    %r = comm.recv async buf(%to : !llvm.ptr) count(%n) datatype(%t) source(%p) tag(%zero) comm(%c) -> request
    %s = comm.send async buf(%from : !llvm.ptr) count(%n) datatype(%t) dest(%p) tag(%zero) comm(%c) -> request
    llvm.br ^latch
  ^latch:
    %next = llvm.add %p, %one : i32
    %more = llvm.icmp "slt" %next, %size : i32
    llvm.cond_br %more, ^loop(%next : i32), ^done
  ^done:
    %square = llvm.mul %size, %size : i32
    comm.yield %square : i32
  }
  llvm.return %x : i32
}

// The copy is made in another iteration than the own one.
// CHECK-LABEL: llvm.func @copied_in_another
// CHECK: comm.cdag
llvm.func @copied_in_another(%out: !llvm.ptr {llvm.noalias}, %in: !llvm.ptr {llvm.noalias}) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %rank = comm.comm_rank comm(%c) -> rank
  %size = comm.comm_size comm(%c) -> size
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %bytes = llvm.mlir.constant(4 : i64) : i64
  comm.cdag comm(%c) implied {
    llvm.br ^loop(%zero : i32)
  ^loop(%p: i32):
    %to = llvm.getelementptr %in[%p] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %from = llvm.getelementptr %out[%p] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %first = llvm.icmp "eq" %p, %zero : i32
    llvm.cond_br %first, ^copy, ^on
  ^copy:
    "llvm.intr.memcpy"(%to, %from, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
    llvm.br ^on
  ^on:
    %own = llvm.icmp "eq" %p, %rank : i32
    llvm.cond_br %own, ^latch, ^exchange
  ^exchange:
    %r = comm.recv async buf(%to : !llvm.ptr) count(%one) datatype(%t) source(%p) tag(%zero) comm(%c) -> request
    %s = comm.send async buf(%from : !llvm.ptr) count(%one) datatype(%t) dest(%p) tag(%zero) comm(%c) -> request
    llvm.br ^latch
  ^latch:
    %next = llvm.add %p, %one : i32
    %more = llvm.icmp "slt" %next, %size : i32
    llvm.cond_br %more, ^loop(%next : i32), ^done
  ^done:
    comm.yield
  }
  llvm.return
}

// All messages are in flight together, so MPI forbids overlapping buffers; otherwise that is unknown.
// CHECK-LABEL: llvm.func @disjoint
// CHECK-NOT: comm.cdag
// CHECK: comm.allgather
// CHECK-LABEL: llvm.func @not_disjoint
// CHECK: comm.cdag
llvm.func @disjoint(%out: !llvm.ptr, %in: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %size = comm.comm_size comm(%c) -> size
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  comm.cdag comm(%c) implied disjoint {
    llvm.br ^loop(%zero : i32)
  ^loop(%p: i32):
    %to = llvm.getelementptr %in[%p] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %r = comm.recv async buf(%to : !llvm.ptr) count(%one) datatype(%t) source(%p) tag(%zero) comm(%c) -> request
    %s = comm.send async buf(%out : !llvm.ptr) count(%one) datatype(%t) dest(%p) tag(%zero) comm(%c) -> request
    %next = llvm.add %p, %one : i32
    %more = llvm.icmp "slt" %next, %size : i32
    llvm.cond_br %more, ^loop(%next : i32), ^done
  ^done:
    comm.yield
  }
  llvm.return
}
llvm.func @not_disjoint(%out: !llvm.ptr, %in: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %size = comm.comm_size comm(%c) -> size
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  comm.cdag comm(%c) implied {
    llvm.br ^loop(%zero : i32)
  ^loop(%p: i32):
    %to = llvm.getelementptr %in[%p] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %r = comm.recv async buf(%to : !llvm.ptr) count(%one) datatype(%t) source(%p) tag(%zero) comm(%c) -> request
    %s = comm.send async buf(%out : !llvm.ptr) count(%one) datatype(%t) dest(%p) tag(%zero) comm(%c) -> request
    %next = llvm.add %p, %one : i32
    %more = llvm.icmp "slt" %next, %size : i32
    llvm.cond_br %more, ^loop(%next : i32), ^done
  ^done:
    comm.yield
  }
  llvm.return
}

// The number of processes of each communicator, and that of the first one for all of them.
// CHECK-LABEL: llvm.func @fresh_size
// CHECK-NOT: comm.cdag
// CHECK: comm.allgather
// CHECK-LABEL: llvm.func @stale_size
// CHECK: comm.cdag
llvm.func @fresh_size(%out: !llvm.ptr, %in: !llvm.ptr, %first: !llvm.ptr, %second: !llvm.ptr) {
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %variable = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  llvm.br ^again(%zero, %first : i32, !llvm.ptr)
^again(%k: i32, %handle: !llvm.ptr):
  %c = comm.cast %handle : !llvm.ptr to !comm.comm
  %begins = llvm.icmp "eq" %k, %zero : i32
  llvm.br ^ask
^ask:
  comm.comm_size comm(%c) size(%variable : !llvm.ptr)
  llvm.br ^on
^on:
  comm.cdag comm(%c) implied disjoint {
    llvm.br ^loop(%zero : i32)
  ^loop(%p: i32):
    %to = llvm.getelementptr %in[%p] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %r = comm.recv async buf(%to : !llvm.ptr) count(%one) datatype(%t) source(%p) tag(%zero) comm(%c) -> request
    %s = comm.send async buf(%out : !llvm.ptr) count(%one) datatype(%t) dest(%p) tag(%zero) comm(%c) -> request
    %next = llvm.add %p, %one : i32
    %size = llvm.load %variable : !llvm.ptr -> i32
    %more = llvm.icmp "slt" %next, %size : i32
    llvm.cond_br %more, ^loop(%next : i32), ^done
  ^done:
    comm.yield
  }
  llvm.cond_br %begins, ^again(%one, %second : i32, !llvm.ptr), ^end
^end:
  llvm.return
}
llvm.func @stale_size(%out: !llvm.ptr, %in: !llvm.ptr, %first: !llvm.ptr, %second: !llvm.ptr) {
  %t = comm.constant "MPI_INT" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %variable = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  llvm.br ^again(%zero, %first : i32, !llvm.ptr)
^again(%k: i32, %handle: !llvm.ptr):
  %c = comm.cast %handle : !llvm.ptr to !comm.comm
  %begins = llvm.icmp "eq" %k, %zero : i32
  llvm.cond_br %begins, ^ask, ^on
^ask:
  comm.comm_size comm(%c) size(%variable : !llvm.ptr)
  llvm.br ^on
^on:
  comm.cdag comm(%c) implied disjoint {
    llvm.br ^loop(%zero : i32)
  ^loop(%p: i32):
    %to = llvm.getelementptr %in[%p] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %r = comm.recv async buf(%to : !llvm.ptr) count(%one) datatype(%t) source(%p) tag(%zero) comm(%c) -> request
    %s = comm.send async buf(%out : !llvm.ptr) count(%one) datatype(%t) dest(%p) tag(%zero) comm(%c) -> request
    %next = llvm.add %p, %one : i32
    %size = llvm.load %variable : !llvm.ptr -> i32
    %more = llvm.icmp "slt" %next, %size : i32
    llvm.cond_br %more, ^loop(%next : i32), ^done
  ^done:
    comm.yield
  }
  llvm.cond_br %begins, ^again(%one, %second : i32, !llvm.ptr), ^end
^end:
  llvm.return
}

// A ring of size - 1 steps: the data of one step is forwarded in the next.
// CHECK-LABEL: llvm.func @ring
// CHECK: %[[PLACE:.*]] = comm.constant "MPI_IN_PLACE" : !llvm.ptr
// CHECK: comm.allgather sendbuf(%[[PLACE]] : !llvm.ptr)
// CHECK-SAME: recvbuf(%arg0 : !llvm.ptr)
llvm.func @ring(%all: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %rank = comm.comm_rank comm(%c) -> rank
  %size = comm.comm_size comm(%c) -> size
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %up = llvm.add %rank, %one : i32
  %right = llvm.srem %up, %size : i32
  %down = llvm.sub %rank, %one : i32
  %raised = llvm.add %down, %size : i32
  %left = llvm.srem %raised, %size : i32
  comm.cdag comm(%c) implied {
    llvm.br ^head(%zero, %rank, %left : i32, i32, i32)
  ^head(%step: i32, %out: i32, %in: i32):
    %count = llvm.add %step, %one : i32
    %more = llvm.icmp "slt" %count, %size : i32
    llvm.cond_br %more, ^body, ^done
  ^body:
    %to = llvm.getelementptr %all[%in] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %from = llvm.getelementptr %all[%out] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %r = comm.recv async buf(%to : !llvm.ptr) count(%one) datatype(%t) source(%left) tag(%step) comm(%c) -> request
    %s = comm.send async buf(%from : !llvm.ptr) count(%one) datatype(%t) dest(%right) tag(%step) comm(%c) -> request
    %sum = llvm.add %in, %size : i32
    %before = llvm.sub %sum, %one : i32
    %next = llvm.srem %before, %size : i32
    llvm.br ^head(%count, %in, %next : i32, i32, i32)
  ^done:
    comm.yield
  }
  llvm.return
}
