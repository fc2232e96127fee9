def f(a: list[int], b: A | None, c: "Net", d: x.Y): pass
type Pair[T] = tuple[T, T]
