// Strongly connected components: forward and backward from a pivot, until nothing is left.
function reach(Graph g, node pivot, propNode<bool> done, propNode<bool> seen, bool backward) {
  g.attachNodeProperty(seen = False);
  pivot.seen = True;
  bool again = True;
  while (again) {
    again = False;
    forall (v in g.nodes().filter(done == False)) {
      if (!v.seen) {
        bool found = False;
        if (backward) {
          for (u in g.neighbors(v)) { if (u.seen && !u.done) { found = True; } }
        } else {
          for (u in g.nodes_to(v)) { if (u.seen && !u.done) { found = True; } }
        }
        if (found) { v.seen |= True; again = True; }
      }
    }
  }
}
function scc(Graph g, propNode<int> component) {
  propNode<bool> done;
  propNode<bool> forward;
  propNode<bool> backward;
  g.attachNodeProperty(done = False, component = -1);
  int number = 0;
  for (v in g.nodes()) {
    if (!v.done) {
      reach(g, v, done, forward, False);
      reach(g, v, done, backward, True);
      forall (w in g.nodes()) {
        if (w.forward && w.backward && !w.done) {
          w.component = v;
          w.done = True;
        }
      }
      number++;
    }
  }
  return number;
}
