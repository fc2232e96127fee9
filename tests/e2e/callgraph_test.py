"""`deadgrad dev callgraph`: one small program per kind of call, with every edge that it must print."""

import json
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import support


class CallGraph(support.ProgramTest):
    def check_graph(self, expected, m, **others):
        """`expected`: lines `caller -> callee, callee` for all that call anything. `m`, `others`: texts of modules."""
        for name, text in {"m": m, **others}.items():
            self.write(name + ".py", text)
        done = self.run_program("dev", "callgraph", "--format", "pycg", "--package", ".", ".")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.graph = json.loads(done.stdout)
        found = [f"{caller} -> {', '.join(callees)}" for caller, callees in self.graph.items() if callees]
        self.assertEqual(found, sorted(line.strip() for line in expected.strip().splitlines()))

    def test_functions_handed_over(self):
        self.check_graph("""
            m -> m.apply
            m.apply -> m.hello, m.twice
            m.default -> m.bye, m.hello
            m.handed -> m.apply
            m.named -> m.default
            m.twice -> m.bye
        """, m="""
def hello(): pass
def bye(): pass
def apply(function): function()
def twice(function=bye): function()
def default(function=bye): function()
def named(): default(function=hello)
def handed():
    it = hello
    apply(it)
apply(twice)
""")

    def test_arguments_by_position_and_by_name(self):
        self.check_graph("""
            m.call -> m.one, m.two
            m.forward -> m.call
            m.keep -> m.one
            m.names -> m.two
            m.spread -> m.call
            m.use -> m.forward, m.keep, m.names, m.spread
        """, m="""
def one(): pass
def two(): pass
def call(first, second):
    first()
    second()
def keep(*functions): functions[0]()
def names(**functions): functions["b"]()
def forward(*args, **kwargs): call(*args, **kwargs)
def spread(): call(*[one, two])
def use():
    keep(one, two)
    names(a=one, b=two)
    forward(one, second=two)
    spread()
""")

    def test_returned_functions_and_chains(self):
        self.check_graph("""
            m.chain -> m.outer, m.outer.middle, m.outer.middle.inner
            m.chosen -> m.choose, m.one, m.two
            m.pair -> m.both, m.two
            m.same -> m.identity, m.one
        """, m="""
def one(): pass
def two(): pass
def choose(flag):
    if flag:
        return one
    return two
def identity(x): return x
def both(): return one, two
def outer():
    def middle():
        def inner(): pass
        return inner
    return middle
def chosen(): choose(1)()
def same(): identity(one)()
def pair():
    first, second = both()
    second()
def chain(): outer()()()
""")

    def test_lambdas_are_numbered_in_their_scope(self):
        self.check_graph("""
            m -> m.<lambda1>
            m.<lambda1> -> m.one
            m.use -> m.use.<lambda1>, m.use.<lambda2>
            m.use.<lambda2> -> m.one
        """, m="""
def one(): pass
(lambda: one())()
def use():
    first = lambda: 0
    second = lambda function: function()
    first()
    second(one)
""")

    def test_assignments(self):
        self.check_graph("""
            m.again -> m.two
            m.in_loop -> m.one, m.two
            m.nested -> m.three
            m.starred_first -> m.one
            m.starred_last -> m.three
            m.starred_middle -> m.two
            m.swapped -> m.two
            m.walrus -> m.one
        """, m="""
def one(): pass
def two(): pass
def three(): pass
def again():
    f = g = one
    f = two
    f()
def nested():
    a, (b, c) = one, (two, three)
    c()
def swapped():
    a, b = one, two
    a, b = b, a
    a()
def starred_first():
    a, *b, c = one, two, two, three
    a()
def starred_middle():
    a, *b, c = one, two, two, three
    b[0]()
def starred_last():
    a, *b, c = one, two, two, three
    c()
def walrus():
    if f := one:
        f()
def in_loop():
    f = one
    while f:
        f()
        f = two
""")

    def test_lists_and_tuples(self):
        self.check_graph("""
            m.added -> <**PyList**>.append, m.one, m.two
            m.by_constant -> m.two
            m.by_parameter -> m.two
            m.comprehension -> m.one, m.two
            m.in_lists -> m.two
            m.sliced -> m.two
            m.stored -> m.two
            m.use -> m.by_parameter
            m.walked -> m.one, m.two
        """, keys="POSITION = 1\n", m="""
from keys import POSITION
def one(): pass
def two(): pass
def by_constant(): [one, two][POSITION]()
def by_parameter(i): [one, two][i]()
def use(): by_parameter(1)
def in_lists(): [one, [one, two]][1][1]()
def sliced(): (one, two, one)[1:2][0]()
def walked():
    for f in (one, two):
        f()
def comprehension(): return [f() for f in (one, two)]
def stored():
    fs = [None, None]
    fs[1] = two
    fs[1]()
def added():
    fs = [one]
    fs.append(two)
    for f in fs[0:]:
        f()
""")

    def test_dictionaries(self):
        self.check_graph("""
            m.by_default -> m.two
            m.by_number -> m.one
            m.by_text -> m.two
            m.got -> <**PyDict**>.get, m.three, m.two
            m.looped -> <**PyDict**>.values, m.one, m.two
            m.nested -> m.two
            m.through_parameter -> m.one
            m.unknown_key -> <builtin>.input, m.one, m.two
            m.updated -> <**PyDict**>.update, m.one, m.two
            m.use -> m.by_default, m.through_parameter
        """, m="""
def one(): pass
def two(): pass
def three(): pass
TABLE = {"a": one, "b": two}
def got(): TABLE.get("b", three)()
def by_text(): TABLE["b"]()
def by_number(): {1: one, "1": two}[1]()
def by_default(key="b"): TABLE[key]()
def through_parameter(table): table["a"]()
def use():
    by_default()
    through_parameter(TABLE)
def nested():
    d = {"x": {}}
    d["x"]["y"] = two
    d["x"]["y"]()
def updated():
    d = {"a": one}
    d.update({"a": two})
    d["a"]()
def unknown_key():
    d = {"a": one}
    d[input()] = two
    d["a"]()
def looped():
    for f in TABLE.values():
        f()
""")

    def test_classes(self):
        self.check_graph("""
            m -> m.Table.describe
            m.Base.make -> m.Base.__init__, m.Part.__init__
            m.Base.run -> m.Part.step
            m.Table.__call__ -> m.Table.describe
            m.Table.show -> m.Table.label
            m.bound -> m.Part.__init__, m.Part.step
            m.called -> m.Table.__call__
            m.inherited -> m.Base.run, m.Part.__init__
            m.made -> m.Base.make, m.Part.step
            m.on_object -> m.Table.describe
            m.property_read -> m.Table.show
        """, m="""
class Base:
    def __init__(self): pass
    def run(self): self.step()
    @classmethod
    def make(cls): return cls()
class Part(Base):
    def __init__(self): pass
    def step(self): pass
class Table:
    @staticmethod
    def describe(): pass
    def label(self): pass
    def __call__(self): self.describe()
    @property
    def show(self): self.label()
def inherited(): Part().run()
def made(): Part.make().step()
def bound():
    f = Part().step
    f()
def called(): Table()()
def property_read(): return Table().show
def on_object():
    t = Table()
    t.f = Table.describe
    t.f()
Table.describe()
""")

    def test_resolution_order_and_super(self):
        self.check_graph("""
            m.Last.__init__ -> <builtin>.super, m.Left.__init__
            m.Left.__init__ -> <builtin>.super, m.Root.__init__
            m.use -> m.Last.__init__, m.Left.here, m.Right.there
        """, m="""
class Root:
    def __init__(self): pass
    def there(self): pass
class Left(Root):
    def __init__(self): super().__init__()
    def here(self): pass
class Right(Root):
    def here(self): pass
    def there(self): pass
class Last(Left, Right):
    def __init__(self): super().__init__()
def use():
    it = Last()
    it.here()
    it.there()
""")

    def test_decorators(self):
        self.check_graph("""
            m -> m.Counted.__init__, m.kept, m.named, m.named.decorate, m.wrapped
            m.Counted.__call__ -> m.third
            m.named.decorate.call -> m.second
            m.use -> m.Counted.__call__, m.first, m.named.decorate.call, m.wrapped.call
            m.wrapped.call -> m.fourth
        """, m="""
def kept(function): return function
def wrapped(function):
    def call(*args): return function(*args)
    return call
def named(name):
    def decorate(function):
        def call(): return function()
        return call
    return decorate
class Counted:
    def __init__(self, function): self.function = function
    def __call__(self): return self.function()
@kept
def first(): pass
@named("x")
def second(): pass
@Counted
def third(): pass
@wrapped
def fourth(): pass
def use():
    first()
    second()
    third()
    fourth()
""")

    def test_generators_and_iterators(self):
        self.check_graph("""
            m.every -> <builtin>.map, m.make, m.one
            m.next_one -> <builtin>.next, m.gives, m.one, m.two
            m.over_generator -> m.gives, m.one, m.two
            m.over_object -> m.Steps.__init__, m.Steps.__iter__, m.Steps.__next__, m.two
            m.gives -> m.more
        """, m="""
def one(): pass
def two(): pass
def gives():
    yield one
    yield from more()
def more(): yield two
class Steps:
    def __init__(self): pass
    def __iter__(self): return self
    def __next__(self): return two
def make(x): return one
def over_generator():
    for f in gives():
        f()
def over_object():
    for f in Steps():
        f()
def next_one(): next(gives())()
def every():
    for f in map(make, "ab"):
        f()
""")

    def test_statements_that_call(self):
        self.check_graph("""
            m.raised -> m.Failed.__init__
            m.raised_call -> <builtin>.ValueError
            m.waited -> m.later, m.one
            m.with_object -> m.Opened.__enter__, m.Opened.__exit__, m.one
        """, m="""
def one(): pass
class Failed(Exception):
    def __init__(self): pass
class Opened:
    def __enter__(self): return one
    def __exit__(self, *_): pass
async def later(): return one
def raised(): raise Failed
def raised_call(): raise ValueError()
def with_object():
    with Opened() as f:
        f()
async def waited(): (await later())()
""")

    def test_closures_and_globals(self):
        self.check_graph("""
            m.Holder.__init__ -> m.one
            m.late -> m.two
            m.outer -> m.outer.inner
            m.outer.inner -> m.one, m.two
            m.set -> <builtin>.print
            m.use -> m.Holder.__init__
        """, m="""
def one(): pass
def two(): pass
def outer():
    f = one
    def inner():
        nonlocal f
        f()
        f = two
    inner()
def set():
    global current
    current = two
    print()
def late(): current()
class Holder:
    def __init__(self, f): f()
def use(): Holder(one)
""")

    def test_libraries(self):
        self.check_graph("""
            m -> <**PyStr**>.join, <builtin>.len, library.Thing, library.Thing.work, library.part.run, os.path.join
            m.Own.use -> library.Base.helper
            m.handed -> library.Thing.work
            m.make -> library.Base.__init__, m.Own.use, m.handed
        """, m="""
import os.path
import library.part
from library import Base, Thing as Renamed
class Own(Base):
    def use(self): self.helper()
thing = Renamed()
thing.work()
library.part.run()
os.path.join("a")
", ".join("ab")
len([])
def handed(method): method()
def make():
    Own().use()
    handed(thing.work)
""")

    def test_imports(self):
        self.check_graph("""
            m.from_package -> package.here
            m.hidden -> <builtin>.secret
            m.renamed -> package.sub.deep.dig
            m.star -> package.shown.visible
            m.submodule -> package.sub.deep.dig
            package.here -> package.sub.deep.dig
            package.shown.visible -> package.shown.secret
            package.sub.deep.dig -> package.shown.visible
        """, m="""
import package.sub.deep
from package import here, deeper as other
from package.shown import *
def submodule(): package.sub.deep.dig()
def from_package(): here()
def renamed(): other()
def star(): visible()
def hidden(): secret()
""", **{"package/__init__": """
from .sub.deep import dig as deeper
def here(): deeper()
""", "package/shown": """
__all__ = ["visible"]
def visible(): secret()
def secret(): pass
""", "package/sub/deep": """
from .. import shown
from ..shown import visible
def dig(): visible()
"""})

    def test_callers_and_callees_without_calls_are_listed(self):
        self.check_graph("m -> library.call", m="import library\nlibrary.call()\ndef alone(): pass\n")
        self.assertEqual(sorted(self.graph), ["library.call", "m", "m.alone"])

    def test_what_cannot_be_read(self):
        done = self.run_program("dev", "callgraph", "absent.py")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        done = self.run_program("dev", "callgraph", "--format", "dot", ".")
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    support.main()
