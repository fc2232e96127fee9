template <class T>
struct Traits {
  int size() { return 1; }
};
template <>
struct Traits<int> {
  int size() { return 2; }
};
template <class T>
int size_of(T) {
  return 1;
}
template <>
int size_of(int) {
  return 2;
}
int use() { return Traits<int>().size() + Traits<char>().size() + size_of(1) + size_of('a'); }
