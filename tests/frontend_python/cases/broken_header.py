class C:
    def n(self): return 3
    def o(self) 
        w = self.net(1)
        return w
    def p(self): return 4
def q(a, b
    y = model(a)
    return y
z = 1
