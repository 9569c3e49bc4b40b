// Requests that are copied after their start: through values, and from one allocation to another.
// RUN: comm-opt -test-comm-requests -o /dev/null %s | FileCheck %s
module attributes {comm.abi = "openmpi4"} {
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)

// `MPI_Irecv(..., &r); v[0] = r; MPI_Isend(..., &r); v[1] = r;`
// CHECK-LABEL: function pushed
// CHECK-NEXT: all completes A B
llvm.func @pushed(%a: !llvm.ptr, %b: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %bytes = llvm.mlir.constant(16 : i64) : i64
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %v = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  %first = llvm.load %r : !llvm.ptr -> !llvm.ptr
  llvm.store %first, %v : !llvm.ptr, !llvm.ptr
  comm.send async buf(%b : !llvm.ptr) count(%one) datatype(%t) dest(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "B"}
  %second = llvm.load %r : !llvm.ptr -> i64
  %slot = llvm.getelementptr %v[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.store %second, %slot : i64, !llvm.ptr
  comm.waitall count(%two) array_of_requests(%v : !llvm.ptr) {tag = "all"}
  llvm.call @free(%v) : (!llvm.ptr) -> ()
  llvm.return
}

// The second start replaces the first one in the variable, but not elsewhere. The array element that a copy reads is
// unknown.
// CHECK-LABEL: function replaced
// CHECK-NEXT: copy completes A
// CHECK-NEXT: variable completes B
// CHECK-NEXT: array completes D
// CHECK-NEXT: other completes C D
llvm.func @replaced(%a: !llvm.ptr, %b: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %s = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  %first = llvm.load %r : !llvm.ptr -> !llvm.ptr
  llvm.store %first, %s : !llvm.ptr, !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "B"}
  comm.wait request(%s : !llvm.ptr) {tag = "copy"}
  comm.wait request(%r : !llvm.ptr) {tag = "variable"}
  %u = llvm.alloca %one x !llvm.array<2 x ptr> : (i32) -> !llvm.ptr
  %w = llvm.getelementptr %u[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %x = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%u : !llvm.ptr) {tag = "C"}
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%w : !llvm.ptr) {tag = "D"}
  %third = llvm.load %u : !llvm.ptr -> !llvm.ptr
  llvm.store %third, %x : !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr) {tag = "array"}
  comm.wait request(%x : !llvm.ptr) {tag = "other"}
  llvm.return
}

