struct Net {
  int run();
};
struct Handle {
  operator Net&() { return *net; }
  explicit operator bool() const { return net != nullptr; }
  Net* operator->() { return net; }
  Net* net;
};
int run(Net& net) { return net.run(); }
int use(Handle handle) {
  if (handle) return run(handle);
  return handle->run();
}
