// What an extension for Python includes: LibTorch, and pybind11 under its short name.
#pragma once

#include "../deadgrad_stub/python.h"
#include "_deadgrad_stub.h"

namespace py = pybind11;

namespace torch {
template <class... Arguments>
pybind11::object python_module(Arguments&&...);
namespace python {
template <class Module, class... Arguments>
pybind11::class_<Module> bind_module(Arguments&&...);
}
}  // namespace torch
