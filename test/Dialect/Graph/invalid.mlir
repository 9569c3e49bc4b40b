// RUN: comm-opt %s -verify-diagnostics --split-input-file

// expected-error @+1 {{has values of type 'i8': use i1, i32, i64, f32, f64, !graph.vertex or !graph.edge}}
func.func private @values(!graph.property<vertex, i8>)

// -----

func.func @weights(%g: !graph.graph) {
  // expected-error @+1 {{weights are numbers that belong to edges}}
  %w = graph.weights %g : !graph.property<vertex, i32>
  return
}

// -----

func.func @sum(%p: !graph.property<vertex, i1>, %v: !graph.vertex, %b: i1) {
  // expected-error @+1 {{cannot form the sum of values of type 'i1'}}
  graph.reduce sum %p[%v], %b : !graph.property<vertex, i1>, i1
  return
}

// -----

func.func @count(%p: !graph.property<vertex, f32>, %v: !graph.vertex, %b: i1) {
  // expected-error @+1 {{cannot count in 'f32': use an integer}}
  graph.reduce count %p[%v], %b : !graph.property<vertex, f32>, i1
  return
}

// -----

func.func @counted(%p: !graph.property<vertex, i32>, %v: !graph.vertex, %b: i32) {
  // expected-error @+1 {{counts values that are true, and has one of type 'i32': give it an i1}}
  graph.reduce count %p[%v], %b : !graph.property<vertex, i32>, i32
  return
}

// -----

func.func @mixed(%p: !graph.property<vertex, i32>, %v: !graph.vertex, %b: i64) {
  // expected-error @+1 {{combines a value of type 'i64' with one of type 'i32': convert it first}}
  graph.reduce min %p[%v], %b : !graph.property<vertex, i32>, i64
  return
}

// -----

func.func @companions(%p: !graph.property<vertex, i32>, %q: !graph.property<vertex, i32>, %v: !graph.vertex, %n: i32) {
  // expected-error @+1 {{has companions: only min and max have them}}
  graph.reduce sum %p[%v], %n with(%q = %n : !graph.property<vertex, i32> = i32) : !graph.property<vertex, i32>, i32
  return
}

// -----

func.func @missing(%p: !graph.property<vertex, i32>, %q: !graph.property<vertex, i32>, %v: !graph.vertex, %n: i32) {
  // expected-error @+1 {{has 1 companions and 2 values for them: each companion has one}}
  graph.reduce min %p[%v], %n with(%q = %n, %n : !graph.property<vertex, i32> = i32, i32) : !graph.property<vertex, i32>, i32
  return
}

// -----

func.func @twice(%p: !graph.property<vertex, i32>, %v: !graph.vertex, %n: i32) {
  // expected-error @+1 {{has one object twice: all companions must be different}}
  graph.reduce min %p[%v], %n with(%p = %n : !graph.property<vertex, i32> = i32) : !graph.property<vertex, i32>, i32
  return
}

// -----

func.func @other(%p: !graph.property<vertex, i32>, %q: !graph.property<edge, i32>, %v: !graph.vertex, %n: i32) {
  // expected-error @+1 {{vertices and edges do not mix}}
  graph.reduce min %p[%v], %n with(%q = %n : !graph.property<edge, i32> = i32) : !graph.property<vertex, i32>, i32
  return
}

// -----

func.func @companion_type(%p: !graph.property<vertex, i32>, %q: !graph.property<vertex, i1>, %v: !graph.vertex, %n: i32) {
  // expected-error @+1 {{gives a companion of type '!graph.property<vertex, i1>' a value of type 'i32': convert it first}}
  graph.reduce min %p[%v], %n with(%q = %n : !graph.property<vertex, i1> = i32) : !graph.property<vertex, i32>, i32
  return
}

// -----

func.func @domain(%g: !graph.graph) {
  // expected-error @+1 {{'towns' is not a domain of a loop}}
  graph.forall towns(%g) do (%v) {
  }
  return
}

// -----

func.func @arguments(%g: !graph.graph) {
  // expected-error @+1 {{an iteration of this domain has 1 arguments, and there are 2}}
  graph.forall vertices(%g) do (%v, %e) {
  }
  return
}

// -----

