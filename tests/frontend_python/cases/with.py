with a as x, b.c() as (y, z.w): f()
with (
    a as x,
    b,
): pass
async with c: pass
with (a, b): pass
