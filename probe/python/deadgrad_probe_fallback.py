"""Measures from Python alone, where no core can be compiled: torch's saved-tensor hooks, in the importing thread and in those that
`threading` starts. Same report, marked "engine": "python". It sees no C++ threads and no CPU allocator, and what the program's own
hooks pack stays unseen."""

import json
import os
import sys
import threading
import types


class Storage:
    def __init__(self, size, site):
        self.bytes, self.site, self.hooks, self.read = size, site, 0, False


class Packed:
    """What a saved tensor is replaced with; its end is the saved tensor's end."""

    def __init__(self, engine, tensor, key, site):
        self.engine, self.tensor, self.key, self.site, self.read = engine, tensor, key, site, False
        self.version = tensor._version

    def __del__(self):
        self.engine.released(self)


class Fallback:
    def __init__(self):
        import torch

        self.torch = torch
        self.lock = threading.RLock()
        self.storages, self.sites, self.watches = {}, {}, []
        self.sums = {"saved": 0, "saved_peak": 0, "used": 0, "wasted": 0, "packs": 0}

    def install(self):
        torch, run = self.torch, threading.Thread.run
        self.hooks = torch.autograd.graph.saved_tensors_hooks(self.pack, self.unpack)
        self.hooks.__enter__()
        engine = self

        def run_with_hooks(thread):
            with torch.autograd.graph.saved_tensors_hooks(engine.pack, engine.unpack):
                run(thread)

        threading.Thread.run = run_with_hooks

    def frames(self):
        frame, found = sys._getframe(2), []
        while frame is not None:
            found.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
            frame = frame.f_back
        return tuple(found)

    def pack(self, tensor):
        site = self.site(self.frames())
        base = tensor._base if tensor._base is not None else tensor
        data = tensor.detach()
        storage = data.storage() if not hasattr(data, "untyped_storage") else data.untyped_storage()
        key = storage._cdata
        with self.lock:
            site["packs"] += 1
            self.sums["packs"] += 1
            if base.is_leaf and base.requires_grad:
                return Packed(self, data, None, site)
            entry = self.storages.get(key)
            if entry is None:
                entry = self.storages[key] = Storage(storage.nbytes(), site)
                site["storages"] += 1
                site["bytes"] += entry.bytes
                site["live"] += entry.bytes
                site["peak"] = max(site["peak"], site["live"])
                self.sums["saved"] += entry.bytes
                self.sums["saved_peak"] = max(self.sums["saved_peak"], self.sums["saved"])
            entry.hooks += 1
        return Packed(self, data, key, site)

    def unpack(self, packed):
        if packed.tensor._version != packed.version:
            raise RuntimeError("one of the variables needed for gradient computation has been modified by an inplace operation")
        packed.read = True
        with self.lock:
            if packed.key in self.storages:
                self.storages[packed.key].read = True
        return packed.tensor

    def released(self, packed):
        with self.lock:
            packed.site["unused"] += not packed.read
            entry = self.storages.get(packed.key)
            if entry is None:
                return
            entry.hooks -= 1
            if entry.hooks:
                return
            del self.storages[packed.key]
            entry.site["live"] -= entry.bytes
            self.sums["saved"] -= entry.bytes
            kind = "used" if entry.read else "wasted"
            entry.site[kind] += entry.bytes
            self.sums[kind] += entry.bytes

    def site(self, frames):
        with self.lock:
            if frames not in self.sites:
                self.sites[frames] = {name: 0 for name in ("packs", "unused", "storages", "bytes", "peak", "live", "used", "wasted")}
            return self.sites[frames]

    def watch(self, file, first, last):
        self.watches.append({"file": file, "first_line": first, "last_line": last, "visits": 0, "with_grad": 0, "points": []})
        return len(self.watches) - 1

    def visit(self, watch):
        entry = self.watches[watch]
        entry["visits"] += 1
        entry["with_grad"] += self.torch.is_grad_enabled()
        if len(entry["points"]) < 4096:
            with self.lock:
                entry["points"].append(sum(sums["live"] for frames, sums in self.sites.items() if self.goes_through(entry, frames)))

    def goes_through(self, watch, frames):
        return any(watch["first_line"] <= line <= watch["last_line"] and os.path.realpath(file).endswith(watch["file"])
                   for file, line, function in frames)

    def totals(self):
        return types.SimpleNamespace(**self.sums)

    def report(self, path):
        with self.lock:
            waiting = {}
            for storage in self.storages.values():
                kind = "used" if storage.read else "wasted"
                sums = waiting.setdefault(id(storage.site), {"used": 0, "wasted": 0, "unused": 0})
                sums[kind] += storage.bytes
                sums["unused"] += 0 if storage.read else storage.hooks
            sites = []
            for frames, sums in self.sites.items():
                rest = waiting.get(id(sums), {})
                site = {name: value + rest.get(name, 0) for name, value in sums.items()}
                site["wasted_only"] = None
                site["frames"] = [{"file": os.path.realpath(file), "line": line, "function": function} for file, line, function in frames]
                sites.append(site)
            retained = dict(self.sums, saved_only=None, saved_only_peak=None, wasted_only=None, user_hooked=None)
            retained["wasted"] += sum(rest["wasted"] for rest in waiting.values())
            retained["used"] += sum(rest["used"] for rest in waiting.values())
            watches = [dict(watch, saved={"stride": 1, "points": watch["points"]}) for watch in self.watches]
        report = {"schema": "deadgrad.probe-process/1", "engine": "python", "pid": os.getpid(), "torch": self.torch.__version__,
                  "memory": {"live": None, "live_peak": None}, "retained": retained, "devices": [], "saved_by_device": [],
                  "sites": sites, "forked": False, "scopes": [], "watches": watches, "native_reached": [], "probe_errors": 0}
        with open(path, "w") as file:
            json.dump(report, file)
        return True
