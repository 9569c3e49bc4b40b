// Graphs: errors of the verifiers. The examples of the ops test the form (examples.test).
// RUN: comm-opt %s -verify-diagnostics --split-input-file

func.func @no_yield(%c: !comm.comm) {
  // expected-error @+1 {{has no comm.yield}}
  comm.cdag comm(%c) {
    cf.br ^bb1
  ^bb1:
    cf.br ^bb1
  }
  return
}

// -----

func.func @two_yields(%c: !comm.comm, %b: i1) {
  comm.cdag comm(%c) {
    cf.cond_br %b, ^bb1, ^bb2
  ^bb1:
    comm.yield
  ^bb2:
    // expected-error @+1 {{is the second one of its comm.cdag: join the paths and yield once}}
    comm.yield
  }
  return
}

// -----

func.func @yields_other_types(%c: !comm.comm, %n: i32) {
  %x = comm.cdag comm(%c) -> i64 {
    // expected-error @+1 {{yields 1 values, but the comm.cdag around it has 1 results of types 'i64'}}
    comm.yield %n : i32
  }
  return
}

// -----

func.func @collective(%c: !comm.comm) {
  comm.cdag comm(%c) {
    // expected-error @+1 {{cannot be in a comm.cdag: only sends and receives can}}
    comm.barrier comm(%c)
    comm.yield
  }
  return
}

// -----

func.func @blocking(%c: !comm.comm, %p: !llvm.ptr, %n: i32, %t: !comm.datatype) {
  comm.cdag comm(%c) {
    // expected-error @+1 {{in a comm.cdag must be async: it completes when the region ends}}
    comm.send buf(%p : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c)
    comm.yield
  }
  return
}

// -----

func.func @other_communicator(%c: !comm.comm, %d: !comm.comm, %p: !llvm.ptr, %n: i32, %t: !comm.datatype) {
  comm.cdag comm(%c) {
    // expected-error @+1 {{has a different communicator than the enclosing comm.cdag}}
    %r = comm.send async buf(%p : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%d) -> request
    comm.yield
  }
  return
}

// -----

func.func @request_in_memory(%c: !comm.comm, %p: !llvm.ptr, %n: i32, %t: !comm.datatype) {
  comm.cdag comm(%c) {
    // expected-error @+1 {{must return its request, and not put it into memory}}
    comm.send async buf(%p : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) request(%p : !llvm.ptr)
    comm.yield
  }
  return
}

// -----

