f(a, *b, c=1, **d)
g(x for x in y)
h(*a, k=lambda: 0).m()(2)
