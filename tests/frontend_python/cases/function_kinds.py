class C:
    def __init__(self): pass
    @staticmethod
    def a(): yield 1
    @classmethod
    async def b(cls): await cls.x
    @functools.cached_property
    def c(self): return (yield from self)
