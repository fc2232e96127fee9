#include <stdexcept>
void work();
void report(const char* text);
void use() {
  try {
    work();
  } catch (const std::runtime_error& error) {
    report(error.what());
    throw;
  } catch (...) {
    throw std::logic_error("no");
  }
}
