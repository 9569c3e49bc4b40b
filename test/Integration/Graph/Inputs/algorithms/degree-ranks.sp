function degrees(Graph g, propNode<int> rank) {
  container<int> histogram;
  int most = 0;
  forall (v in g.nodes()) { most = max(most, g.count_outNbrs(v)); }
  histogram.assign(most + 1, 0);
  forall (v in g.nodes()) histogram[g.count_outNbrs(v)]++;
  int above = 0;
  for (int d = most; d >= 0; d--) {
    int here = histogram[d];
    histogram[d] = above;
    above += here;
  }
  forall (v in g.nodes()) v.rank = histogram[g.count_outNbrs(v)];
  return most;
}
