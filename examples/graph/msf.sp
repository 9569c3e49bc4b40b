// A minimum spanning forest of an undirected graph (Boruvka): each component takes its lightest edge outwards, until
// there is none. Edges of equal weight are distinguished by their vertices, so that no cycle is taken.
function msf(Graph g, propNode<int> component, propEdge<int> weight) {
  propNode<int> lightest;
  propNode<long> between;
  propNode<int> hook;
  propNode<int> next;
  propEdge<bool> taken;
  long n = g.num_nodes();
  long total = 0;
  g.attachEdgeProperty(taken = False);
  forall (v in g.nodes()) {
    v.component = v;
  }
  bool joined = True;
  while (joined) {
    joined = False;
    g.attachNodeProperty(lightest = INF, between = INF);
    // The least weight, and of the edges of that weight the least pair of ends.
    forall (v in g.nodes()) {
      forall (u in g.neighbors(v).filter(u.component != v.component)) {
        edge e = g.get_edge(v, u);
        v.component.lightest = Min(v.component.lightest, e.weight);
      }
    }
    forall (v in g.nodes()) {
      forall (u in g.neighbors(v).filter(u.component != v.component)) {
        edge e = g.get_edge(v, u);
        if (e.weight == v.component.lightest) {
          long low = Min(u, v);
          long high = Max(u, v);
          v.component.between = Min(v.component.between, low * n + high);
        }
      }
    }
    // A component hooks on the one at the other end; of two that chose one edge, the lesser one stays.
    forall (c in g.nodes()) {
      c.hook = c;
      if (c.component == c && c.lightest != INF) {
        long low = c.between / n;
        long high = c.between % n;
        node a = low;
        node b = high;
        int other = a.component;
        if (other == c) {
          other = b.component;
        }
        if (!(other.between == c.between && c < other)) {
          c.hook = other;
          total += c.lightest;
          edge e = g.get_edge(a, b);
          e.taken = True;
          joined = True;
        }
      }
    }
    // Each vertex follows the hooks to the end.
    bool moves = True;
    while (moves) {
      moves = False;
      forall (v in g.nodes()) {
        int far = v.hook.hook;
        v.next = far;
        if (far != v.hook) {
          moves = True;
        }
      }
      hook = next;
    }
    forall (v in g.nodes()) {
      v.next = v.component.hook;
    }
    component = next;
  }
  return total;
}
