@first
@torch.no_grad()
def f(a=g()): pass
@register(1)
class C(Base, metaclass=Meta): pass
