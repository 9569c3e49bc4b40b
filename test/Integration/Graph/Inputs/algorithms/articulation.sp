function visit(Graph g, node v, node parent, propNode<int> when, propNode<int> low, propNode<bool> cut, int now) {
  v.when = now;
  v.low = now;
  now++;
  int children = 0;
  for (n in g.neighbors(v)) {
    if (n.when == -1) {
      children++;
      now = visit(g, n, v, when, low, cut, now);
      v.low = min(v.low, n.low);
      if (parent != -1 && n.low >= v.when) v.cut = True;
    } else if (n != parent) {
      v.low = min(v.low, n.when);
    }
  }
  if (parent == -1 && children > 1) v.cut = True;
  return now;
}
function articulation(Graph g, propNode<bool> cut) {
  propNode<int> when; propNode<int> low;
  g.attachNodeProperty(when = -1, low = -1, cut = False);
  int now = 0;
  for (v in g.nodes()) {
    if (v.when == -1) now = visit(g, v, -1, when, low, cut, now);
  }
}
