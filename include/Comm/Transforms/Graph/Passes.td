//===- Passes.td - Passes over the graph dialect -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_GRAPH_PASSES_TD
#define COMM_TRANSFORMS_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphCheckRaces : Pass<"graph-check-races"> {
  let summary = "Reject foralls whose iterations race";
  let description = [{
    It is an error if an iteration of a `graph.forall` reads or writes a value that another one may write, or reads a
    value that another one reduces: the outcome would depend on their order. The error names both places. These are not
    races: reductions of one kind; reads of a value that is reduced with `min`, `max`, `and` or `or`, or, outside of
    levels, of a companion that such a reduction sets; writes of one constant; and accesses to the iteration's own
    vertex, edge or variables.

    With `serialize`, such a loop becomes `ordered`, with a warning: its iterations run one after another.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      %n = graph.load %mark[%w] : !graph.property<vertex, i1>
      graph.store %true, %mark[%v] : !graph.property<vertex, i1>   // error: another iteration's %v may be %w
    }
    ```
  }];
  let options = [
    Option<"serialize", "serialize", "bool", /*default=*/"false", "run the iterations of such loops in order">,
  ];
  let statistics = [Statistic<"numRaces", "num-races", "Number of loops with races">];
}

def GraphKeepCompanions : Pass<"graph-keep-companions"> {
  let summary = "Make loops read the original values of companions";
  let description = [{
    Iterations of a `graph.forall` read a companion, a value that a reduction of the same forall sets together with its
    own, as it was at the beginning of the loop. This pass redirects such reads to a copy that is created before the
    loop. It expects that `graph-check-races` has found no race.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %far = graph.load %hops[%v] : <vertex, i32>          // becomes graph.load %copy[%v]
        graph.reduce min %dist[%n], %d with(%hops = %far : !graph.property<vertex, i32> = i32) : <vertex, i32>, i32
      }
    }
    ```
  }];
  let statistics = [Statistic<"numKept", "num-kept", "Number of properties that are copied for a loop">];
}

def GraphSelectFunction : Pass<"graph-select-function", "::mlir::ModuleOp"> {
  let summary = "Choose the main function of the program";
  let description = [{
    All other functions become private, so that `inline` and `symbol-dce` leave only this function and recursive ones,
    which are marked `no_inline`. Without a name, the pass chooses the function that no other function calls; it is an
    error if there are none or several.

    ```mlir
    func.func private @helper(%v: !graph.vertex)   // was public
    func.func @main(%g: !graph.graph)              // calls @helper
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"\"", "the function's name">,
  ];
}

def GraphReorderNeighborhoods : Pass<"graph-reorder-neighborhoods"> {
  let summary = "Use the edges that loops over neighbors provide";
  let description = [{
    In a loop over a vertex's out-neighbors, a search for the edge from the vertex to its neighbor is replaced by the
    edge that the loop provides (StarDist, section IV and figure 4).

    ```mlir
    graph.forall out_neighbors(%g, %v) do (%neighbor, %edge) {
      %e = graph.find_edge %g, %v, %neighbor   // is %edge
    }
    ```
  }];
  let statistics = [Statistic<"numSearches", "num-searches", "Number of searches replaced">];
}

def GraphTrackFrontiers : Pass<"graph-track-frontiers"> {
  let summary = "Let filters visit only vertices for which they are true";
  let description = [{
    A boolean property that filters a loop over all vertices, and properties that are copied to it, get the attribute
    `graph.tracked`: the lowering then keeps a list of the vertices for which it is true, as long as the list is short.
    Parameters of the function have no list.

    ```mlir
    %active = graph.property %g {graph.tracked} : <vertex, i1>
    graph.forall vertices(%g) where (%v) {
      %x = graph.load %active[%v] : <vertex, i1>
      graph.yield %x
    } do (%v) {
    }
    ```
  }];
  let statistics = [Statistic<"numTracked", "num-tracked", "Number of properties with a list">];
}

def GraphReadLocally : Pass<"graph-read-locally"> {
  let summary = "Read a process's own values from its arrays";
  let description = [{
    Reads in loops whose iterations are distributed over processes get the attribute `graph.local`: values of the
    iteration's own vertex and its edges are loaded from the process's arrays, and for any other vertex, the code first
    checks whether this process owns it. Reads without the attribute ask the runtime for each value, like a get
    (StarDist, section IV).

    ```mlir
    graph.forall vertices(%g) do (%v) {
      %x = graph.load %dist[%v] {graph.local} : <vertex, i32>
    }
    ```
  }];
  let statistics = [Statistic<"numLocal", "num-local", "Number of reads">];
}

def GraphCopyBorders : Pass<"graph-copy-borders"> {
  let summary = "Read and update neighbors of other processes in copies";
  let description = [{
    Reads of neighbors (values, degrees) get the attribute `graph.copied`: neighbors of other processes have copies
    (ghosts), which are refreshed before the loop if they are out of date. Reductions of vertices get the attribute as
    well: they combine into the copy, and values that would not change it are not sent. Reads without the attribute are
    fetched while the loop runs, and reductions without it are combined in a table.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %x = graph.load %dist[%n] {graph.copied} : <vertex, i32>
      }
    }
    ```
  }];
  let statistics = [Statistic<"numCopied", "num-copied", "Number of reads and reductions">];
}

