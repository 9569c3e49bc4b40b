// Single-source shortest paths: the least sum of weights on a path from src, and the vertex before on such a path.
function sssp(Graph g, propNode<int> dist, propNode<node> parent, propEdge<int> weight, node src) {
  propNode<bool> active;
  g.attachNodeProperty(dist = INF, parent = -1, active = False);
  src.dist = 0;
  src.active = True;
  bool done = False;
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active == True)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        <nbr.dist, nbr.active, nbr.parent> = <Min(nbr.dist, v.dist + e.weight), True, v>;
      }
    }
  }
}
