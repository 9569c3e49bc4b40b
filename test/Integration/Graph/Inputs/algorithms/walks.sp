// Random walks from the vertices of a set, with seeds; visits are counted.
function walk(Graph g, SetN<g> starts, int length, int seed, propNode<int> visits) {
  g.attachNodeProperty(visits = 0);
  for (s in starts) {
    node at = s;
    long state = seed + s;
    int i = 0;
    while (i < length) {
      at.visits += 1;
      int degree = g.count_outNbrs(at);
      if (degree == 0) { break; }
      state = (state * 1103515245 + 12345) % 2147483648;
      long pick = (state / 65536) % degree;
      int k = 0;
      node next = at;
      for (n in g.neighbors(at)) {
        if (k == pick) { next = n; }
        k++;
      }
      at = next;
      i++;
    }
  }
}