def GraphSendChanges : Pass<"graph-send-changes"> {
  let summary = "Send only those copied values that changed";
  let description = [{
    Loops that read neighbors in copies get the attribute `graph.changes`: before the loop, only values that changed
    since they were last sent are sent, together with a bitset or their positions, whichever is smaller, unless most of
    them changed. Without the attribute, all values of the border are sent. Expects the attributes of
    `graph-copy-borders`.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        %x = graph.load %p[%n] {graph.copied} : <vertex, i32>
      }
    } attributes {graph.changes}
    ```
  }];
  let statistics = [Statistic<"numLoops", "num-loops", "Number of loops">];
}

def GraphCacheReads : Pass<"graph-cache-reads"> {
  let summary = "Fetch values of other processes once per loop";
  let description = [{
    Loops whose iterations are distributed over processes get the attribute `graph.cached`: values that one iteration
    has fetched are available to the others until the loop ends, and edges of other processes' vertices beyond that.
    StarDist allows this if the loop does not update the property (definition 2). Here, a loop that updates it reads the
    values from its beginning, so caching is always allowed. Without the attribute, each iteration fetches its own
    values, and the next loop fetches edges again.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      %w = graph.load %p[%v] : <vertex, !graph.vertex>
      %x = graph.load %q[%w] : <vertex, i32>               // for all iterations with this %w
      graph.store %x, %r[%v] : <vertex, i32>
    } attributes {graph.cached}
    ```
  }];
  let statistics = [Statistic<"numCached", "num-cached", "Number of loops">];
}

def GraphCombineUpdates : Pass<"graph-combine-updates"> {
  let summary = "Combine updates before they are sent";
  let description = [{
    Reductions and writes in loops whose iterations are distributed over processes get the attribute `graph.combined`:
    the sender combines those of one vertex or edge and sends a single record. Without the attribute, each one is a
    record, and the owner combines them. Floating-point sums are then rounded in a different order.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        graph.reduce sum %q[%n], %x {graph.combined} : <vertex, i32>, i32
      }
      graph.store %true, %r[%far] {graph.combined} : <vertex, i1>
    }
    ```
  }];
  let statistics = [Statistic<"numCombined", "num-combined", "Number of updates">];
}

def GraphApplyLocally : Pass<"graph-apply-locally"> {
  let summary = "Apply monotonic updates of own vertices immediately";
  let description = [{
    Minima, maxima, `and` and `or` of vertices and edges get the attribute `graph.immediate`: if the process owns the
    vertex, its value changes immediately instead of being queued like values to send (StarDist, *short circuiting
    reduction*). Without the attribute, they wait until the loop ends, unless the loop reads the values that they
    change. Fixed points run in any order (`graph-aggregate-pulses`) only with the attribute, because a process
    continues with the values that it has updated.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        graph.reduce min %p[%n], %x {graph.immediate} : <vertex, i32>, i32
        graph.reduce sum %q[%n], %x : <vertex, i32>, i32
      }
    }
    ```
  }];
  let statistics = [Statistic<"numImmediate", "num-immediate", "Number of reductions">];
}

