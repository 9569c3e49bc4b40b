function triangles(Graph g, propNode<long> mine) {
  long total = 0;
  forall (v in g.nodes()) {
    forall (u in g.neighbors(v).filter(u > v)) {
      forall (w in g.neighbors(u).filter(w > u)) {
        if (g.is_an_edge(v, w)) {
          total += 1;
          v.mine += 1;
          u.mine += 1;
          w.mine += 1;
        }
      }
    }
  }
  return total;
}
