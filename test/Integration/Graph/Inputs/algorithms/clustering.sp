function clustering(Graph g, propNode<double> coefficient) {
  double sum = 0;
  forall (v in g.nodes()) {
    int links = 0;
    forall (u in g.neighbors(v)) {
      forall (w in g.neighbors(v).filter(w > u)) {
        if (g.is_an_edge(u, w)) { links++; }
      }
    }
    int d = g.count_outNbrs(v);
    if (d > 1) { v.coefficient = 2.0 * links / (d * (d - 1)); }
    sum += v.coefficient;
  }
  return sum / g.num_nodes();
}
