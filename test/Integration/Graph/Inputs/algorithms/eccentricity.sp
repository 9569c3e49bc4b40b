function eccentricity(Graph g, propNode<int> ecc) {
  propNode<int> dist;
  int diameter = 0;
  int radius = INT_MAX;
  for (s in g.nodes()) {
    g.attachNodeProperty(dist = INF);
    s.dist = 0;
    bool finished = False;
    propNode<bool> modified;
    g.attachNodeProperty(modified = False);
    s.modified = True;
    fixedPoint until (finished : !modified) {
      forall (v in g.nodes().filter(modified == True)) {
        forall (nbr in g.neighbors(v)) {
          <nbr.dist, nbr.modified> = <Min(nbr.dist, v.dist + 1), True>;
        }
      }
    }
    int far = 0;
    forall (v in g.nodes()) { if (v.dist < INF) { far = Max(far, v.dist); } }
    s.ecc = far;
    diameter = max(diameter, far);
    radius = min(radius, far);
  }
  return diameter * 1000 + radius;
}
