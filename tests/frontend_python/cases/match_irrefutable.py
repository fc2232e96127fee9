match x, y:
    case a, b: pass
    case _: pass
match z:
    case (c): pass
