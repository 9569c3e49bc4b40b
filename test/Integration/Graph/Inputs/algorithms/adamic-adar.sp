// The Adamic-Adar index of each edge.
function adamic(Graph g, propEdge<double> score) {
  forall (u in g.nodes()) {
    forall (v in g.neighbors(u)) {
      edge e = g.get_edge(u, v);
      double s = 0.0;
      forall (w in g.neighbors(u)) {
        if (g.is_an_edge(v, w) && w != v) { s += 1 / log(g.count_outNbrs(w)); }
      }
      e.score = s;
    }
  }
}
