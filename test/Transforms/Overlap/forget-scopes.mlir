// Restricted pointers that a loop declares make promises about one iteration, which the pass forgets if it splits the
// loop. All scopes of one call go: without #first, the load of #first and #second would be promised to touch nothing that #second
// does. Scopes from outside the loop stay.
// RUN: comm-opt %s --comm-split-iterations --mlir-print-local-scope | FileCheck %s
#call = #llvm.alias_scope_domain<id = distinct[0]<>>
#first = #llvm.alias_scope<id = distinct[1]<>, domain = #call, description = "first">
#second = #llvm.alias_scope<id = distinct[2]<>, domain = #call, description = "second">
#outer = #llvm.alias_scope_domain<id = distinct[3]<>>
#kept = #llvm.alias_scope<id = distinct[4]<>, domain = #outer, description = "kept">

// CHECK-LABEL: llvm.func @call
// CHECK: noalias.scope.decl {{.*}}"kept"
// CHECK-NOT: "first"
// CHECK-NOT: "second"
// CHECK: llvm.load {{.*}}alias_scopes = [{{.*}}"kept"
// CHECK-NOT: "first"
// CHECK-NOT: "second"
// CHECK: llvm.return
module attributes {comm.abi = "openmpi4"} {
llvm.func @call(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %from: i32) {
  %count = llvm.mlir.constant(1 : i32) : i32
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %d = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %tag = llvm.mlir.constant(1 : i32) : i32
  %request = comm.recv async buf(%u : !llvm.ptr) count(%count) datatype(%d) source(%from) tag(%tag) comm(%c) -> request
  comm.wait request(%request)
  llvm.intr.experimental.noalias.scope.decl #kept
  llvm.br ^row(%zero : i64)
^row(%i: i64):
  llvm.intr.experimental.noalias.scope.decl #first
  llvm.intr.experimental.noalias.scope.decl #second
  %at = llvm.getelementptr inbounds %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %at {alias_scopes = [#first, #second, #kept]} : !llvm.ptr -> f64
  %to = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %to {noalias_scopes = [#second]} : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %last = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %last, ^end, ^row(%next : i64)
^end:
  llvm.return
}

// All iterations wait, so the loop stays as it is, and the optimizer keeps the promises.
// CHECK-LABEL: llvm.func @whole
// CHECK: noalias.scope.decl {{.*}}"kept"
// CHECK: noalias.scope.decl {{.*}}"first"
// CHECK: noalias.scope.decl {{.*}}"second"
// CHECK: llvm.load {{.*}}alias_scopes = [{{.*}}"first"{{.*}}"second"{{.*}}"kept"
// CHECK: llvm.store {{.*}}noalias_scopes = [{{.*}}"second"
// CHECK-NOT: hidden
// CHECK: llvm.return
llvm.func @whole(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %count: i32, %from: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %d = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %tag = llvm.mlir.constant(1 : i32) : i32
  %request = comm.recv async buf(%u : !llvm.ptr) count(%count) datatype(%d) source(%from) tag(%tag) comm(%c) -> request
  comm.wait request(%request)
  llvm.intr.experimental.noalias.scope.decl #kept
  llvm.br ^row(%zero : i64)
^row(%i: i64):
  llvm.intr.experimental.noalias.scope.decl #first
  llvm.intr.experimental.noalias.scope.decl #second
  %at = llvm.getelementptr inbounds %u[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %at {alias_scopes = [#first, #second, #kept]} : !llvm.ptr -> f64
  %to = llvm.getelementptr inbounds %v[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %to {noalias_scopes = [#second]} : f64, !llvm.ptr
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %last = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %last, ^end, ^row(%next : i64)
^end:
  llvm.return
}

// A call in a loop over rows, with a loop of its own.
// CHECK-LABEL: llvm.func @line
// CHECK-NOT: "first"
// CHECK-NOT: "second"
// CHECK: llvm.return
llvm.func @line(%u: !llvm.ptr {llvm.noalias}, %v: !llvm.ptr {llvm.noalias}, %m: i64, %count: i32, %from: i32) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %d = comm.constant "MPI_DOUBLE" : !comm.datatype
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %tag = llvm.mlir.constant(1 : i32) : i32
  %request = comm.recv async buf(%u : !llvm.ptr) count(%count) datatype(%d) source(%from) tag(%tag) comm(%c) -> request
  comm.wait request(%request)
  llvm.br ^row(%zero : i64)
^row(%i: i64):
  llvm.intr.experimental.noalias.scope.decl #first
  llvm.intr.experimental.noalias.scope.decl #second
  %start = llvm.mul %i, %m overflow<nsw, nuw> : i64
  llvm.br ^column(%zero : i64)
^column(%j: i64):
  %place = llvm.add %start, %j overflow<nsw, nuw> : i64
  %at = llvm.getelementptr inbounds %u[%place] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %x = llvm.load %at {alias_scopes = [#first]} : !llvm.ptr -> f64
  %to = llvm.getelementptr inbounds %v[%place] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %x, %to {alias_scopes = [#second], noalias_scopes = [#first]} : f64, !llvm.ptr
  %further = llvm.add %j, %one overflow<nsw, nuw> : i64
  %isEnd = llvm.icmp "eq" %further, %m : i64
  llvm.cond_br %isEnd, ^ends, ^column(%further : i64)
^ends:
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %last = llvm.icmp "eq" %next, %m : i64
  llvm.cond_br %last, ^end, ^row(%next : i64)
^end:
  llvm.return
}
}
