// Breadth-first search: the number of edges on a shortest path from src, or -1.
function bfs(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = -1);
  src.level = 0;
  iterateInBFS (v in g.nodes() from src) {
    forall (w in g.neighbors(v)) {
      w.level = Max(w.level, v.level + 1);
    }
  }
}