// A growing vector moves its contents to new memory; so does a select or a conversion.
// CHECK-LABEL: function grown
// CHECK-NEXT: all completes A B
llvm.func @grown(%a: !llvm.ptr, %b: !llvm.ptr, %up: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %bytes = llvm.mlir.constant(8 : i64) : i64
  %more = llvm.mlir.constant(16 : i64) : i64
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %v = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  %first = llvm.load %r : !llvm.ptr -> !llvm.ptr
  %number = llvm.ptrtoint %first : !llvm.ptr to i64
  llvm.store %number, %v : i64, !llvm.ptr
  comm.send async buf(%b : !llvm.ptr) count(%one) datatype(%t) dest(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "B"}
  %second = llvm.load %r : !llvm.ptr -> !llvm.ptr
  %chosen = llvm.select %up, %second, %null : i1, !llvm.ptr
  %w = llvm.call @malloc(%more) : (i64) -> !llvm.ptr
  %slot = llvm.getelementptr %w[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.store %chosen, %slot : !llvm.ptr, !llvm.ptr
  "llvm.intr.memcpy"(%w, %v, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.call @free(%v) : (!llvm.ptr) -> ()
  comm.waitall count(%two) array_of_requests(%w : !llvm.ptr) {tag = "all"}
  llvm.call @free(%w) : (!llvm.ptr) -> ()
  llvm.return
}

// Memory that is new in each iteration does not contain requests of previous ones; memory from before the loop may.
// CHECK-LABEL: function turns
// CHECK-NEXT: inner completes A
// CHECK-NEXT: outer completes B again
llvm.func @turns(%a: !llvm.ptr, %b: !llvm.ptr, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %bytes = llvm.mlir.constant(8 : i64) : i64
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %s = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %w = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
  llvm.br ^turn(%a, %b : !llvm.ptr, !llvm.ptr)
^turn(%p: !llvm.ptr, %q: !llvm.ptr):
  %v = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
  comm.recv async buf(%p : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  %first = llvm.load %r : !llvm.ptr -> !llvm.ptr
  llvm.store %first, %v : !llvm.ptr, !llvm.ptr
  comm.wait request(%v : !llvm.ptr) {tag = "inner"}
  llvm.call @free(%v) : (!llvm.ptr) -> ()
  comm.recv async buf(%q : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s : !llvm.ptr) {tag = "B"}
  %second = llvm.load %s : !llvm.ptr -> !llvm.ptr
  llvm.store %second, %w : !llvm.ptr, !llvm.ptr
  comm.wait request(%w : !llvm.ptr) {tag = "outer"}
  llvm.cond_br %more, ^turn(%q, %p : !llvm.ptr, !llvm.ptr), ^end
^end:
  llvm.return
}

// A slot that no start or wait names, and copies of it through a value and through memory.
// CHECK-LABEL: function between
// CHECK-NEXT: B may be seen by others
// CHECK-NEXT: by value completes B
// CHECK-NEXT: A may be seen by others
// CHECK-NEXT: own completes B A
// CHECK-NEXT: by copy completes B A
llvm.func @between(%a: !llvm.ptr, %b: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %bytes = llvm.mlir.constant(8 : i64) : i64
  %r = llvm.alloca %one x !llvm.array<4 x ptr> : (i32) -> !llvm.ptr
  %r2 = llvm.getelementptr %r[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %s = llvm.alloca %one x !llvm.array<4 x ptr> : (i32) -> !llvm.ptr
  %s2 = llvm.getelementptr %s[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %p = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%b : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%p : !llvm.ptr) {tag = "B"}
  %request = llvm.load %p : !llvm.ptr -> !llvm.ptr
  llvm.store %request, %r : !llvm.ptr, !llvm.ptr
  llvm.store %request, %s : !llvm.ptr, !llvm.ptr
  %copy = llvm.load %r : !llvm.ptr -> !llvm.ptr
  llvm.store %copy, %r2 : !llvm.ptr, !llvm.ptr
  comm.wait request(%r2 : !llvm.ptr) {tag = "by value"}
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%s2 : !llvm.ptr) {tag = "A"}
  comm.wait request(%s2 : !llvm.ptr) {tag = "own"}
  "llvm.intr.memcpy"(%s2, %s, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  comm.wait request(%s2 : !llvm.ptr) {tag = "by copy"}
  llvm.return
}

// A value may carry a request from one iteration to the next.
// CHECK-LABEL: function carried
// CHECK-NEXT: old completes A again
llvm.func @carried(%a: !llvm.ptr, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %s = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  llvm.br ^turn(%a, %null : !llvm.ptr, !llvm.ptr)
^turn(%p: !llvm.ptr, %old: !llvm.ptr):
  comm.recv async buf(%p : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  %now = llvm.load %r : !llvm.ptr -> !llvm.ptr
  llvm.store %old, %s : !llvm.ptr, !llvm.ptr
  comm.wait request(%s : !llvm.ptr) {tag = "old"}
  %next = llvm.getelementptr %p[64] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.cond_br %more, ^turn(%next, %now : !llvm.ptr, !llvm.ptr), ^end
^end:
  llvm.return
}

// The lifetime of a variable ends with its contents.
// CHECK-LABEL: function lives
// CHECK-NEXT: copy completes A
llvm.func @lives(%a: !llvm.ptr, %more: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %v = llvm.alloca %one x !llvm.array<4 x ptr> : (i32) -> !llvm.ptr
  llvm.br ^turn(%a : !llvm.ptr)
^turn(%p: !llvm.ptr):
  llvm.intr.lifetime.start %v : !llvm.ptr
  comm.recv async buf(%p : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  %request = llvm.load %r : !llvm.ptr -> !llvm.ptr
  llvm.store %request, %v : !llvm.ptr, !llvm.ptr
  comm.wait request(%v : !llvm.ptr) {tag = "copy"}
  llvm.intr.lifetime.end %v : !llvm.ptr
  %next = llvm.getelementptr %p[64] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.cond_br %more, ^turn(%next : !llvm.ptr), ^end
^end:
  llvm.return
}

// If a pointer may point to one of two arrays, both get the request.
// CHECK-LABEL: function either
// CHECK-NEXT: one completes A
// CHECK-NEXT: other completes A
llvm.func @either(%a: !llvm.ptr, %up: i1) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %v = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %w = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  %request = llvm.load %r : !llvm.ptr -> !llvm.ptr
  %p = llvm.select %up, %v, %w : i1, !llvm.ptr
  llvm.store %request, %p : !llvm.ptr, !llvm.ptr
  comm.wait request(%v : !llvm.ptr) {tag = "one"}
  comm.wait request(%w : !llvm.ptr) {tag = "other"}
  llvm.return
}

// A pointer that may also point elsewhere makes the request known to others.
// CHECK-LABEL: function shown
// CHECK-NEXT: A may be seen by others
// CHECK-NEXT: copy completes A
llvm.func @shown(%a: !llvm.ptr, %p: !llvm.ptr) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %v = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  %request = llvm.load %r : !llvm.ptr -> !llvm.ptr
  llvm.store %request, %v : !llvm.ptr, !llvm.ptr
  %number = llvm.ptrtoint %request : !llvm.ptr to i64
  llvm.store %number, %p : i64, !llvm.ptr
  comm.wait request(%v : !llvm.ptr) {tag = "copy"}
  llvm.return
}

// A copied request may be a caller's, or the result of a call.
// CHECK-LABEL: function caller
// CHECK-NEXT: copy completes anything: a statement at {{.*}} stores a value that may be a request from elsewhere: let its start write it there
llvm.func @caller(%p: !llvm.ptr) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %v = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %request = llvm.load %p : !llvm.ptr -> !llvm.ptr
  llvm.store %request, %v : !llvm.ptr, !llvm.ptr
  comm.wait request(%v : !llvm.ptr) {tag = "copy"}
  llvm.return
}
// CHECK-LABEL: function computed
// CHECK-NEXT: A may be seen by others
// CHECK-NEXT: copy completes anything: a statement at {{.*}} stores a value that may be a request from elsewhere: let its start write it there
llvm.func @computed(%a: !llvm.ptr, %mask: i64) {
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %t = comm.constant "MPI_INT" : !comm.datatype
  %one = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %v = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  comm.recv async buf(%a : !llvm.ptr) count(%one) datatype(%t) source(%one) tag(%one) comm(%c) request(%r : !llvm.ptr) {tag = "A"}
  %request = llvm.load %r : !llvm.ptr -> i64
  %other = llvm.xor %request, %mask : i64
  llvm.store %other, %v : i64, !llvm.ptr
  comm.wait request(%v : !llvm.ptr) {tag = "copy"}
  llvm.return
}
}
