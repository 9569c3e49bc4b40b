function pagerank(Graph g, double damping, double tolerance, int maxIter, propNode<double> rank) {
  double n = g.num_nodes();
  propNode<double> next;
  g.attachNodeProperty(rank = 1.0 / n, next = 0);
  int iterations = 0;
  double change = 1;
  while (change > tolerance && iterations < maxIter) {
    double dangling = 0;
    change = 0;
    forall (v in g.nodes()) {
      if (g.count_outNbrs(v) == 0) { dangling += v.rank; }
    }
    forall (v in g.nodes()) {
      double sum = 0;
      for (u in g.nodes_to(v)) { sum += u.rank / g.count_outNbrs(u); }
      v.next = (1.0 - damping) / n + damping * (sum + dangling / n);
      change += fabs(v.next - v.rank);
    }
    rank = next;
    iterations++;
  }
  return iterations;
}
