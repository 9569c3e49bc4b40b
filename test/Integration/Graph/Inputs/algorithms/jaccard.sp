function jaccard(Graph g, node a, propNode<float> sim) {
  propNode<bool> near;
  forall (n in g.neighbors(a)) { n.near = True; }
  int da = g.count_outNbrs(a);
  forall (v in g.nodes()) {
    int common = 0;
    for (n in g.neighbors(v)) { if (n.near) common++; }
    int all = da + g.count_outNbrs(v) - common;
    if (all > 0) v.sim = (float) common / all; else v.sim = 0;
  }
}
