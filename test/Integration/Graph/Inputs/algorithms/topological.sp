function topo(Graph g, propNode<int> level) {
  propNode<int> left;
  g.attachNodeProperty(level = -1);
  forall (v in g.nodes()) { v.left = g.count_inNbrs(v); }
  int round = 0, done = 0, before = -1;
  while (done != before) {
    before = done;
    propNode<bool> ready;
    forall (v in g.nodes()) { v.ready = v.left == 0 && v.level == -1; }
    forall (v in g.nodes().filter(ready)) {
      v.level = round;
      done++;
      forall (w in g.neighbors(v)) { w.left -= 1; }
    }
    round++;
  }
  if (done < g.num_nodes()) return -1;
  return round - 1;
}
