// RUN: comm-opt %s -split-input-file -verify-diagnostics -convert-graph-to-comm

// expected-error @below {{has 2 functions, but a graph program must be a single function}}
module {
  func.func @f() { return }
  func.func @g() { return }
}

// -----

// expected-error @below {{does not have a single-block body: graph programs are structured}}
func.func private @f()

// -----

// expected-error @below {{has several results: return one, and the others as properties}}
func.func @f(%x: i32) -> (i32, i32) { return %x, %x : i32, i32 }

// -----

func.func private @f(%g: !graph.graph, %v: !graph.vertex) attributes {no_inline} {
  call @f(%g, %v) : (!graph.graph, !graph.vertex) -> ()
  return
}
func.func @main(%g: !graph.graph) {
  graph.forall vertices(%g) do (%v) {
    // expected-error @below {{calls the recursive function 'f' in an iteration of a forall: use 'for'}}
    func.call @f(%g, %v) : (!graph.graph, !graph.vertex) -> ()
  }
  return
}

// -----

func.func private @f(%g: !graph.graph, %w: !graph.property<edge, i32>) attributes {no_inline} {
  call @f(%g, %w) : (!graph.graph, !graph.property<edge, i32>) -> ()
  return
}
func.func @main(%g: !graph.graph) {
  %w = graph.weights %g : <edge, i32>
  // expected-error @below {{passes the weights of the graph to the recursive function 'f', which might change them: copy them to a property first}}
  call @f(%g, %w) : (!graph.graph, !graph.property<edge, i32>) -> ()
  return
}

// -----

func.func private @f(%g: !graph.graph, %p: !graph.property<vertex, i32>, %q: !graph.property<vertex, i32>) attributes {no_inline} {
  // expected-error @below {{passes one property twice: each parameter of a function must be a different property}}
  call @f(%g, %q, %q) : (!graph.graph, !graph.property<vertex, i32>, !graph.property<vertex, i32>) -> ()
  return
}
func.func @main(%g: !graph.graph) { return }

// -----

func.func private @f(%g: !graph.graph) attributes {no_inline} {
  // expected-error @below {{declares a property in a recursive function, and each call would have its own: make it a parameter}}
  %p = graph.property %g : <vertex, i32>
  call @f(%g) : (!graph.graph) -> ()
  return
}
func.func @main(%g: !graph.graph) {
  call @f(%g) : (!graph.graph) -> ()
  return
}

// -----

func.func private @f(%g: !graph.graph, %v: !graph.vertex) attributes {no_inline} {
  // expected-error @below {{starts a breadth-first search in a recursive function, which would replace the search of its caller: search before the call}}
  %l = graph.levels %g from %v
  graph.forall levels(%l) do (%x) {
  }
  call @f(%g, %v) : (!graph.graph, !graph.vertex) -> ()
  return
}
func.func @main(%g: !graph.graph, %v: !graph.vertex) {
  call @f(%g, %v) : (!graph.graph, !graph.vertex) -> ()
  return
}

// -----

func.func @f(%x: f32) -> f32 {
  // expected-error @below {{is an operation 'llvm.intr.sqrt' that the lowering of graph programs does not support}}
  %y = llvm.intr.sqrt(%x) : (f32) -> f32
  return %y : f32
}

// -----

func.func @f(%g: !graph.graph, %p: !graph.property<vertex, i32>) {
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      %x = graph.load %p[%n] : <vertex, i32>
      // expected-error @below {{takes part in a race: run graph-check-races for details}}
      graph.store %x, %p[%v] : <vertex, i32>
    }
  }
  return
}

// -----

func.func @f(%g: !graph.graph, %p: !graph.property<edge, i32>, %one: i32) {
  graph.forall vertices(%g) do (%v) {
    graph.forall in_neighbors(%g, %v) do (%n, %e) {
      %x = graph.load %p[%e] : <edge, i32>
      // expected-error @below {{changes an in-edge of the iteration's vertex and also accesses it in another way}}
      graph.store %one, %p[%e] : <edge, i32>
    }
  }
  return
}

// -----

