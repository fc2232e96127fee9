del a, b.c, d[0]
del (e, [f])
