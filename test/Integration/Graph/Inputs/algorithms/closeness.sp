// Closeness (Wasserman and Faust) of all vertices, with a search from each.
function closeness(Graph g, propNode<double> closeness) {
  int n = g.num_nodes();
  propNode<int> dist;
  for (s in g.nodes()) {
    g.attachNodeProperty(dist = -1);
    s.dist = 0;
    iterateInBFS (v in g.nodes() from s) {
      for (w in g.neighbors(v)) { w.dist = Max(w.dist, v.dist + 1); }
    }
    long sum = 0;
    int reached = 0;
    forall (v in g.nodes().filter(dist > 0)) {
      sum += v.dist;
      reached += 1;
    }
    if (sum > 0) { s.closeness = 1.0 * reached / sum * reached / (n - 1); }
  }
}
