x = 1
def outer(a):
    b = a
    def inner():
        nonlocal b
        global x
        b = x = a
        return len
    class C:
        b = b
        def method(self):
            return b, self