func.func @f(%g: !graph.graph) {
  graph.forall vertices(%g) do (%v) {
    // expected-error @below {{starts a breadth-first search in an iteration of a forall}}
    %l = graph.levels %g from %v
  }
  return
}

// -----

func.func @f(%g: !graph.graph) {
  graph.forall vertices(%g) do (%v) {
    // expected-error @below {{creates or fills a whole property in an iteration of a forall}}
    %p = graph.property %g : <vertex, i32>
  }
  return
}

// -----

func.func @f(%g: !graph.graph, %l: !graph.levels) {
  graph.forall vertices(%g) do (%v) {
    // expected-error @below {{goes level by level in an iteration of a forall}}
    graph.forall levels(%l) do (%w) {
    }
  }
  return
}

// -----

func.func @f(%g: !graph.graph, %p: !graph.property<vertex, i32>, %q: !graph.property<edge, i32>, %one: i32, %v: !graph.vertex) -> i32 {
  %c = graph.cell %one : <i32>
  graph.forall out_neighbors(%g, %v) do (%n, %e) {
    graph.reduce sum %p[%n], %one : <vertex, i32>, i32
    %x = graph.load %p[%n] : <vertex, i32>
    graph.store %x, %q[%e] : <edge, i32>
    // expected-error @below {{changes an edge and also accesses it in another way}}
    %y = graph.load %q[%e] : <edge, i32>
    graph.accumulate sum %c, %y : <i32>, i32
  }
  %z = graph.get %c : <i32>
  return %z : i32
}

// -----

func.func @f(%g: !graph.graph, %f: !graph.cell<i1>) {
  graph.forall vertices(%g) do (%v) {
    %false = arith.constant false
    %c = graph.cell %false : <i1>
    // expected-error @below {{is a fixed point in an iteration of a forall}}
    graph.fixed_point %c {
    }
  }
  return
}

// -----

func.func @f(%g: !graph.graph, %p: !graph.property<vertex, i32>, %q: !graph.property<vertex, i32>, %x: i32) {
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%n, %e) {
      // expected-error @below {{reduces a property in a different way than another operation of the same forall}}
      graph.reduce min %p[%n], %x : <vertex, i32>, i32
    }
    graph.reduce min %p[%v], %x with(%q = %x : !graph.property<vertex, i32> = i32) : <vertex, i32>, i32
  }
  return
}

// -----

func.func @f(%g: !graph.graph, %x: i32) {
  %w = graph.weights %g : <edge, i32>
  graph.forall edges(%g) do (%e) {
    // expected-error @below {{changes the weights of the graph}}
    graph.store %x, %w[%e] : <edge, i32>
  }
  return
}

// -----

func.func @f(%g: !graph.graph) -> i32 {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %c = graph.cell %one : <i32>
  %d = graph.cell %one : <i32>
  graph.forall vertices(%g) do (%v) {
    %e = graph.cell %one : <i32>
    // expected-error @below {{has a companion from outside of the forall}}
    graph.accumulate min %e, %two with(%c = %one : !graph.cell<i32> = i32) : <i32>, i32
  }
  %y = graph.get %c : <i32>
  return %y : i32
}

// -----

func.func @f(%g: !graph.graph) -> i32 {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %c = graph.cell %one : <i32>
  %d = graph.cell %one : <i32>
  graph.forall vertices(%g) do (%v) {
    graph.accumulate min %c, %two : <i32>, i32
    // expected-error @below {{changes a variable in a different way than an earlier operation of the same forall}}
    graph.accumulate min %c, %two with(%d = %one : !graph.cell<i32> = i32) : <i32>, i32
  }
  %y = graph.get %c : <i32>
  return %y : i32
}

// -----

func.func @companion(%g: !graph.graph, %d: !graph.property<vertex, i32>, %h: !graph.property<vertex, i32>, %n: i32) {
  // expected-error @+1 {{reads a property that one of its reductions sets with its value: run graph-keep-companions before}}
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%w, %e) {
      %x = graph.load %h[%v] : <vertex, i32>
      graph.reduce min %d[%w], %n with(%h = %x : !graph.property<vertex, i32> = i32) : <vertex, i32>, i32
    }
  }
  return
}