def GraphBalanceEdges : Pass<"graph-balance-edges"> {
  let summary = "Distribute edges evenly over processes";
  let description = [{
    The program gets the attribute `graph.balanced`: its graph is divided into ranges with the same total number of
    vertices and edges. Without the attribute, ranges have the same number of vertices, regardless of their edges.

    ```mlir
    func.func @reads(%g: !graph.graph, %p: !graph.property<vertex, i32>)
    // becomes
    func.func @reads(%g: !graph.graph, %p: !graph.property<vertex, i32>) attributes {graph.balanced}
    ```
  }];
}

def GraphAggregatePulses : Pass<"graph-aggregate-pulses"> {
  let summary = "Let processes proceed on their own in monotonic fixed points";
  let description = [{
    If changed vertices send values to their neighbors in a fixed point, and a minimum or maximum combines these values,
    the fixed point ends with the same values in any order (StarDist, Lemma 1). It gets the attribute
    `graph.aggregated`: each process then iterates on its own as far as it can before it sends anything.

    Companions that differ, such as the predecessor on a shortest path, are those of the round in which the value first
    arrives. They are allowed if that round can be determined: for minima of 32-bit sums.

    Expects that the reduction is immediate (`graph-apply-locally`), and that the neighbors that it reads are copied
    (`graph-copy-borders`).

    ```mlir
    graph.fixed_point %done until none %active : !graph.property<vertex, i1> {
      graph.forall vertices(%g) where (%v) {
        %x = graph.load %active[%v] : <vertex, i1>
        graph.yield %x
      } do (%v) {
        graph.forall out_neighbors(%g, %v) do (%n, %e) {
          %d = graph.load %dist[%v] : <vertex, i32>
          %w = graph.load %weight[%e] : <edge, i32>
          %sum = graph.checked add %d, %w : i32
          graph.reduce min %dist[%n], %sum with(%next = %true : !graph.property<vertex, i1> = i1) {graph.immediate} : <vertex, i32>, i32
        }
      }
      graph.copy %next to %active : <vertex, i1>
      graph.fill %next, %false : <vertex, i1>
    } attributes {graph.aggregated}
    ```
  }];
  let statistics = [Statistic<"numAggregated", "num-aggregated", "Number of fixed points">];
}

def GraphOrderByPriority : Pass<"graph-order-by-priority"> {
  let summary = "Process the best values first";
  let description = [{
    In an aggregated fixed point that adds to a value before it passes it to a neighbor, vertices with the smallest
    values (the largest ones for a maximum) come first, in buckets: the values that they send are more often final
    (delta stepping). The fixed point gets the attribute `graph.prioritized`.

    ```mlir
    graph.fixed_point %f until none %active : !graph.property<vertex, i1> {
      // for each active vertex %v, and its out-neighbors %n with the edge %e:
      %a = graph.load %d[%v] : <vertex, i32>
      %b = graph.load %w[%e] : <edge, i32>
      %c = graph.checked add %a, %b : i32
      graph.reduce min %d[%n], %c with(%next = %true : !graph.property<vertex, i1> = i1) {graph.immediate} : <vertex, i32>, i32
      // ...
    } attributes {graph.aggregated, graph.prioritized}
    ```
  }];
  let statistics = [Statistic<"numPrioritized", "num-prioritized", "Number of fixed points">];
}

def GraphChooseDirection : Pass<"graph-choose-direction"> {
  let summary = "Let neighbors pull from changed vertices if there are many";
  let description = [{
    An aggregated fixed point in which a vertex sends the same value to all its neighbors gets the attribute
    `graph.pulls`: if all changed vertices have one value and many edges, vertices with worse values look for a changed
    neighbor instead. So does the search for levels (`graph.levels`): if the vertices of a level have many edges,
    vertices without a level look for a neighbor in that level.

    ```mlir
    graph.fixed_point %f until none %active : !graph.property<vertex, i1> {
      // for each active vertex %v:
      %a = graph.load %d[%v] : <vertex, i32>
      %c = graph.checked add %a, %one : i32
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        graph.reduce min %d[%n], %c with(%next = %true : !graph.property<vertex, i1> = i1) {graph.immediate} : <vertex, i32>, i32
      }
      // ...
    } attributes {graph.aggregated, graph.pulls}
    %l = graph.levels %g from %root {graph.pulls}
    ```
  }];
  let statistics = [Statistic<"numPulls", "num-pulls", "Number of fixed points and searches">];
}

