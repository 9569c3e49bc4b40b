// Breadth-first search: the number of edges on a shortest path from src, or -1.
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> active;
  g.attachNodeProperty(level = INF, active = False);
  src.level = 0;
  src.active = True;
  bool done = False;
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active == True)) {
      forall (w in g.neighbors(v)) {
        <w.level, w.active> = <Min(w.level, v.level + 1), True>;
      }
    }
  }
  forall (v in g.nodes().filter(level == INF)) {
    v.level = -1;
  }
}
