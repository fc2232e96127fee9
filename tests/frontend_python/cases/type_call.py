def f(self, cls):
    type(self).a.b = c
    type(self).d[cls] = type(c)
    type(self, cls)[0] = 1
    type T[A] = A
