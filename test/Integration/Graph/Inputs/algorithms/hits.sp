function hits(Graph g, int rounds, propNode<double> hub, propNode<double> authority) {
  g.attachNodeProperty(hub = 1.0, authority = 1.0);
  for (int i = 0; i < rounds; i++) {
    double norm = 0;
    forall (v in g.nodes()) {
      double sum = 0;
      for (u in g.nodes_to(v)) { sum += u.hub; }
      v.authority = sum;
      norm += sum * sum;
    }
    norm = sqrt(norm);
    forall (v in g.nodes()) { v.authority = v.authority / norm; }
    norm = 0;
    forall (v in g.nodes()) {
      double sum = 0;
      for (w in g.neighbors(v)) { sum += w.authority; }
      v.hub = sum;
      norm += pow(sum, 2);
    }
    forall (v in g.nodes()) { v.hub = v.hub / sqrt(norm); }
  }
}
