size: int


class C:
    model: nn.Module
    rate: "float" = 0.1
    if x:
        flag: bool
    (y): int
    a.b: int

    def f(self):
        local: int
        self.attribute: int

    again = model
