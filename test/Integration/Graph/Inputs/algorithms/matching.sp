// A maximal matching: each free vertex proposes to its least free neighbor, which accepts the least proposer.
function matching(Graph g, propNode<node> mate) {
  propNode<node> proposal;
  propNode<node> accepted;
  g.attachNodeProperty(mate = -1);
  bool again = True;
  int size = 0;
  while (again) {
    again = False;
    g.attachNodeProperty(proposal = -1, accepted = INT_MAX);
    forall (v in g.nodes().filter(mate == -1)) {
      node best = g.num_nodes();
      for (u in g.neighbors(v)) {
        if (u.mate == -1 && u != v && u < best) { best = u; }
      }
      if (best < g.num_nodes()) { v.proposal = best; again = True; }
    }
    forall (v in g.nodes().filter(proposal != -1)) {
      node to = v.proposal;
      to.accepted = Min(to.accepted, v);
    }
    for (v in g.nodes()) {
      if (v.mate == -1 && v.accepted < g.num_nodes()) {
        node w = v.accepted;
        if (w.mate == -1) {
          v.mate = w;
          w.mate = v;
          size++;
        }
      }
    }
  }
  return size;
}
