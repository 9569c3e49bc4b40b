// Luby's coloring: a maximal independent set of the remaining vertices gets each color.
function luby(Graph g, int seed, propNode<int> color) {
  propNode<long> draw;
  propNode<bool> loses;
  g.attachNodeProperty(color = -1);
  int round = 0;
  int left = g.num_nodes();
  while (left > 0) {
    forall (v in g.nodes()) {
      long x = v + 1;
      x = (x * 48271 + seed + round * 7919) % 2147483647;
      x = (x * 48271) % 2147483647;
      x = (x * 48271) % 2147483647;
      v.draw = x;
      v.loses = False;
    }
    forall (v in g.nodes().filter(color == -1)) {
      for (u in g.neighbors(v)) {
        if (u.color == -1 && (u.draw > v.draw || (u.draw == v.draw && u > v))) { v.loses = True; }
      }
    }
    left = 0;
    forall (v in g.nodes().filter(color == -1)) {
      if (!v.loses) { v.color = round; } else { left++; }
    }
    round++;
  }
  return round;
}
