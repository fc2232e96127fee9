"""The part of the probe that runs in the measured Python program: it waits for `import torch`, loads the core and watches lines.

`deadgrad probe run` sets the environment: DEADGRAD_PROBE_OUT is the folder for reports (one per process), DEADGRAD_PROBE_BINARY the
program that finds or compiles the core for the torch at hand, DEADGRAD_PROBE_PLAN a JSON file of lines to watch, and
DEADGRAD_PROBE_ENGINE=python asks for the measurement without a compiled core. Python 3.8 and later.
"""

import atexit
import ctypes
import importlib.util
import json
import os
import subprocess
import sys
import threading

ALLOCATOR, SAVED, STACKS = 1, 2, 4


class Totals(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in (
        "live", "live_peak", "saved", "saved_peak", "saved_only", "saved_only_peak", "used", "wasted", "wasted_only", "packs", "user_hooked")]


class Native:
    """The compiled core, through its C interface."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)  # torch is loaded: its symbols are the program's own
        self.library.deadgrad_probe_torch_version.restype = ctypes.c_char_p
        self.refuse_other_torch(self.library.deadgrad_probe_torch_version().decode())
        self.library.deadgrad_probe_report.argtypes = [ctypes.c_char_p]
        self.library.deadgrad_probe_watch.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_int]
        self.library.deadgrad_probe_scope.argtypes = [ctypes.c_char_p]
        self.visit = self.library.deadgrad_probe_visit
        self.step = self.library.deadgrad_probe_step
        self.reset = self.library.deadgrad_probe_reset

    def refuse_other_torch(self, built_for):
        import torch

        if torch.__version__.split(".")[:2] != built_for.split(".")[:2]:
            raise RuntimeError(f"the core was compiled for torch {built_for}, and this is torch {torch.__version__}")

    def install(self, what=ALLOCATOR | SAVED | STACKS):
        if self.library.deadgrad_probe_install(what) != 0:
            raise RuntimeError("the core could not be installed")

    def uninstall(self):
        self.library.deadgrad_probe_uninstall()

    def watch(self, file, first, last):
        return self.library.deadgrad_probe_watch(os.fsencode(file), first, last)

    def scope(self, name):
        return self.library.deadgrad_probe_scope(name.encode())

    def totals(self):
        totals = Totals()
        self.library.deadgrad_probe_read(ctypes.byref(totals))
        return totals

    def report(self, path):
        return self.library.deadgrad_probe_report(os.fsencode(path)) == 0


def torch_library():
    """The libtorch_cpu that this process has loaded."""
    try:
        with open("/proc/self/maps") as maps:
            for line in maps:
                path = line.rstrip("\n").partition("/")[2]
                if os.path.basename(path).startswith("libtorch_cpu."):
                    return "/" + path
    except OSError:
        pass
    import torch

    return os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.dylib" if sys.platform == "darwin" else "libtorch_cpu.so")


def core_path():
    """The core for this process's torch, from `deadgrad probe build`, which compiles it the first time."""
    binary = os.environ["DEADGRAD_PROBE_BINARY"]
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LD_PRELOAD")}
    done = subprocess.run([binary, "probe", "build", "--torch", torch_library()], stdout=subprocess.PIPE, env=environment)
    if done.returncode != 0:
        raise RuntimeError("the core for this torch could not be built")
    return done.stdout.decode().strip()


def load():
    if os.environ.get("DEADGRAD_PROBE_ENGINE") != "python":
        try:
            return Native(core_path())
        except (RuntimeError, OSError, KeyError) as error:
            print(f"deadgrad: {error}; measuring from Python, in threads that threading starts only", file=sys.stderr)
    import deadgrad_probe_fallback

    return deadgrad_probe_fallback.Fallback()


class Lines:
    """Which watched lines a file has. A watch on several lines is visited when the program comes to them from elsewhere."""

    def __init__(self, plan):
        self.exact, self.ends = {}, {}
        for watch, entry in plan:
            (self.exact if entry["file"].startswith("/") else self.ends).setdefault(entry["file"], []).append(
                (watch, entry["first_line"], entry["last_line"]))
        self.files = {}

    def of(self, file):
        """(watch, first, last) of the file that a code object names, or None."""
        if file not in self.files:
            real = os.path.realpath(file)
            found = list(self.exact.get(real, ()))
            for end, watches in self.ends.items():
                if real.endswith("/" + end):
                    found += watches
            self.files[file] = found or None
        return self.files[file]


