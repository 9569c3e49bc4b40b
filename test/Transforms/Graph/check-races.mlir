// RUN: comm-opt %s -graph-check-races -verify-diagnostics --split-input-file
// RUN: not comm-opt %s -graph-check-races --split-input-file 2>/dev/null

// A neighbor's mark is read while it sets it: the error names both places.
func.func @read_write(%g: !graph.graph, %p: !graph.property<vertex, i1> {graph.name = "mark"}, %b: i1) {
  // expected-note @+1 {{the forall is here}}
  graph.forall vertices(%g) do (%v) {
    graph.forall ordered out_neighbors(%g, %v) do (%w, %e) {
      // expected-note @+1 {{it is read here}}
      %x = graph.load %p[%w] : !graph.property<vertex, i1>
    }
    // expected-error @+1 {{a race: 'mark' is written here, and read in another iteration of the forall: make it a reduction (+=, Min, ...), write another property}}
    graph.store %b, %p[%v] : !graph.property<vertex, i1>
  }
  return
}

// -----

// The target of an addition is read: it may contain a partial sum.
func.func @read_sum(%g: !graph.graph, %p: !graph.property<vertex, i32> {graph.name = "sum"}, %n: i32) {
  // expected-note @+1 {{the forall is here}}
  graph.forall vertices(%g) do (%v) {
    // expected-note @+1 {{it is read here}}
    %x = graph.load %p[%v] : !graph.property<vertex, i32>
    graph.forall ordered out_neighbors(%g, %v) do (%w, %e) {
      // expected-error @+1 {{'sum' is reduced by sum here, and read in another iteration}}
      graph.reduce sum %p[%w], %x : !graph.property<vertex, i32>, i32
    }
  }
  return
}

// -----

// Two iterations write different values, and one statement is enough for it.
func.func @write_write(%g: !graph.graph, %p: !graph.property<vertex, !graph.vertex>, %u: !graph.vertex) {
  // expected-note @+1 {{the forall is here}}
  graph.forall vertices(%g) do (%v) {
    // expected-error @+1 {{a race: what is written here, and written in another iteration}}
    graph.store %v, %p[%u] : !graph.property<vertex, !graph.vertex>
  }
  return
}

// -----

// No races: a minimum that is read, sums that are not, one constant, the own vertex, children of a level.
func.func @fine(%g: !graph.graph, %p: !graph.property<vertex, i32>, %q: !graph.property<vertex, i1>,
                %r: !graph.property<vertex, i32>, %root: !graph.vertex, %c: !graph.cell<i32>) {
  %true = arith.constant true
  graph.forall vertices(%g) do (%v) {
    %x = graph.load %p[%v] : !graph.property<vertex, i32>
    graph.accumulate sum %c, %x : !graph.cell<i32>, i32
    graph.forall out_neighbors(%g, %v) do (%w, %e) {
      graph.reduce min %p[%w], %x : !graph.property<vertex, i32>, i32
      graph.store %true, %q[%w] : !graph.property<vertex, i1>
    }
    graph.store %x, %r[%v] : !graph.property<vertex, i32>
  }
  %l = graph.levels %g from %root
  graph.forall levels(%l) do (%v) {
    graph.forall children(%l, %v) do (%w, %e) {
      %x = graph.load %r[%v] : !graph.property<vertex, i32>
      graph.reduce sum %r[%w], %x : !graph.property<vertex, i32>, i32
    }
  }
  return
}

// -----

// Values that a minimum sets along with it are read as they were before the loop. A second operation that writes them
// is a race.
func.func @companion_written(%g: !graph.graph, %d: !graph.property<vertex, i32>,
                             %h: !graph.property<vertex, i32> {graph.name = "hops"}, %n: i32) {
  // expected-note @+1 {{the forall is here}}
  graph.forall vertices(%g) do (%v) {
    %x = graph.load %h[%v] : <vertex, i32>
    graph.forall out_neighbors(%g, %v) do (%w, %e) {
      // expected-note @+1 {{it is written here}}
      graph.reduce min %d[%w], %n with(%h = %x : !graph.property<vertex, i32> = i32) : <vertex, i32>, i32
    }
    // expected-error @+1 {{a race: 'hops' is written here, and written in another iteration}}
    graph.store %n, %h[%v] : <vertex, i32>
  }
  return
}

// -----

// Both loops have the race; the outer one reports it.
func.func @nested(%g: !graph.graph, %d: !graph.property<vertex, i32> {graph.name = "d"}) {
  // expected-note @+1 {{the forall is here}}
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%w, %e) {
      // expected-note @+1 {{it is read here}}
      %x = graph.load %d[%v] : <vertex, i32>
      // expected-error @+1 {{a race: 'd' is written here, and read in another iteration}}
      graph.store %x, %d[%w] : !graph.property<vertex, i32>
    }
  }
  return
}

// -----

// There are many levels, so there is no copy for each.
func.func @companion_of_level(%g: !graph.graph, %d: !graph.property<vertex, i32>,
                              %h: !graph.property<vertex, i32> {graph.name = "hops"}, %n: i32, %root: !graph.vertex) {
  %l = graph.levels %g from %root
  // expected-note @+1 {{the forall is here}}
  graph.forall levels(%l) do (%v) {
    graph.forall ordered out_neighbors(%g, %v) do (%w, %e) {
      // expected-note @+1 {{it is read here}}
      %x = graph.load %h[%v] : <vertex, i32>
      // expected-error @+1 {{a race: 'hops' is written here, and read in another iteration}}
      graph.reduce min %d[%w], %n with(%h = %x : !graph.property<vertex, i32> = i32) : <vertex, i32>, i32
    }
  }
  return
}

// -----

func.func @companion_read(%g: !graph.graph, %d: !graph.property<vertex, i32>, %h: !graph.property<vertex, i32>, %n: i32) {
  graph.forall vertices(%g) do (%v) {
    graph.forall out_neighbors(%g, %v) do (%w, %e) {
      %x = graph.load %h[%v] : <vertex, i32>
      graph.reduce min %d[%w], %n with(%h = %x : !graph.property<vertex, i32> = i32) : <vertex, i32>, i32
    }
  }
  return
}
