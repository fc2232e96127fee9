def f(xs):
    a = [last := x for x in xs]
    return last