func.func @waited_for(%c: !comm.comm, %p: !llvm.ptr, %n: i32, %t: !comm.datatype) {
  comm.cdag comm(%c) {
    // expected-error @+1 {{completes when the region ends: its request has no other use than comm.after}}
    %r = comm.send async buf(%p : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
    comm.wait request(%r)
    comm.yield
  }
  return
}

// -----

func.func @nested(%c: !comm.comm) {
  comm.cdag comm(%c) {
    // expected-error @+1 {{cannot be in another comm.cdag}}
    comm.cdag comm(%c) {
      comm.yield
    }
    comm.yield
  }
  return
}

// -----

func.func @after_outside(%r: !comm.request) {
  // expected-error @+1 {{orders the operations of a comm.cdag, but is not in one}}
  comm.after %r on(%r)
  return
}

// -----

func.func @after_of_elsewhere(%c: !comm.comm, %r: !comm.request, %p: !llvm.ptr, %n: i32, %t: !comm.datatype) {
  comm.cdag comm(%c) {
    %s = comm.send async buf(%p : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
    // expected-error @+1 {{takes requests of operations of the same comm.cdag}}
    comm.after %s on(%r)
    comm.yield
  }
  return
}

// -----

func.func @after_itself(%c: !comm.comm, %p: !llvm.ptr, %n: i32, %t: !comm.datatype) {
  comm.cdag comm(%c) {
    %s = comm.send async buf(%p : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
    // expected-error @+1 {{makes an operation wait for itself}}
    comm.after %s on(%s)
    comm.yield
  }
  return
}

// -----

func.func @after_nothing(%c: !comm.comm, %p: !llvm.ptr, %n: i32, %t: !comm.datatype) {
  comm.cdag comm(%c) {
    %s = comm.send async buf(%p : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
    // expected-error @+1 {{names no preceding operation}}
    comm.after %s on()
    comm.yield
  }
  return
}

// -----

func.func @transfer_outside(%p: !llvm.ptr) {
  // expected-error @+1 {{is part of a comm.cdag, but is not in one}}
  comm.transfer from(%p : !llvm.ptr) rank 0 offset 0 to(%p : !llvm.ptr) rank 1 offset 0 bytes 8
  return
}

// -----

func.func @transfer_of_nothing(%c: !comm.comm, %p: !llvm.ptr) {
  comm.cdag comm(%c) {
    // expected-error @+1 {{transfers no bytes}}
    comm.transfer from(%p : !llvm.ptr) rank 0 offset 0 to(%p : !llvm.ptr) rank 1 offset 0 bytes 0
    comm.yield
  }
  return
}

// -----

func.func @transfer_negative(%c: !comm.comm, %p: !llvm.ptr) {
  comm.cdag comm(%c) {
    // expected-error @+1 {{has a negative rank or offset}}
    comm.transfer from(%p : !llvm.ptr) rank 0 offset -8 to(%p : !llvm.ptr) rank 1 offset 0 bytes 8
    comm.yield
  }
  return
}

// -----

func.func @transfer_far(%c: !comm.comm, %p: !llvm.ptr) {
  comm.cdag comm(%c) {
    // expected-error @+1 {{ends at an offset that does not fit into 63 bits}}
    comm.transfer from(%p : !llvm.ptr) rank 0 offset 9223372036854775807 to(%p : !llvm.ptr) rank 1 offset 0 bytes 8
    comm.yield
  }
  return
}

// -----

func.func @yield_outside() {
  // expected-error @+1 {{expects parent op 'comm.cdag'}}
  "comm.yield"() : () -> ()
}

// -----

func.func @neither() {
  // expected-error @+1 {{has either a communicator, of sends and receives, or a window, of gets and puts}}
  comm.cdag implied {
    comm.yield
  }
  return
}

// -----

func.func @epochs_of_messages(%c: !comm.comm) {
  // expected-error @+1 {{has epochs, which only a window has}}
  comm.cdag comm(%c) epochs implied {
    comm.yield
  }
  return
}

// -----

func.func @window_explicit(%w: !comm.win, %n: i32) {
  // expected-error @+1 {{of a window has the dependencies that the buffers imply: write 'implied'}}
  comm.cdag win(%w) fences(%n, %n) {
    comm.yield
  }
  return
}

// -----

func.func @get_in_messages(%c: !comm.comm, %w: !comm.win, %p: !llvm.ptr, %n: i32, %l: i64, %t: !comm.datatype) {
  comm.cdag comm(%c) {
    // expected-error @+1 {{cannot be in a comm.cdag of a communicator}}
    comm.get origin_addr(%p : !llvm.ptr) origin_count(%n) origin_datatype(%t) target_rank(%n) target_disp(%l : i64) target_count(%n) target_datatype(%t) win(%w)
    comm.yield
  }
  return
}

// -----

func.func @send_in_window(%c: !comm.comm, %w: !comm.win, %p: !llvm.ptr, %n: i32, %t: !comm.datatype) {
  comm.cdag win(%w) fences(%n, %n) implied {
    // expected-error @+1 {{cannot be in a comm.cdag of a window: only gets and puts can}}
    %s = comm.send async buf(%p : !llvm.ptr) count(%n) datatype(%t) dest(%n) tag(%n) comm(%c) -> request
    comm.yield
  }
  return
}

// -----

func.func @accumulate_in_window(%w: !comm.win, %p: !llvm.ptr, %n: i32, %l: i64, %t: !comm.datatype, %o: !comm.op) {
  comm.cdag win(%w) fences(%n, %n) implied {
    // expected-error @+1 {{cannot be in a comm.cdag of a window: only gets and puts can}}
    comm.accumulate origin_addr(%p : !llvm.ptr) origin_count(%n) origin_datatype(%t) target_rank(%n) target_disp(%l : i64) target_count(%n) target_datatype(%t) op(%o) win(%w)
    comm.yield
  }
  return
}

// -----

func.func @other_window(%v: !comm.win, %w: !comm.win, %p: !llvm.ptr, %n: i32, %l: i64, %t: !comm.datatype) {
  comm.cdag win(%w) fences(%n, %n) implied {
    // expected-error @+1 {{has a different window than the enclosing comm.cdag}}
    comm.get origin_addr(%p : !llvm.ptr) origin_count(%n) origin_datatype(%t) target_rank(%n) target_disp(%l : i64) target_count(%n) target_datatype(%t) win(%v)
    comm.yield
  }
  return
}
