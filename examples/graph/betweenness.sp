// Betweenness centrality (Brandes, 2001) over paths from the sources.
function betweenness(Graph g, propNode<double> centrality, SetN<g> sources) {
  propNode<double> paths;
  propNode<double> dependency;
  g.attachNodeProperty(centrality = 0);
  for (s in sources) {
    g.attachNodeProperty(paths = 0, dependency = 0);
    s.paths = 1;
    iterateInBFS (v in g.nodes() from s) {
      forall (w in g.neighbors(v)) {
        w.paths += v.paths;
      }
    }
    iterateInReverse (v != s) {
      for (w in g.neighbors(v)) {
        v.dependency += v.paths / w.paths * (1 + w.dependency);
      }
      v.centrality += v.dependency;
    }
  }
}
