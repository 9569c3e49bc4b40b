function sets(Graph g, propNode<int> a, propNode<long> b, propEdge<int> weight, SetN<g> s, node src) {
  forall (v in g.nodes()) {
    v.a = 1;
    v.b = 0;
  }
  forall (v in s) {
    v.a = 5;
    forall (n in g.neighbors(v)) {
      n.b += 7;
    }
  }
  for (v in s) {
    v.b += v.a;
    forall (n in g.neighbors(v)) {
      n.b += v.a;
    }
  }
  for (n in g.neighbors(src)) {
    n.b += 3;
    edge e = g.get_edge(src, n);
    src.b += e.weight;
  }
  for (v in g.nodes()) {
    if (v.b > 10) {
      v.a += 2;
    }
  }
  int pairs = 0;
  forall (v in g.nodes()) {
    forall (u in g.nodes()) {
      if (g.is_an_edge(u, v) && u.a > v.a) {
        pairs += 1;
      }
    }
  }
  bool any = False;
  forall (v in g.nodes()) {
    int i = 0;
    node w = v;
    while (i < 3 && w.a < 3) {
      int next = w + 7;
      if (next >= g.num_nodes()) {
        next -= g.num_nodes();
      }
      w = next;
      i++;
    }
    if (i == 3) {
      any = True;
      w.b += 1;
    }
  }
  long sum = 0;
  forall (v in g.nodes()) {
    sum += v.b;
  }
  if (any) {
    sum += 1000000;
  }
  return sum + pairs;
}
