def f():
    assert a, b
    raise E(c) from d
    return
def g(): return 1, *x
def h(): yield
