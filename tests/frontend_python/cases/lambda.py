f = lambda a, b=1, *c: (a, b)
g = lambda: lambda: f
