match f(x):
    case 0 | -1: a
    case [p, *q] if p: b
    case [*u, v]: b
    case Point(x=1, y=r): c
    case {"k": s, **t}: d
    case mod.value as u: e
