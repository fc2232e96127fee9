"""Documentation."""
f()
x.y
(z := g())
1, 2
await h()
