enum class Mode { Train, Eval };
union Either {
  int number;
  float real;
};
struct Mixed {
  union {
    int a;
    float b;
  };
};
int use(Mode mode, Either either, Mixed mixed) {
  if (mode == Mode::Eval) return either.number;
  return mixed.a;
}
