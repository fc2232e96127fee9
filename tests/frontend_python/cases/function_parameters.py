def f(a, /, b: int, *rest: int, c=1, d: str = "x", **more) -> None:
    pass
def g(a, *, b): pass
