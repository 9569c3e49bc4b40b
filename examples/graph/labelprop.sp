// Label propagation, in rounds: each vertex takes the label that most of its neighbors have, the least of those if
// there are several. Ends when nothing changes, or after the given number of rounds.
function labelprop(Graph g, propNode<int> label, int rounds) {
  propNode<int> next;
  forall (v in g.nodes()) {
    v.label = v;
  }
  int round = 0;
  bool changes = True;
  while (changes && round < rounds) {
    changes = False;
    forall (v in g.nodes()) {
      int best = v.label;
      int most = 0;
      for (u in g.neighbors(v)) {
        int votes = 0;
        for (w in g.neighbors(v)) {
          if (w.label == u.label) {
            votes++;
          }
        }
        if (votes > most || (votes == most && u.label < best)) {
          most = votes;
          best = u.label;
        }
      }
      v.next = best;
      if (best != v.label) {
        changes = True;
      }
    }
    label = next;
    round++;
  }
  return round;
}
