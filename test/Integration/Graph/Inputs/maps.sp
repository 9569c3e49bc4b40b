function maps(Graph g, propNode<int> parts) {
  hashMap<int, hashMap<int, int>> weights;
  hashSet<int> todo;
  for (v in g.nodes()) {
    todo.insert(v);
    todo.insert(v);
    auto& mine = weights.get(v);
    for (n in g.neighbors(v)) { mine.put(n, v * 10 + n); mine.put(n, 77); }
  }
  long sum = 0;
  todo.reset();
  while (!todo.atend()) {
    int v = todo.getcurrent();
    hashMap<int, int> found;
    hashSet<int> classes;
    auto& mine = weights.get(v);
    mine.reset();
    while (!mine.atend()) {
      int k = mine.getcurrentkey() % 3;
      if (classes.contains(k) == 0) { classes.insert(k); found.put(k, 0); }
      auto& count = found.get(k);
      count = count + mine.getcurrentval();
      count += 1;
      mine.advance();
    }
    v.parts = classes.size();
    found.reset();
    while (!found.atend()) { sum += found.getcurrentkey() * 1000 + found.getcurrentval(); found.advance(); }
    todo.advance();
  }
  hashMap<int, hashMap<int, int>> other;
  weights.swap(other);
  auto& a = other.get(1);
  auto& b = a.get(2);
  b = 5;
  sum += other.get(1).get(2) * 1000000;
  if (weights.empty() && other.size() == g.num_nodes()) { sum += 7; }
  other.clear();
  return sum + other.size() + weights.size();
}
