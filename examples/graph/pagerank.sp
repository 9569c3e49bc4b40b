// PageRank: vertices without out-edges give their rank to all.
function pagerank(Graph g, propNode<double> rank, double damping, double tolerance, int rounds) {
  double n = g.num_nodes();
  propNode<double> next;
  g.attachNodeProperty(rank = 1 / n);
  int round = 0;
  double change = INF;
  while (change > tolerance && round < rounds) {
    double dangling = 0;
    change = 0;
    forall (v in g.nodes().filter(g.count_outNbrs(v) == 0)) {
      dangling += v.rank;
    }
    forall (v in g.nodes()) {
      double sum = 0;
      forall (nbr in g.nodes_to(v)) {
        sum += nbr.rank / g.count_outNbrs(nbr);
      }
      double value = (1 - damping) / n + damping * (sum + dangling / n);
      change += abs(value - v.rank);
      v.next = value;
    }
    rank = next;
    round++;
  }
  return round;
}
