// Like the suite's program, computes in float, and vertices without out-edges give their rank to nobody.
// examples/graph/pagerank.sp computes in double, and they give it to all.
function pagerank(Graph g, propNode<float> rank, float damping, double tolerance, int rounds) {
  float n = g.num_nodes();
  float base = (1 - damping) / n;
  propNode<float> next;
  g.attachNodeProperty(rank = 1 / n);
  int round = 0;
  double change = INF;
  while (change > tolerance && round < rounds) {
    change = 0;
    forall (v in g.nodes()) {
      float sum = 0;
      forall (nbr in g.nodes_to(v)) {
        sum += nbr.rank / g.count_outNbrs(nbr);
      }
      float value = base + damping * sum;
      change += abs(value - v.rank);
      v.next = value;
    }
    rank = next;
    round++;
  }
  return round;
}
