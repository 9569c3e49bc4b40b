// Connected components of an undirected graph: of each vertex the least number in its component.
function components(Graph g, propNode<int> component) {
  propNode<bool> active;
  g.attachNodeProperty(active = True);
  forall (v in g.nodes()) {
    v.component = v;
  }
  bool done = False;
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active == True)) {
      forall (nbr in g.neighbors(v)) {
        <nbr.component, nbr.active> = <Min(nbr.component, v.component), True>;
      }
    }
  }
}
