struct Net {};
struct Registry {
  static Net shared;
  static inline Net own;
  static constexpr int size = 3;
  static Net& get() { return shared; }
};
Net Registry::shared;
void use() {
  Registry::own = Registry::get();
  Registry registry;
  registry.shared = Registry::own;
}
