// Split loops of one chain ask once whether they run in two parts, and the last one tells when they have run.
// RUN: comm-opt %s --comm-split-iterations=cost=measured | FileCheck %s
// RUN: comm-opt %s --comm-split-iterations=cost=none | FileCheck %s --check-prefix=NONE
// RUN: comm-opt %s --comm-split-iterations=cost=measured --comm-move-slices=observers=never | FileCheck %s --check-prefix=MOVED
// RUN: comm-opt %s --comm-split-iterations=cost=measured --convert-comm-to-llvm=abi=openmpi4 | FileCheck %s --check-prefix=LLVM
// NONE-NOT: comm_ask_split
// NONE-NOT: comm_call_end_split
//
// Nothing has to keep its order with these calls until all has been moved; optimizers that come after must not take them
// for calls that do nothing.
// CHECK: llvm.func @comm_call_end_split(i64) attributes {memory_effects = #llvm.memory_effects<other = none
// CHECK: llvm.func @comm_ask_split(i64, i64) -> i64 attributes {memory_effects = #llvm.memory_effects<other = none
// LLVM: llvm.func @comm_call_end_split(i64) attributes {passthrough
// LLVM: llvm.func @comm_ask_split(i64, i64) -> i64 attributes {passthrough

module attributes {comm.abi = "openmpi4"} {
// CHECK-LABEL: llvm.func @two
// CHECK: llvm.call @comm_ask_spans_nodes()
// CHECK: %[[TOKEN:.*]] = llvm.call @comm_ask_split(%{{.*}}, %[[COUNT:.*]]) :
// CHECK: llvm.br ^[[ASKED:.*]](%{{.*}}, %{{.*}}, %[[TOKEN]], %{{.*}}, %{{.*}} : i64, i64, i64, i64, i64)
// CHECK: ^[[ASKED]](%{{.*}}: i64, %{{.*}}: i64, %[[TOLD:.*]]: i64, %{{.*}}: i64, %{{.*}}: i64):
// CHECK: comm.interior
// CHECK-NOT: comm_ask_split
// CHECK-NOT: comm_call_end_split
// CHECK: llvm.call @comm_ask_spans_nodes()
// CHECK-NOT: comm_ask_split
// CHECK: llvm.and %[[TOLD]], %{{.*}} : i64
// CHECK: comm.interior
// CHECK: llvm.call @comm_call_end_split(%[[TOLD]]) : (i64) -> ()
// CHECK-NOT: comm_call_end_split
// CHECK: llvm.return
// MOVED-LABEL: llvm.func @two
// MOVED: comm.recv async
// MOVED: comm_ask_split
// MOVED: comm.interior
// MOVED: comm.interior
// MOVED-NOT: comm_call_end_split
// MOVED: comm.wait
// MOVED: comm_call_end_split
llvm.func @two(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %w: !llvm.ptr {llvm.noalias}, %m: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %r = comm.recv async buf(%u : !llvm.ptr) count(%n) datatype(%double) source(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^between
^before:
  llvm.br ^loop(%one : i64)
^loop(%i: i64):
  %im = llvm.sub %i, %one overflow<nsw> : i64
  %p = llvm.getelementptr inbounds %u[%im] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "sgt" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^between
^between:
  llvm.cond_br %some, ^before2, ^join
^before2:
  llvm.br ^loop2(%one : i64)
^loop2(%j: i64):
  %p2 = llvm.getelementptr inbounds %v[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x2 = llvm.load %p2 : !llvm.ptr -> f64
  %q2 = llvm.getelementptr inbounds %w[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x2, %q2 : f64, !llvm.ptr
  %next2 = llvm.add %j, %one overflow<nsw, nuw> : i64
  %end2 = llvm.icmp "sgt" %next2, %m : i64
  llvm.cond_br %end2, ^after2, ^loop2(%next2 : i64)
^after2:
  llvm.br ^join
^join:
  llvm.return
}

// A loop that computes what is sent: what its interior hides is waited for elsewhere.
// CHECK-LABEL: llvm.func @sent
// CHECK: comm.interior
// CHECK-NOT: comm_ask_split
// CHECK-NOT: comm_call_end_split
// CHECK: llvm.return
llvm.func @sent(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i64) : i64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %double = comm.constant "MPI_DOUBLE" : !comm.datatype
  %some = llvm.icmp "sgt" %m, %zero : i64
  llvm.cond_br %some, ^before, ^join
^before:
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %p = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %p : !llvm.ptr -> f64
  %q = llvm.getelementptr inbounds %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %q : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %end = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %end, ^after, ^loop(%next : i64)
^after:
  llvm.br ^join
^join:
  %r = comm.send async buf(%u : !llvm.ptr) count(%n) datatype(%double) dest(%n) tag(%n) comm(%world) -> request
  comm.wait request(%r)
  llvm.return
}
}