def GraphJoinCopies : Pass<"graph-join-copies"> {
  let summary = "Join vertices that take the minimum of their neighbors' numbers";
  let description = [{
    An aggregated fixed point that passes on an unchanged value gets the attribute `graph.joins`. If the graph is
    undirected and each vertex begins with its own number, the result is the smallest number of each component, and
    processes join vertices instead of passing on numbers.

    ```mlir
    graph.fixed_point %f until none %active : !graph.property<vertex, i1> {
      // for each active vertex %v:
      %a = graph.load %d[%v] : <vertex, i32>
      graph.forall out_neighbors(%g, %v) do (%n, %e) {
        graph.reduce min %d[%n], %a with(%next = %true : !graph.property<vertex, i1> = i1) {graph.immediate} : <vertex, i32>, i32
      }
      // ...
    } attributes {graph.aggregated, graph.joins}
    ```
  }];
  let statistics = [Statistic<"numJoins", "num-joins", "Number of fixed points">];
}

def GraphShareTerms : Pass<"graph-share-terms"> {
  let summary = "Compute terms that all edges of a vertex share only once";
  let description = [{
    In a loop over neighbors of all vertices, a term that depends only on the neighbor, such as its rank divided by its
    degree, becomes a property, which a preceding loop over vertices computes. The values are the same, bit for bit.
    Terms that could stop the program stay, because a vertex may not be a neighbor of any other.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      graph.forall in_neighbors(%g, %v) do (%n, %e) {
        %x = graph.load %rank[%n] : <vertex, f64>
        %d = graph.degree out %g, %n : i64
        %r = graph.convert %d : i64 to f64
        %q = arith.divf %x, %r : f64          // becomes graph.load %shared[%n]
        graph.accumulate sum %c, %q : <f64>, f64
      }
    }
    ```
  }];
  let statistics = [Statistic<"numShared", "num-shared", "Number of terms">];
}

def GraphTileGathers : Pass<"graph-tile-gathers"> {
  let summary = "Gather values of neighbors in tiles that fit into the cache";
  let description = [{
    A loop over neighbors that only combines one of their properties in a variable of the vertex gets the attribute
    `graph.gathered` if the loop around it is repeated: the runtime then gathers for all vertices at once, in tiles
    whose values stay in the cache. Floating-point sums are rounded in a different order, so the loop must be unordered.
    Sums of integers stay because they report overflow, and minima of floating-point numbers stay because they skip
    NaNs. The gathered values are read from copies (`graph-copy-borders`).

    ```mlir
    graph.forall vertices(%g) do (%v) {           // in a loop that repeats it
      %sum = graph.cell %zero : <f64>
      graph.forall in_neighbors(%g, %v) do (%n, %e) {
        %x = graph.load %rank[%n] {graph.copied} : <vertex, f64>
        graph.accumulate sum %sum, %x : <f64>, f64
      } attributes {graph.gathered}
      %s = graph.get %sum : <f64>
      graph.store %s, %next[%v] : <vertex, f64>
    }
    ```
  }];
  let statistics = [Statistic<"numGathers", "num-gathers", "Number of loops">];
}

def GraphOverlapGathers : Pass<"graph-overlap-gathers"> {
  let summary = "Let ghosts travel while own vertices are gathered";
  let description = [{
    A gather (`graph.gathered`) gets the attribute `graph.overlapped`: if processes exchange messages (which is checked
    at run time), an operation of the comm dialect exchanges its ghosts, and a separate operation gathers from the
    process's own vertices. Comm's passes then move the wait for the ghosts past this operation, as in any other
    program.

    ```mlir
    graph.forall vertices(%g) do (%v) {           // in a loop that repeats it
      %sum = graph.cell %zero : <f64>
      graph.forall in_neighbors(%g, %v) do (%n, %e) {
        %x = graph.load %rank[%n] {graph.copied} : <vertex, f64>
        graph.accumulate sum %sum, %x : <f64>, f64
      } attributes {graph.gathered, graph.overlapped}
      %s = graph.get %sum : <f64>
      graph.store %s, %next[%v] : <vertex, f64>
    }
    ```
  }];
  let statistics = [Statistic<"numOverlapped", "num-overlapped", "Number of gathers">];
}

def GraphOverlapGhosts : Pass<"graph-overlap-ghosts"> {
  let summary = "Let ghosts travel while iterations run";
  let description = [{
    A loop that is distributed over processes and reads neighbors of its vertices from copies, other than by a gather,
    gets the attribute `graph.interior_first`: if processes exchange messages or puts (which is checked at run time),
    operations of the comm dialect refresh the copies, and iterations of vertices without neighbors on other processes
    follow, which read none. All other iterations come last. Comm's passes then let the first ones run while the values
    travel, as in any other program.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      graph.forall in_neighbors(%g, %v) do (%n, %e) {
        %x = graph.load %d[%n] {graph.copied} : <vertex, i32>
        graph.reduce sum %p[%v], %x {graph.copied} : <vertex, i32>, i32
      }
    } attributes {graph.interior_first}
    ```

    `convert-graph-to-comm` reports where it does so, as for `graph-overlap-updates`. A loop that has both attributes
    runs half of these iterations while ghosts travel, and half while updates do.
  }];
  let statistics = [Statistic<"numOverlapped", "num-overlapped", "Number of loops">];
}

