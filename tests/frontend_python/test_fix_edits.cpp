// Fix requests to edited Python text.
#include <gtest/gtest.h>

#include <string>

#include "frontends/python/fix_edits.h"
#include "tests/fix/edited_text.h"

namespace deadgrad::python {

// The text after a fix at the first place that reads `at`; "by hand" where there is none.
static std::string fixed(FixKind kind, std::string_view source, std::string_view at, FixRequest fix = {}) {
  fix.kind = kind;
  fix.where.span = span_of(source, at);
  const TextEdits edits = FixEditor(source).edits_for(fix);
  return edits.empty() ? "by hand" : edited(source, edits);
}

static std::string declared(std::string_view source, std::string_view at) {
  return fixed(FixKind::GuardFunction, source, at);
}
static std::string wrapped(std::string_view source, std::string_view at) {
  return fixed(FixKind::GuardRegion, source, at, {.guard = FixGuard::NoGrad});
}
static std::string removed(std::string_view source, std::string_view at) {
  return fixed(FixKind::RemoveGuard, source, at);
}

TEST(PythonFixEdits, TheDecoratorIsInnermost) {
  EXPECT_EQ(declared("import torch\n\n@app.get('/')  # a\n# b\ndef f(m):\n  return m(1)\n", "def f(m)"),
            "import torch\n\n@app.get('/')  # a\n# b\n@torch.inference_mode()\ndef f(m):\n  return m(1)\n");
  EXPECT_EQ(declared("import torch\r\nclass A:\r\n\t@staticmethod\r\n\tdef f(m): return m(1)\r\n", "def f(m)"),
            "import torch\r\nclass A:\r\n\t@staticmethod\r\n\t@torch.inference_mode()\r\n\tdef f(m): return m(1)\r\n");
}

TEST(PythonFixEdits, TorchIsCalledAsTheFileCallsIt) {
  EXPECT_EQ(declared("import torch as th\ndef f(m): m(1)", "def f(m)"),
            "import torch as th\n@th.inference_mode()\ndef f(m): m(1)");
  EXPECT_EQ(declared("from torch import inference_mode as quiet\ndef f(m): m(1)\n", "def f(m)"),
            "from torch import inference_mode as quiet\n@quiet()\ndef f(m): m(1)\n");
  EXPECT_EQ(declared("import torch.nn\ndef f(m): m(1)\n", "def f(m)"),
            "import torch.nn\n@torch.inference_mode()\ndef f(m): m(1)\n");
  EXPECT_EQ(declared("from torch import no_grad\ndef f(m): m(1)\n", "def f(m)"),
            "import torch\nfrom torch import no_grad\n@torch.inference_mode()\ndef f(m): m(1)\n");
}

TEST(PythonFixEdits, AnImportIsAdded) {
  EXPECT_EQ(
      declared("#!/bin/python\n# -*- coding: utf-8 -*-\n'''Text\n'''\nfrom __future__ import annotations\nimport os; "
               "import sys  # both\n\ndef f(m): m(1)\n",
               "def f(m)"),
      "#!/bin/python\n# -*- coding: utf-8 -*-\n'''Text\n'''\nfrom __future__ import annotations\nimport os; import "
      "sys  # both\nimport torch\n\n@torch.inference_mode()\ndef f(m): m(1)\n");
  EXPECT_EQ(declared("import torch.nn as nn\n\ndef f(m): m(1)\n", "def f(m)"),
            "import torch\nimport torch.nn as nn\n\n@torch.inference_mode()\ndef f(m): m(1)\n");
  EXPECT_EQ(declared("'''Text'''\ndef f(m): m(1)\n", "def f(m)"),
            "'''Text'''\n\nimport torch\n@torch.inference_mode()\ndef f(m): m(1)\n");
  EXPECT_EQ(declared("\xEF\xBB\xBF# first\nx = 1\ndef f(m): m(1)\n", "def f(m)"),
            "\xEF\xBB\xBF# first\nimport torch\n\nx = 1\n@torch.inference_mode()\ndef f(m): m(1)\n");
}

TEST(PythonFixEdits, WhereADecoratorWouldNotDoTheBodyIsWrapped) {
  // torch may be missing when the function is defined.
  EXPECT_EQ(
      declared(
          "try:\n    import torch\nexcept ImportError:\n    torch = None\ndef f(m):\n    '''Text'''\n    return m(1)\n",
          "def f(m)"),
      "try:\n    import torch\nexcept ImportError:\n    torch = None\ndef f(m):\n    '''Text'''\n    with "
      "torch.inference_mode():\n        return m(1)\n");
  EXPECT_EQ(declared("def f(m):\n    import torch\n    x = 1\n    return m(x)\n", "def f(m)"),
            "def f(m):\n    import torch\n    with torch.inference_mode():\n        x = 1\n        return m(x)\n");
  EXPECT_EQ(declared("import torch\n@torch.jit.script\ndef f(m):\n  return m(1)\n", "def f(m)"),
            "import torch\n@torch.jit.script\ndef f(m):\n  with torch.inference_mode():\n    return m(1)\n");
  EXPECT_EQ(declared("import torch\nasync def f(m):\n  return m(1)\n", "async def f(m)"),
            "import torch\nasync def f(m):\n  with torch.inference_mode():\n    return m(1)\n");
}

TEST(PythonFixEdits, WhatCannotReachTorchIsLeftToPeople) {
  EXPECT_EQ(
      declared("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\ndef f(m): m(1)\n", "def f(m)"),
      "by hand");
  EXPECT_EQ(declared("from compat import torch\ndef f(m): m(1)\n", "def f(m)"), "by hand");
  EXPECT_EQ(wrapped("import torch\ndef f(torch, m):\n    m(1)\n", "m(1)"), "by hand");
  EXPECT_EQ(wrapped("import torch\ny = m(1) +\n", "m(1)"), "by hand");  // a syntax error
}

TEST(PythonFixEdits, StatementsAreIndented) {
  EXPECT_EQ(
      wrapped("import torch\nif a:\n  # why\n  y = m(\n1,\n    '''x\n y''')  # so\n\n  z = y\n", "m(\n1"),
      "import torch\nif a:\n  # why\n  with torch.no_grad():\n    y = m(\n  1,\n      '''x\n y''')  # so\n\n  z = y\n");
  EXPECT_EQ(wrapped("import torch\r\n\tx = 1", "zz"), "by hand");
  EXPECT_EQ(wrapped("import torch\ny = 1 + \\\n m(1)", "m(1)"),
            "import torch\nwith torch.no_grad():\n    y = 1 + \\\n     m(1)");
  EXPECT_EQ(wrapped("import torch\nif a:\n\tif b:\n\t\ty = m(1)\n", "m(1)"),
            "import torch\nif a:\n\tif b:\n\t\twith torch.no_grad():\n\t\t\ty = m(1)\n");
}

TEST(PythonFixEdits, StatementsThatShareALineGetTheirOwn) {
  EXPECT_EQ(wrapped("import torch\na = 1; y = m(a); b = 2  # end\nc = 3\n", "m(a)"),
            "import torch\na = 1\nwith torch.no_grad():\n    y = m(a)\nb = 2  # end\nc = 3\n");
  EXPECT_EQ(wrapped("import torch\nfor x in xs:\n  if x: y = m(x)\n  else: y = 0\n", "m(x)"),
            "import torch\nfor x in xs:\n  if x:\n    with torch.no_grad():\n      y = m(x)\n  else: y = 0\n");
  EXPECT_EQ(wrapped("import torch\nif x: a(); y = m(x); b()\n", "m(x)"),
            "import torch\nif x:\n    a()\n    with torch.no_grad():\n        y = m(x)\n    b()\n");
  EXPECT_EQ(wrapped("import torch\nif x: \\\n   y = m(x)\n", "m(x)"),
            "import torch\nif x:\n    with torch.no_grad():\n        y = m(x)\n");
}

TEST(PythonFixEdits, NoGuardIsPutAroundWhatSuspendsOrDefersOrTrains) {
  EXPECT_EQ(wrapped("import torch\ndef f():\n    yield m(1)\n", "m(1)"), "by hand");
  EXPECT_EQ(wrapped("import torch\nasync def f():\n    await g(m(1))\n", "m(1)"), "by hand");
  EXPECT_EQ(wrapped("import torch\nf = lambda x: m(x)\n", "m(x)"), "by hand");
  EXPECT_EQ(wrapped("import torch\nf = (m(x) for x in xs)\n", "m(x)"), "by hand");
  EXPECT_EQ(wrapped("import torch\ns = sum(m(x) for x in xs)\n", "m(x)"),
            "import torch\nwith torch.no_grad():\n    s = sum(m(x) for x in xs)\n");
  const std::string_view source = "import torch\nloss = f(m(1), n(1))\n";
  EXPECT_EQ(fixed(FixKind::GuardRegion, source, "n(1)", {.keep_out = {span_of(source, "m(1)")}}), "by hand");
}

TEST(PythonFixEdits, GuardsThatAreStatementsAreEntered) {
  const std::string_view source = "import torch\ntorch.no_grad()  # why\na = m(1)\nprint(a)\n";
  EXPECT_EQ(fixed(FixKind::NameGuard, source, "torch.no_grad()", {.until = span_of(source, "m(1)").end}),
            "import torch\nwith torch.no_grad():  # why\n    a = m(1)\nprint(a)\n");
  EXPECT_EQ(fixed(FixKind::NameGuard, source, "torch.no_grad()"), "by hand");
  const std::string_view entered = "import torch\ntorch.inference_mode().__enter__()\na = m(1)\n";
  EXPECT_EQ(fixed(FixKind::EnterGuard, entered, "torch.inference_mode().__enter__()", {.until = 60}),
            "import torch\nwith torch.inference_mode():\n    a = m(1)\n");
  EXPECT_EQ(fixed(FixKind::EnterGuard, "import torch\nwith torch.no_grad:\n  m(1)\n", "torch.no_grad"),
            "import torch\nwith torch.no_grad():\n  m(1)\n");
}

TEST(PythonFixEdits, ValuesAreDetached) {
  const auto detached = [](std::string_view source, std::string_view at) {
    return fixed(FixKind::DetachValue, source, at);
  };
  EXPECT_EQ(detached("total += loss  # a\n", "loss"), "total += loss.detach()  # a\n");
  EXPECT_EQ(detached("a.append(m(x)[0])\n", "m(x)[0]"), "a.append(m(x)[0].detach())\n");
  EXPECT_EQ(detached("total += -loss * 2\n", "-loss * 2"), "total += (-loss * 2).detach()\n");
  EXPECT_EQ(detached("a.append((b, c))\n", "(b, c)"), "by hand");
}

TEST(PythonFixEdits, GuardsAreRemoved) {
  EXPECT_EQ(removed("import torch\nwith torch.no_grad():  # a\n    # b\n    y = '''\n    x'''\n    z = 1\nw = 2\n",
                    "torch.no_grad()"),
            "import torch\n# a\n# b\ny = '''\n    x'''\nz = 1\nw = 2\n");
  EXPECT_EQ(removed("with a, torch.no_grad():\n  b\n", "torch.no_grad()"), "with a:\n  b\n");
  EXPECT_EQ(removed("with torch.no_grad(), a:\n  b\n", "torch.no_grad()"), "with a:\n  b\n");
  EXPECT_EQ(removed("with timed_no_grad():\n  b\n", "timed_no_grad()"), "by hand");
  EXPECT_EQ(removed("from torch import no_grad as off\nwith off():\n  b\n", "off()"),
            "from torch import no_grad as off\nb\n");
  EXPECT_EQ(removed("with torch.no_grad() as g:\n  b\n", "torch.no_grad()"), "by hand");
  EXPECT_EQ(removed("if a:\n  with torch.no_grad(): b; c\n", "torch.no_grad()"), "if a:\n  b; c\n");
  EXPECT_EQ(removed("@a\n@torch.no_grad()\ndef f(): pass\n", "torch.no_grad()"), "@a\ndef f(): pass\n");
  EXPECT_EQ(removed("@torch.no_grad()  # a\ndef f(): pass\n", "torch.no_grad()"), "# a\ndef f(): pass\n");
  EXPECT_EQ(removed("a\nno_grad(1)\nb\n", "no_grad(1)"), "a\nb\n");
  EXPECT_EQ(removed("if a:\n  no_grad(1)\n", "no_grad(1)"), "if a:\n  pass\n");
  EXPECT_EQ(removed("a; no_grad(1); b\n", "no_grad(1)"), "a; b\n");
}

}  // namespace deadgrad::python
