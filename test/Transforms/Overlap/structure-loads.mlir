// A member that an arm loads is loaded before the arm if another member of the same structure has been accessed: the
// structure exists. Not for different types with a common prefix, and not after the last member.
// RUN: comm-opt %s -comm-split-iterations | FileCheck %s

#root = #llvm.tbaa_root<id = "Simple C/C++ TBAA">
#char = #llvm.tbaa_type_desc<id = "omnipotent char", members = {<#root, 0>}>
#int = #llvm.tbaa_type_desc<id = "int", members = {<#char, 0>}>
#pointer = #llvm.tbaa_type_desc<id = "any pointer", members = {<#char, 0>}>
#block = #llvm.tbaa_type_desc<id = "block", members = {<#int, 0>, <#pointer, 8>, <#int, 16>}>
#larger = #llvm.tbaa_type_desc<id = "larger", members = {<#block, 0>, <#pointer, 24>}>
#size = #llvm.tbaa_tag<base_type = #block, access_type = #int, offset = 0>
#values = #llvm.tbaa_tag<base_type = #block, access_type = #pointer, offset = 8>
#grid = #llvm.tbaa_type_desc<id = "grid", members = {<#int, 0>, <#char, 8>, <#char, 24>, <#int, 40>}>
#rows = #llvm.tbaa_tag<base_type = #grid, access_type = #int, offset = 0>
#address = #llvm.tbaa_tag<base_type = #pointer, access_type = #pointer, offset = 0>
#more = #llvm.tbaa_tag<base_type = #larger, access_type = #pointer, offset = 24>
#number = #llvm.tbaa_tag<base_type = #int, access_type = #int, offset = 0>