def GraphOverlapUpdates : Pass<"graph-overlap-updates"> {
  let summary = "Let updates travel while iterations continue";
  let description = [{
    A loop that is distributed over processes and updates neighbors of its vertices, all of them in copies, gets the
    attribute `graph.overlapped`: if processes exchange messages (which is checked at run time), iterations of vertices
    with neighbors on other processes come first. Operations of the comm dialect exchange their combined updates, and
    all other iterations, which only update the process's own vertices, follow. Comm's passes then let them run while
    the updates travel, as in any other program.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      graph.forall in_neighbors(%g, %v) do (%n, %e) {
        graph.reduce sum %d[%n], %one {graph.combined, graph.copied} : <vertex, i32>, i32
      }
    } attributes {graph.overlapped}
    ```

    `convert-graph-to-comm` reports where it does so: it determines whether iterations query other processes, which a
    part of a loop cannot do by itself.
  }];
  let statistics = [Statistic<"numOverlapped", "num-overlapped", "Number of loops">];
}

def GraphOrderByDegree : Pass<"graph-order-by-degree"> {
  let summary = "Visit triangles in the order of vertex degrees";
  let description = [{
    A nest of loops that counts triples of adjacent vertices, each in a single order of their numbers, gets the
    attribute `graph.by_degree`. If the graph is undirected (which is checked at run time), the runtime counts them in
    the order of degrees instead: each triangle is visited once in either order, and a vertex of high degree has few
    neighbors of higher degree. This reduces the work by orders of magnitude if degrees vary widely.

    ```mlir
    graph.forall vertices(%g) do (%v) {
      graph.forall out_neighbors(%g, %v) where (%u, %e) {     // u < v
        %lt = arith.cmpi slt, %idU, %idV : i64
        graph.yield %lt
      } do (%u, %e) {
        graph.forall out_neighbors(%g, %v) where (%w, %f) {   // w > v
          %gt = arith.cmpi sgt, %idW, %idV : i64
          graph.yield %gt
        } do (%w, %f) {
          %closed = graph.has_edge %g, %u, %w
          scf.if %closed {
            graph.accumulate sum %count, %one : <i64>, i64
          }
        }
      }
    } attributes {graph.by_degree}
    ```
  }];
  let statistics = [Statistic<"numOrdered", "num-ordered", "Number of nests">];
}

#endif // COMM_TRANSFORMS_GRAPH_PASSES_TD
