function find(int u, std::vector<int> parent) {
  int p = parent[u];
  while (u != p) { u = p; p = parent[u]; }
  return p;
}
function merge(int u, int v, container<int> &parent, std::vector<int> &size) {
  u = find(u, parent);
  v = find(v, parent);
  if (u == v) { return; }
  if (size[u] < size[v]) { parent[u] = v; size[v] += size[u]; }
  else { parent[v] = u; size[u] += size[v]; }
}
function groups(Graph g, container<int> parent) {
  std::vector<std::vector<int>> all;
  for (v in g.nodes()) { std::vector<int> one; all.push_back(one); }
  for (v in g.nodes()) { int r = find(v, parent); all[r].push_back(v); }
  return all;
}
function main(Graph g, propNode<int> label, propNode<int> position) {
  container<int> parent;
  container<int> size;
  parent.assign(g.num_nodes(), 0);
  size.assign(g.num_nodes(), 1);
  for (v in g.nodes()) { parent[v] = v; }
  for (v in g.nodes()) { for (n in g.neighbors(v)) { merge(v, n, parent, size); } }
  container<container<int>> all = groups(g, parent);
  int number = 0;
  int i = 0;
  while (i < all.size()) {
    std::vector<int> one = all[i];
    if (!one.empty()) { number++; }
    int k = 0;
    while (k < one.size()) {
      one[k].position = k + all[i][k] - one.back() + one.back() - v_of(one, k);
      one[k].label = one.front();
      k++;
    }
    while (all[i].size() > 0) { all[i].pop_back(); }
    i++;
  }
  container<long> degrees;
  degrees.assign(10, 0);
  container<bool> has; has.assign(10, False);
  container<int> least; least.assign(10, INF);
  forall (v in g.nodes()) {
    degrees[g.count_outNbrs(v)] += 1;
    has[g.count_outNbrs(v)] = True;
    least[g.count_outNbrs(v)] = Min(least[g.count_outNbrs(v)], v);
  }
  i = 0;
  long sum = 0;
  while (i < degrees.size()) { if (has[i]) { sum += degrees[i] * (i + 1) * 100 + least[i]; } i++; }
  return sum + number * 1000000 + degrees.getIdx(0);
}
function v_of(container<int> one, int k) { return one[k]; }