func.func @over(%g: !graph.graph, %v: !graph.vertex) {
  // expected-error @+1 {{is over vertices of values of other types}}
  "graph.forall"(%v) <{domain = #graph<domain vertices>}> ({}, {
  ^bb0(%x: !graph.vertex):
    graph.yield
  }) : (!graph.vertex) -> ()
  return
}

// -----

func.func @region(%g: !graph.graph) {
  // expected-error @+1 {{has a region whose arguments are not those of its domain}}
  "graph.forall"(%g) <{domain = #graph<domain vertices>}> ({}, {
  ^bb0(%x: !graph.edge):
    graph.yield
  }) : (!graph.graph) -> ()
  return
}

// -----

func.func @filter(%g: !graph.graph, %b: i1) {
  // expected-error @+1 {{has a filter that does not say whether the iteration runs: yield an i1}}
  graph.forall vertices(%g) where (%v) {
    graph.yield
  } do (%v) {
  }
  return
}

// -----

func.func @body(%g: !graph.graph, %b: i1) {
  // expected-error @+1 {{has a body that yields a value: yield nothing}}
  graph.forall vertices(%g) do (%v) {
    graph.yield %b
  }
  return
}

// -----

func.func @filter_writes(%g: !graph.graph, %p: !graph.property<vertex, i1>, %b: i1) {
  // expected-error @+1 {{has a filter that changes something: move that into the body}}
  graph.forall vertices(%g) where (%v) {
    graph.store %b, %p[%v] : !graph.property<vertex, i1>
    graph.yield %b
  } do (%v) {
  }
  return
}

// -----

func.func @which(%f: !graph.cell<i1>, %p: !graph.property<vertex, i1>) {
  // expected-error @+1 {{a fixed point is reached when 'none' or 'all' have the property}}
  graph.fixed_point %f until some %p : !graph.property<vertex, i1> {
  }
  return
}

// -----

func.func @all(%f: !graph.cell<i1>) {
  // expected-error @+1 {{ends when all have a property, but names none: name one}}
  "graph.fixed_point"(%f) <{all}> ({
    graph.yield
  }) : (!graph.cell<i1>) -> ()
  return
}

// -----

func.func @yields(%f: !graph.cell<i1>, %b: i1) {
  // expected-error @+1 {{yields a value: set the variable instead}}
  graph.fixed_point %f {
    graph.yield %b
  }
  return
}

// -----

// expected-error @+1 {{has values of type 'i8'}}
func.func private @lists(!graph.list<i8>)

// -----

func.func @sum(%l: !graph.list<i1>, %i: i64, %b: i1) {
  // expected-error @+1 {{cannot form the sum of values of type 'i1'}}
  graph.list_reduce sum %l[%i], %b : <i1>
  return
}

// -----

func.func private @take(!graph.list<i32>)
func.func @kept(%l: !graph.list<!graph.list<i32>>, %i: i64) {
  // expected-error @+1 {{takes a list out of a list for 'func.call', which might keep it: copy it to a separate list}}
  %inner = graph.list_get %l[%i] : <!graph.list<i32>>
  func.call @take(%inner) : (!graph.list<i32>) -> ()
  return
}

// -----

func.func @changed(%l: !graph.list<!graph.list<i32>>, %i: i64, %n: i32) {
  // expected-error @+1 {{takes a list out of a list, which may have changed before 'graph.list_push' uses it: take it out there}}
  %inner = graph.list_get %l[%i] : <!graph.list<i32>>
  graph.list_pop %l : <!graph.list<i32>>
  graph.list_push %n, %inner : <i32>
  return
}

// -----

func.func @elsewhere(%l: !graph.list<!graph.list<i32>>, %i: i64, %n: i32, %b: i1) {
  // expected-error @+1 {{takes a list out of a list, and another block uses it: take it out there}}
  %inner = graph.list_get %l[%i] : <!graph.list<i32>>
  scf.if %b {
    graph.list_push %n, %inner : <i32>
  }
  return
}

// -----

func.func @accumulated(%c: !graph.cell<i1>, %b: i1) {
  // expected-error @+1 {{cannot form the sum of values of type 'i1'}}
  graph.accumulate sum %c, %b : <i1>, i1
  return
}

// -----

func.func @accumulated_with(%c: !graph.cell<i32>, %d: !graph.cell<i32>, %n: i32) {
  // expected-error @+1 {{has companions: only min and max have them}}
  graph.accumulate sum %c, %n with(%d = %n : !graph.cell<i32> = i32) : <i32>, i32
  return
}

