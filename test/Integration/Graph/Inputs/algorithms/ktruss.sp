// The k-truss: edges that are in at least k - 2 triangles of the remaining graph.
function ktruss(Graph g, int k, propEdge<bool> alive, propEdge<int> support) {
  g.attachEdgeProperty(alive = True);
  bool changed = True;
  while (changed) {
    changed = False;
    g.attachEdgeProperty(support = 0);
    forall (v in g.nodes()) {
      forall (u in g.neighbors(v)) {
        edge e = g.get_edge(v, u);
        if (e.alive) {
          forall (w in g.neighbors(v)) {
            edge f = g.get_edge(v, w);
            if (f.alive && g.is_an_edge(u, w)) {
              edge h = g.get_edge(u, w);
              if (h.alive) { e.support += 1; }
            }
          }
        }
      }
    }
    forall (e in g.edges()) {
      if (e.alive && e.support < k - 2) {
        e.alive = False;
        changed = True;
      }
    }
  }
  int left = 0;
  forall (e in g.edges()) { if (e.alive) { left++; } }
  return left / 2;
}
