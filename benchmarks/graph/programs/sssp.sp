// Like the suite's program, computes distances only. examples/graph/sssp.sp also finds the previous vertex.
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> active;
  g.attachNodeProperty(dist = INF, active = False);
  src.dist = 0;
  src.active = True;
  bool done = False;
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active == True)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        <nbr.dist, nbr.active> = <Min(nbr.dist, v.dist + e.weight), True>;
      }
    }
  }
}
