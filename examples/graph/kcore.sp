// The core number of each vertex of an undirected graph: the greatest k such that it is in a subgraph in which all
// vertices have k neighbors.
function kcore(Graph g, propNode<int> core) {
  propNode<int> left;
  propNode<int> lost;
  propNode<bool> gone;
  propNode<bool> leaves;
  g.attachNodeProperty(core = 0, gone = False);
  int remaining = g.num_nodes();
  forall (v in g.nodes()) {
    v.left = g.count_outNbrs(v);
  }
  int k = 0;
  while (remaining > 0) {
    int removed = 0;
    g.attachNodeProperty(leaves = False, lost = 0);
    forall (v in g.nodes().filter(gone == False && left <= k)) {
      v.leaves = True;
      v.gone = True;
      v.core = k;
      removed += 1;
      forall (nbr in g.neighbors(v)) {
        nbr.lost += 1;
      }
    }
    forall (v in g.nodes()) {
      v.left -= v.lost;
    }
    remaining -= removed;
    if (removed == 0) {
      k++;
    }
  }
  return k;
}
