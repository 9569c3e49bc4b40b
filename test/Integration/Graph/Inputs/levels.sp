function helper(Graph g, propNode<int> d, node s) {
  forall (v in g.nodes()) {
    v.d = INF;
  }
  s.d = 0;
}
function levels(Graph g, propNode<int> d, propNode<int> l, propNode<float> f, node src) {
  helper(g, d, src);
  propNode<bool> seen;
  g.attachNodeProperty(seen = False, l = 0);
  iterateInBFS (v in g.nodes() from src) {
    v.seen = True;
    forall (w in g.neighbors(v)) {
      w.d = Min(w.d, v.d + 1);
      w.l += 1;
    }
  }
  iterateInReverse (v != src) {
    v.f = v.l;
    for (w in g.neighbors(v)) {
      v.f += w.f / 2;
    }
  }
  bool done = False;
  propNode<bool> on;
  g.attachNodeProperty(on = False);
  src.on = True;
  fixedPoint until (done : !on) {
    forall (v in g.nodes().filter(on)) {
      v.on = False;
    }
  }
  float m = 0;
  forall (v in g.nodes()) {
    m = Max(m, v.f);
  }
  return m;
}
