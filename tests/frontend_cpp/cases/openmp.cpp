// flags: -fopenmp
int f(int);
void use(int* x, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[i] = f(i);
#pragma omp parallel
  {
    f(n);
  }
#pragma omp critical
  f(2);
}
