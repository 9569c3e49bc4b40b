function vertices(Graph g, propNode<int> a, propNode<int> b, propEdge<int> weight, propNode<node> who, node src, int k) {
  propEdge<int> x;
  propEdge<bool> flag;
  forall (v in g.nodes()) {
    v.a = g.count_outNbrs(v);
    v.b = 0;
  }
  src.a += k;
  src.b = src.a * 2;
  int best = 0;
  node bestNode = src;
  int lost = 0;
  forall (v in g.nodes()) {
    <best, bestNode> = <Max(best, v.a), v>;
    lost += v.a;
  }
  bestNode.b = best;
  forall (v in g.nodes()) {
    forall (n in g.neighbors(v)) {
      edge e = g.get_edge(v, n);
      e.x = e.weight + n.a;
      forall (m in g.neighbors(n)) {
        if (m.a > v.a) {
          m.b += 1;
        }
      }
    }
  }
  int total = 0;
  forall (v in g.nodes()) {
    forall (u in g.nodes_to(v)) {
      edge e = g.get_edge(u, v);
      total += e.x + e.weight;
    }
  }
  forall (v in g.nodes()) {
    v.who = v;
  }
  forall (v in g.nodes()) {
    forall (n in g.neighbors(v)) {
      <n.a, n.who> = <Max(n.a, v.b), v>;
    }
  }
  return total + lost;
}
