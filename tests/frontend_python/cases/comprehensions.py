def f(rows, x):
    a = [x for x in rows]
    b = {k: v for k, v in x if k if v}
    c = {y for row in rows for y in row}
    d = sum(z async for z in rows)
    e = [lambda: (x, t) for t in x]
    return x