// -----

func.func @unknown(%p: !graph.property<vertex, i32>, %v: !graph.vertex) {
  // expected-error @+1 {{has the attribute 'graph.remembered', which the graph dialect does not know: drop it, or declare it in GraphBase.td}}
  %x = graph.load %p[%v] {graph.remembered} : !graph.property<vertex, i32>
  return
}

// -----

func.func @type(%p: !graph.property<vertex, i32>, %v: !graph.vertex) {
  // expected-error @+1 {{has the attribute 'graph.copied' of the wrong type: expected a unit}}
  %x = graph.load %p[%v] {graph.copied = true} : !graph.property<vertex, i32>
  return
}

// -----

func.func @copied(%p: !graph.property<vertex, i32>, %v: !graph.vertex, %x: i32) {
  // expected-error @+1 {{has the attribute 'graph.copied', which belongs on a graph.degree, graph.load or graph.reduce: drop it}}
  graph.store %x, %p[%v] {graph.copied} : !graph.property<vertex, i32>
  return
}

// -----

func.func @combined(%p: !graph.property<vertex, i32>, %v: !graph.vertex) {
  // expected-error @+1 {{has the attribute 'graph.combined', which belongs on a graph.reduce or graph.store: drop it}}
  %x = graph.load %p[%v] {graph.combined} : !graph.property<vertex, i32>
  return
}

// -----

func.func @balanced() {
  // expected-error @+1 {{has the attribute 'graph.balanced', which belongs on a function: drop it}}
  return {graph.balanced}
}

// -----

// expected-error @+1 {{has the attribute 'graph.name', which belongs on an argument of a function: drop it}}
func.func private @name() attributes {graph.name = "f"}

// -----

// expected-error @+1 {{has the attribute 'graph.name' of the wrong type: expected a string}}
func.func private @argument(i32 {graph.name})

// -----

// expected-error @+1 {{has the attribute 'graph.local' on an argument: drop it}}
func.func private @argument(i32 {graph.local})

// -----

// expected-error @+1 {{has the attribute 'graph.name' on a result: drop it}}
func.func private @result() -> (i32 {graph.name = "r"})

// -----

func.func @aggregated() {
  // expected-error @+1 {{has the attribute 'graph.aggregated', which belongs on a graph.fixed_point: drop it}}
  return {graph.aggregated}
}

// -----

func.func @joins() {
  // expected-error @+1 {{has the attribute 'graph.joins', which belongs on a graph.fixed_point: drop it}}
  return {graph.joins}
}

// -----

func.func @prioritized() {
  // expected-error @+1 {{has the attribute 'graph.prioritized', which belongs on a graph.fixed_point: drop it}}
  return {graph.prioritized}
}

// -----

func.func @pulls() {
  // expected-error @+1 {{has the attribute 'graph.pulls', which belongs on a graph.fixed_point or graph.levels: drop it}}
  return {graph.pulls}
}

// -----

func.func @by_degree() {
  // expected-error @+1 {{has the attribute 'graph.by_degree', which belongs on a graph.forall: drop it}}
  return {graph.by_degree}
}

// -----

func.func @cached() {
  // expected-error @+1 {{has the attribute 'graph.cached', which belongs on a graph.forall: drop it}}
  return {graph.cached}
}

// -----

func.func @changes() {
  // expected-error @+1 {{has the attribute 'graph.changes', which belongs on a graph.forall: drop it}}
  return {graph.changes}
}

// -----

func.func @gathered() {
  // expected-error @+1 {{has the attribute 'graph.gathered', which belongs on a graph.forall: drop it}}
  return {graph.gathered}
}

// -----

func.func @overlapped() {
  // expected-error @+1 {{has the attribute 'graph.overlapped', which belongs on a graph.forall: drop it}}
  return {graph.overlapped}
}

// -----

func.func @immediate() {
  // expected-error @+1 {{has the attribute 'graph.immediate', which belongs on a graph.reduce: drop it}}
  return {graph.immediate}
}

// -----

func.func @local() {
  // expected-error @+1 {{has the attribute 'graph.local', which belongs on a graph.load: drop it}}
  return {graph.local}
}

// -----

func.func @tracked() {
  // expected-error @+1 {{has the attribute 'graph.tracked', which belongs on a graph.property: drop it}}
  return {graph.tracked}
}