module attributes {comm.abi = "openmpi4"} {
// CHECK-LABEL: llvm.func @member
// CHECK: comm.wait
// CHECK: llvm.load {{.*}} -> !llvm.ptr
// CHECK: llvm.cond_br
llvm.func @member(%a: !llvm.ptr {llvm.noalias}, %s: !llvm.ptr, %p: i1, %x: f64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %n = llvm.load %s {tbaa = [#size]} : !llvm.ptr -> i32
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.cond_br %p, ^arm, ^join
^arm:
  %place = llvm.getelementptr %s[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %values = llvm.load %place {tbaa = [#values]} : !llvm.ptr -> !llvm.ptr
  llvm.store %x, %values : f64, !llvm.ptr
  llvm.br ^join
^join:
  llvm.return
}

// An element of an array in it: its own type does not name the structure.
// CHECK-LABEL: llvm.func @element
// CHECK: comm.wait
// CHECK: llvm.load {{.*}} -> i32
// CHECK: llvm.cond_br
llvm.func @element(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %s: !llvm.ptr, %p: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %n = llvm.load %s {tbaa = [#size]} : !llvm.ptr -> i32
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.cond_br %p, ^arm, ^join
^arm:
  %place = llvm.getelementptr %s[4] : (!llvm.ptr) -> !llvm.ptr, i8
  %element = llvm.load %place {tbaa = [#number]} : !llvm.ptr -> i32
  llvm.store %element, %b : i32, !llvm.ptr
  llvm.br ^join
^join:
  llvm.return
}

// CHECK-LABEL: llvm.func @larger
// CHECK: comm.wait
// CHECK: llvm.cond_br
// CHECK: llvm.load {{.*}} -> !llvm.ptr
llvm.func @larger(%a: !llvm.ptr {llvm.noalias}, %s: !llvm.ptr, %p: i1, %x: f64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %n = llvm.load %s {tbaa = [#size]} : !llvm.ptr -> i32
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.cond_br %p, ^arm, ^join
^arm:
  %place = llvm.getelementptr %s[24] : (!llvm.ptr) -> !llvm.ptr, i8
  %values = llvm.load %place {tbaa = [#more]} : !llvm.ptr -> !llvm.ptr
  llvm.store %x, %values : f64, !llvm.ptr
  llvm.br ^join
^join:
  llvm.return
}

// CHECK-LABEL: llvm.func @beyond
// CHECK: comm.wait
// CHECK: llvm.cond_br
// CHECK: llvm.load {{.*}} -> i32
llvm.func @beyond(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %s: !llvm.ptr, %p: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %n = llvm.load %s {tbaa = [#size]} : !llvm.ptr -> i32
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.cond_br %p, ^arm, ^join
^arm:
  %place = llvm.getelementptr %s[20] : (!llvm.ptr) -> !llvm.ptr, i8
  %element = llvm.load %place {tbaa = [#number]} : !llvm.ptr -> i32
  llvm.store %element, %b : i32, !llvm.ptr
  llvm.br ^join
^join:
  llvm.return
}

// An element of an array of pointers, of which another one has been accessed, keeps its type.
// CHECK-LABEL: llvm.func @keptType
// CHECK: comm.wait
// CHECK: llvm.load %{{[0-9]+}} {alignment = {{[0-9]+}} : i64, tbaa = [#{{.*}}]} : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.cond_br
llvm.func @keptType(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %s: !llvm.ptr, %p: i1, %x: f64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %n = llvm.load %s {tbaa = [#rows]} : !llvm.ptr -> i32
  %first = llvm.getelementptr %s[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %other = llvm.load %first {tbaa = [#address]} : !llvm.ptr -> !llvm.ptr
  llvm.store %x, %other : f64, !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.cond_br %p, ^arm, ^join
^arm:
  %place = llvm.getelementptr %s[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %element = llvm.load %place {tbaa = [#address]} : !llvm.ptr -> !llvm.ptr
  llvm.store %x, %element : f64, !llvm.ptr
  llvm.br ^join
^join:
  llvm.return
}

// Another array may hold something else where the guard does not hold.
// CHECK-LABEL: llvm.func @otherArray
// CHECK: comm.wait
// CHECK: llvm.load %{{[0-9]+}} {alignment = {{[0-9]+}} : i64} : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.cond_br
llvm.func @otherArray(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %s: !llvm.ptr, %p: i1, %x: f64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %n = llvm.load %s {tbaa = [#rows]} : !llvm.ptr -> i32
  %first = llvm.getelementptr %s[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %other = llvm.load %first {tbaa = [#address]} : !llvm.ptr -> !llvm.ptr
  llvm.store %x, %other : f64, !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.cond_br %p, ^arm, ^join
^arm:
  %place = llvm.getelementptr %s[24] : (!llvm.ptr) -> !llvm.ptr, i8
  %element = llvm.load %place {tbaa = [#address]} : !llvm.ptr -> !llvm.ptr
  llvm.store %x, %element : f64, !llvm.ptr
  llvm.br ^join
^join:
  llvm.return
}

// So may an element that is accessed by another type.
// CHECK-LABEL: llvm.func @otherType
// CHECK: comm.wait
// CHECK: llvm.load %{{[0-9]+}} {alignment = {{[0-9]+}} : i64} : !llvm.ptr -> i32
// CHECK: llvm.cond_br
llvm.func @otherType(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr {llvm.noalias}, %s: !llvm.ptr, %p: i1, %x: f64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_DOUBLE" : !comm.datatype
  %n = llvm.load %s {tbaa = [#rows]} : !llvm.ptr -> i32
  %first = llvm.getelementptr %s[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %other = llvm.load %first {tbaa = [#address]} : !llvm.ptr -> !llvm.ptr
  llvm.store %x, %other : f64, !llvm.ptr
  %r = comm.recv async buf(%a : !llvm.ptr) count(%n) datatype(%t) source(%n) tag(%n) comm(%c) -> request
  comm.wait request(%r)
  llvm.cond_br %p, ^arm, ^join
^arm:
  %place = llvm.getelementptr %s[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %element = llvm.load %place {tbaa = [#number]} : !llvm.ptr -> i32
  llvm.store %element, %b : i32, !llvm.ptr
  llvm.br ^join
^join:
  llvm.return
}
}