def entered(watches, previous, line):
    for watch, first, last in watches:
        if first <= line <= last and (first == last or not first <= previous <= last):
            yield watch


def trace_lines(lines, visit):
    """Python up to 3.11: a trace function that looks into the watched files' frames only."""

    def local_of(watches):
        previous = 0

        def local(frame, event, argument):
            nonlocal previous
            if event == "line":
                for watch in entered(watches, previous, frame.f_lineno):
                    visit(watch)
                previous = frame.f_lineno
            return local

        return local

    def trace(frame, event, argument):
        watches = lines.of(frame.f_code.co_filename)
        return local_of(watches) if watches else None

    if sys.gettrace() is not None:
        return "a debugger or coverage tool traces this program: visits of lines were not counted"
    frame = sys._getframe()
    while frame is not None:
        watches = lines.of(frame.f_code.co_filename)
        if watches:
            frame.f_trace = local_of(watches)
        frame = frame.f_back
    threading.settrace(trace)
    sys.settrace(trace)
    return None


def monitor_lines(lines, visit):
    """Python 3.12 and later: events of the watched files' code objects; all other code runs at full speed."""
    monitoring = sys.monitoring
    try:
        monitoring.use_tool_id(4, "deadgrad")
    except ValueError:
        return "another tool monitors this program: visits of lines were not counted"
    last_line = threading.local()

    def listen(code):
        monitoring.set_local_events(4, code, monitoring.events.LINE)

    def on_start(code, offset):
        if lines.of(code.co_filename):
            listen(code)
        return monitoring.DISABLE

    def on_line(code, line):
        previous = getattr(last_line, "value", (None, 0))
        last_line.value = (code, line)
        for watch in entered(lines.of(code.co_filename), previous[1] if previous[0] is code else 0, line):
            visit(watch)

    monitoring.register_callback(4, monitoring.events.PY_START, on_start)
    monitoring.register_callback(4, monitoring.events.PY_RESUME, on_start)
    monitoring.register_callback(4, monitoring.events.LINE, on_line)
    monitoring.set_events(4, monitoring.events.PY_START | monitoring.events.PY_RESUME)
    frame = sys._getframe()
    while frame is not None:
        if lines.of(frame.f_code.co_filename):
            listen(frame.f_code)
        frame = frame.f_back
    return None


def watch_lines(engine):
    path = os.environ.get("DEADGRAD_PROBE_PLAN")
    if not path:
        return None
    with open(path) as file:
        plan = json.load(file)
    lines = Lines([(engine.watch(entry["file"], entry["first_line"], entry["last_line"]), entry) for entry in plan])
    return (monitor_lines if hasattr(sys, "monitoring") else trace_lines)(lines, engine.visit)


def report_at_exit(engine, limits):
    """One report per process, however it ends; a fork that saved nothing writes none."""
    parent = os.getpid()
    written = set()
    leave = os._exit

    def write():
        process = os.getpid()
        if process in written or (process != parent and engine.totals().packs == 0):
            return
        written.add(process)
        path = os.path.join(os.environ["DEADGRAD_PROBE_OUT"], f"{process}.json")
        engine.report(path)
        if limits:
            with open(path) as file:
                report = json.load(file)
            report["limits"] = limits
            with open(path, "w") as file:
                json.dump(report, file)

    def leave_with_report(status):
        write()
        leave(status)

    atexit.register(write)
    os._exit = leave_with_report


def start():
    engine = load()
    engine.install()
    limit = watch_lines(engine)
    report_at_exit(engine, [limit] if limit else [])


class Finder:
    """Stands before Python's own finders until torch is imported."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            try:
                start()
            except Exception as error:
                print(f"deadgrad: the probe could not start: {error}", file=sys.stderr)

        spec.loader.exec_module = exec_module
        return spec


def wait_for_torch():
    if os.environ.get("DEADGRAD_PROBE_OUT"):
        sys.meta_path.insert(0, Finder())
