function triangles_by_marks(Graph g) {
  propNode<int> mark;
  g.attachNodeProperty(mark = -1);
  long total = 0;
  for (v in g.nodes()) {
    forall (u in g.neighbors(v)) { u.mark = v; }
    forall (u in g.neighbors(v).filter(u > v)) {
      forall (w in g.neighbors(u)) {
        if (w > u && w.mark == v) { total++; }
      }
    }
  }
  return total;
}
