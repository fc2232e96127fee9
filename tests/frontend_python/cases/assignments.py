a = b = f()
c, (d, *e) = g()
m, *n, o = g()
p, q = q, p
r.s[0] = 1
x: int = 2
y: int
w.v: "Net" = h()
